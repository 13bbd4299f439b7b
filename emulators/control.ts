import type { Field } from './json-fields.ts';
import { objectOf, oneOf, whole } from './json-fields.ts';
import type { LoopbackReply, LoopbackRequest } from './loopback-server.ts';

/**
 * What a stand-in can be told beside its API, by method and path: `POST /_faults`. Each is given the body's JSON, yields
 * what is answered, and throws what makes no sense.
 */
export type Controls = Readonly<Record<string, (json: unknown) => unknown>>;

/** What every fault has, beside what it is narrowed down by. */
const faultFields = {
  kind: oneOf(['fail', 'gateway', 'loseResponse', 'stall', 'hang', 'cut']),
  times: whole({ min: 1 }),
  status: whole({ min: 400, max: 599 }),
  retryAfter: whole({ min: 0 }),
};

/** Of every stand-in: faults to come, with these fields of its own, and what was called. */
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

/** Answers by the controls where a path begins with `/_`, which no cloud's does, and else as before. */
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
