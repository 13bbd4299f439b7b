import type { Carrier } from '../../clients/http.ts';
import type { Stack } from '../../controllers/stack.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../stacks/demo-clouds/client/other-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { createOcpStack } from '../../stacks/demo-clouds/ocp/stack.ts';
import type { Given, World } from '../../testing/scenario.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { noAnswer } from '../fakes/outside.ts';
import { door } from './door.ts';

export const fcp = (dispatcher: Carrier): Stack =>
  createFcpStack({ createClient: (options) => favouriteCloudClient({ ...options, dispatcher }) });
export const ocp = (dispatcher: Carrier): Stack =>
  createOcpStack({ createClient: (options) => otherCloudClient({ ...options, dispatcher }) });

export interface CloudWorldOptions {
  readonly flavour: 'favourite' | 'other';
  readonly stack: (dispatcher: Carrier) => Stack;
  readonly externals: (cloud: InProcessCloud) => readonly unknown[];
  /** Creates one of another user in the cloud; returns its name if the cloud assigns it. */
  readonly foreign: (cloud: InProcessCloud, name: string) => Promise<unknown>;
}

const answering = (text: string) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: [Buffer.from(text)],
});

const failing = (text: string) => ({
  statusCode: 500,
  headers: { 'content-type': 'application/json' },
  body: [Buffer.from(JSON.stringify({ error: { code: 'Internal', message: text } }))],
});

/** A demo cloud, with provisioning that takes its time, as a world of the kit. */
export function cloudWorld(
  { clock, random }: Given,
  { flavour, stack, externals, foreign }: CloudWorldOptions,
): World {
  const cloud = inProcessCloud(clock, { flavour, random, provisioningMs: 20_000, deletionMs: 10_000 });
  const { pass, fail, answer, hang } = door();
  const carrier = cloud.carrierFor(async ({ signal }, effect) =>
    pass<unknown>(effect, { failing, answering, hanging: () => noAnswer(signal) }),
  );
  return {
    stack: stack(carrier),
    credentials: JSON.stringify({ url: cloud.url, token: cloud.token }),
    externals: () => externals(cloud),
    foreign: (name) => foreign(cloud, name),
    fail,
    answer,
    loseAnswer: () => cloud.faults.inject({ kind: 'loseResponse', method: 'POST' }),
    hang,
    opens: ({ host, password }) =>
      cloud.instances().some(({ item }) => item.hostname === host && item.password === password),
  };
}
