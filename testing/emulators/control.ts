import type { Field } from './json-fields.ts';
import { objectOf, oneOf, whole } from './json-fields.ts';
import type { LoopbackReply, LoopbackRequest } from './loopback-server.ts';

/**
 * The control requests of an emulator, which are not part of its API, by method and path: `POST /_faults`. A function gets
 * the JSON of the body and returns the JSON of the reply. It throws for invalid JSON.
 */
export type Controls = Readonly<Record<string, (json: unknown) => unknown>>;

/** The fields of every fault. Each emulator adds those that select requests. */
const faultFields = {
  kind: oneOf(['fail', 'gateway', 'loseResponse', 'stall', 'hang', 'cut']),
  times: whole({ min: 1 }),
  status: whole({ min: 400, max: 599 }),
  retryAfter: whole({ min: 0 }),
};

/** The control requests of every emulator: inject faults, and count calls. `own` are further fields of a fault. */
export const faultControls = <Fault>(
  {
    calls,
    faults,
  }: {
    calls(): object;
    readonly faults: { inject(fault: Fault): void; clear(): void };
  },
  own: Readonly<Record<string, Field>>,
): Controls => ({
  'GET /_calls': () => calls(),
  'POST /_faults'(json) {
    objectOf({ ...faultFields, ...own }, ['kind'])('a fault', json);
    faults.inject(json as Fault);
  },
  'DELETE /_faults': () => faults.clear(),
});

type Answer = (request: LoopbackRequest) => Promise<LoopbackReply>;

/** Answers control requests, which have a path that begins with `/_`. No API of a cloud has such a path. */
export const withControls =
  (answer: Answer, controls: Controls): Answer =>
  (request) =>
    request.target.startsWith('/_') ? control(request, controls) : answer(request);

async function control(
  { method, target, body }: LoopbackRequest,
  controls: Controls,
): Promise<LoopbackReply> {
  const key = `${method} ${target}`;
  const act = Object.hasOwn(controls, key) ? controls[key] : undefined;
  if (act === undefined) {
    return reply(404, { message: `there is nothing but ${Object.keys(controls).join(', ')}` });
  }
  try {
    return reply(200, act(method === 'POST' ? jsonIn(await body()) : undefined) ?? {});
  } catch (error) {
    return reply(400, { message: error instanceof Error ? error.message : String(error) });
  }
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error('the body is no JSON');
  }
}

const reply = (status: number, body: unknown): LoopbackReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: `${JSON.stringify(body, null, 2)}\n`,
});
