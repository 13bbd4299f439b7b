import type { CarriedReply } from '../fakes/outside.ts';

/** The answer of a cloud, or of a gateway before it, in place of the right one. JSON, so that a fault can be written down. */
export type Garble =
  /** A value of the answer is another one: the keys on the way to it are drawn by these numbers. */
  | { readonly part: 'value'; readonly turns: readonly number[]; readonly value: unknown }
  /** It ends after so many characters. */
  | { readonly part: 'end'; readonly length: number }
  /** Another text. */
  | { readonly part: 'body'; readonly nth: number }
  | { readonly part: 'status'; readonly status: number; readonly headers: Readonly<Record<string, string>> };

const values: readonly unknown[] = [
  ...[null, -1, 1e21, {}, [], true, '', '\ud800', 'x'.repeat(100_000), '__proto__', '../../secrets'],
  ...['red \u001b[31mtext\u001b[0m', 'left \u202eright', 'forged\n{"level":"error"}', '<html>'],
];
const bodies: readonly string[] = [
  ...['', 'null', '[]', '7', '{}', '<html>', '{"__proto__":{"polluted":true}}', '['.repeat(50_000)],
  `{"error":{"code":"Invalid","message":"\u001b[2J${'x'.repeat(10_000)}"}}`,
  ' '.repeat(11_000_000),
];
const statuses = [200, 204, 301, 400, 404, 409, 418, 422, 429, 500, 503, 599, 999];
const waits = ['1', '999999999', 'soon'].map((value) => ({ 'retry-after': value }));

/** One of all, as chance has it. */
export function drawnGarble(chance: (what: string) => number): Garble {
  const nth = (count: number, what: string): number => Math.floor(chance(what) * count);
  const pick = <T>(from: readonly T[], what: string): T => from[nth(from.length, what)] as T;
  switch (pick(['value', 'value', 'end', 'body', 'status'] as const, 'part')) {
    case 'value': {
      const turns = Array.from({ length: 1 + nth(3, 'depth') }, (_, depth) => nth(12, `turn ${depth}`));
      return { part: 'value', turns, value: pick(values, 'value') };
    }
    case 'end':
      return { part: 'end', length: nth(200, 'length') };
    case 'body':
      return { part: 'body', nth: nth(bodies.length, 'body') };
    default:
      return { part: 'status', status: pick(statuses, 'status'), headers: pick([{}, ...waits], 'wait') };
  }
}

/** The answer as it arrives. */
export function garbled(reply: CarriedReply, garble: Garble): CarriedReply {
  const text = Buffer.concat([...(reply.body as Iterable<Buffer>)]).toString('utf8');
  const body = (changed: string): CarriedReply => ({ ...reply, body: [Buffer.from(changed)] });
  switch (garble.part) {
    case 'value':
      return body(text === '' ? text : JSON.stringify(altered(JSON.parse(text), garble)));
    case 'end':
      return body(text.slice(0, garble.length));
    case 'body':
      return body(bodies[garble.nth] ?? '');
    case 'status':
      return { ...reply, statusCode: garble.status, headers: garble.headers, body: [Buffer.from(text)] };
  }
}

function altered(answer: unknown, { turns, value }: Extract<Garble, { part: 'value' }>): unknown {
  const [turn, ...rest] = turns;
  if (turn === undefined || typeof answer !== 'object' || answer === null) return value;
  const entries = Object.entries(answer);
  const key = entries[turn % entries.length]?.[0];
  if (key === undefined) return answer;
  const changed = altered((answer as Readonly<Record<string, unknown>>)[key], {
    part: 'value',
    turns: rest,
    value,
  });
  return Array.isArray(answer) ? answer.with(Number(key), changed) : { ...answer, [key]: changed };
}
