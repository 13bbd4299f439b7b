import type { Clock } from '../../package/http.ts';
import { seededRandom } from '../../runtime/time/random.ts';
import type { AwsOptions } from '../../stacks/aws/emulator/aws.ts';
import { createAws } from '../../stacks/aws/emulator/aws.ts';
import type { Params, Protocol, Service } from '../../stacks/aws/emulator/service.ts';
import { allServices } from '../../stacks/aws/emulator/services.ts';
import { signatureOf } from '../../stacks/aws/emulator/signature.ts';
import type { WireRequest } from '../../stacks/aws/emulator/wire.ts';
import type { CarriedRequest, OutsideCall } from './outside.ts';
import { carried, carriersTo } from './outside.ts';

/** Where it is, unless something else is said. */
export const awsUrl = 'http://aws.test';

export interface InProcessAwsOptions extends AwsOptions {
  /** Where requests find it; default `awsUrl`. */
  readonly url?: string;
}

/** A local AWS that is reached without a network, whose time is a test's. */
export type InProcessAws = ReturnType<typeof inProcessAws>;

/**
 * The local AWS, for clients in this process: a request is served at once, and its answer comes in a later microtask. Its
 * time is that which goes by, but for signatures, which the official clients date by the machine's.
 */
export function inProcessAws(
  clock: Pick<Clock, 'elapsedMs'>,
  { url = awsUrl, ...options }: InProcessAwsOptions = {},
) {
  const { random = seededRandom(1), services = allServices(), ...rest } = options;
  const { answer, ...inside } = createAws({ now: clock.elapsedMs, random, services, ...rest });

  const carrierFor = carriersTo(
    url,
    (request) => ({ system: 'aws', ...requestIn(services, onTheWire(request)) }),
    async (request) => {
      const { body, ...sent } = onTheWire(request);
      return carried(await answer({ ...sent, body: async () => body }), request.signal);
    },
  );
  /** `dispatcher`: for the options of its client; `carrierFor`: for a client whose requests go through a door. */
  return { ...inside, url, carrierFor, dispatcher: carrierFor() };
}

function onTheWire({ path, method, headers, body }: CarriedRequest): WireRequest {
  const plain = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { method, target: path, headers: plain, body: body ?? '' };
}

/** Its action, which service it is asked of, and what it is about: as in `CreateVpc`, `ec2/my-vpc`. */
function requestIn(
  services: readonly Service[],
  request: WireRequest,
): Pick<OutsideCall, 'verb' | 'target' | 'isWrite'> {
  const service = services.find(({ name }) => name === signatureOf(request)?.service);
  for (const protocol of service?.protocols ?? []) {
    const call = readBy(protocol, request);
    if (call === undefined) continue;
    return {
      verb: call.action,
      target: `${service?.name}/${subjectOf(call.params) ?? ''}`,
      isWrite: !/^(?:Describe|Get|List)/.test(call.action),
    };
  }
  return { verb: request.method, target: request.target, isWrite: true };
}

/** A malformed request is for the cloud to refuse. */
function readBy(protocol: Protocol, request: WireRequest): ReturnType<Protocol['read']> {
  try {
    return protocol.read(request);
  } catch {
    return undefined;
  }
}

/** By the tag that says for which managed resource it is; else by the id or name that it has there. */
const subjectOf = (params: Params): string | undefined => ownerIn(params) ?? idIn(params);

function ownerIn(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const { Key, Name, Value, 'crossplane-name': own } = node as Readonly<Record<string, unknown>>;
  if (typeof own === 'string') return own;
  const value = [Value].flat()[0];
  if ([Key, Name].some((name) => /^(?:tag:)?crossplane-name$/.test(String(name)))) return String(value);
  for (const inner of Object.values(node)) {
    const found = ownerIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

const ids =
  /^(?:VpcId|SubnetId|InstanceId|ResourceId|DBInstanceIdentifier|ResourceName|QueueName|QueueUrl|nodegroupName|resourceArn)$/;

/** The last part of an address, or of an ARN. */
function idIn(params: Params): string | undefined {
  const found = Object.entries(params).find(([name]) => ids.test(name))?.[1];
  return found === undefined ? undefined : String([found].flat()[0]).split(/[/:]/).at(-1);
}
