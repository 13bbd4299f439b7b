import { realClock } from '../../../../package/http.ts';
import type { ConnectionDetails } from '../../../../package/stack.ts';
import type { Given, World } from '../../../../package/testing.ts';
import { awsClient } from '../../../../stacks/aws/client/aws-client.ts';
import { credentialsFile, exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { StoredVpc } from '../../../../stacks/aws/emulator/ec2/stored.ts';
import type { SavedInventory } from '../../../../stacks/aws/emulator/inventory.ts';
import { savedField } from '../../../../stacks/aws/emulator/inventory.ts';
import { AwsProblem } from '../../../../stacks/aws/emulator/problem.ts';
import type { Service } from '../../../../stacks/aws/emulator/service.ts';
import { createAwsStack } from '../../../../stacks/aws/stack.ts';
import type { InProcessAws, InProcessAwsOptions } from '../../../fakes/in-process-aws.ts';
import { inProcessAws } from '../../../fakes/in-process-aws.ts';
import type { CarriedReply } from '../../../fakes/outside.ts';
import { noAnswer } from '../../../fakes/outside.ts';
import { door } from '../../../testing/door.ts';

export const region = 'us-west-1';

/** An inventory with one VPC, which a user created by hand. */
export function withVpc(vpcId: string): SavedInventory {
  const item: StoredVpc = {
    cidrBlock: '10.0.0.0/16',
    instanceTenancy: 'default',
    isDefault: false,
    securityGroupId: 'sg-1',
    tags: {},
    attributes: {},
  };
  return {
    [`${exampleAccount.id} ${region} ec2/vpc`]: {
      delays: { provisioningMs: 0, deletionMs: 0, readDelayMs: 0 },
      [savedField]: [[vpcId, { item, createdAtMs: 0, changedAtMs: 0 }]],
    },
  };
}

type Tags = Readonly<Record<string, string>>;

/** The tags of a user, with one among them that AWS reserves. */
export const tags = (requested: Tags): { readonly tags: Tags } => ({
  tags: { ...requested, 'aws:cloudformation:stack-name': 'theirs' },
});

/** A client of the AWS emulator, for the changes of another user. */
export const clientOf = ({ url, dispatcher }: InProcessAws) =>
  awsClient({
    accessKey: exampleAccount,
    parameters: { region, endpoint: { url: { type: 'Static', static: url } } },
    dispatcher,
    clock: realClock(),
    random: () => 0,
  });

/** How a service answers a request that fails on its own account. */
export const failureOf =
  ({ protocols: [protocol], refusals }: Service) =>
  (text: string): CarriedReply => {
    const problem = new AwsProblem(refusals.failed().code, text, { status: 500 });
    const { status, headers, text: body } = protocol.refusal(problem, 'none');
    return { statusCode: status, headers, body: [Buffer.from(body)] };
  };

const answering = (text: string): CarriedReply => ({
  statusCode: 200,
  headers: {},
  body: [Buffer.from(text)],
});

export interface AwsWorldOptions extends InProcessAwsOptions {
  /** The form of the service's answers: what a failure looks like. */
  readonly failure: (text: string) => CarriedReply;
  readonly externals: (aws: InProcessAws) => readonly unknown[];
  /** The action that creates one. */
  readonly creation: string;
  readonly foreign?: (aws: InProcessAws, name: string) => Promise<unknown>;
  /** Whether connection details are good for one. */
  readonly opens?: (aws: InProcessAws, details: ConnectionDetails) => boolean;
  /** Creates the objects that the kind needs. */
  readonly before?: (aws: InProcessAws) => Promise<unknown>;
}

/** A local AWS, with creation that takes its time, as a world of the kit. */
export async function awsWorld(
  { clock, random }: Given,
  { failure, externals, creation, foreign, opens, before, ...options }: AwsWorldOptions,
): Promise<World & { readonly aws: InProcessAws }> {
  const aws = inProcessAws(clock, { random, provisioningMs: 20_000, deletionMs: 10_000, ...options });
  await before?.(aws);
  const { pass, fail, answer, hang } = door();
  const carrier = aws.carrierFor(async ({ signal }, effect) =>
    pass<unknown>(effect, { failing: failure, answering, hanging: () => noAnswer(signal) }),
  );
  return {
    aws,
    stack: createAwsStack({ createClient: (given) => awsClient({ ...given, dispatcher: carrier }) }),
    credentials: credentialsFile(exampleAccount),
    parameters: { endpoint: { url: { type: 'Static', static: aws.url } } },
    externals: () => externals(aws),
    ...(foreign !== undefined && { foreign: (name: string) => foreign(aws, name) }),
    fail,
    answer,
    loseAnswer: () => aws.faults.inject({ kind: 'loseResponse', action: creation }),
    hang,
    ...(opens !== undefined && { opens: (details: ConnectionDetails) => opens(aws, details) }),
    close: () => aws.stop(),
  };
}
