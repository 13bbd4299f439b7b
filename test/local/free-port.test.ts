import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAtPort } from '../../local/free-port.ts';

const taken = new Error('Redis did not start: bind 127.0.0.1: Address already in use');
const takenFromGo = new Error('listen tcp 127.0.0.1:20001: bind: address already in use');
const broken = new Error('Redis did not start: no such setting');

/** The result of a start after these failures of its first attempts, and the number of ports that it tries. */
async function outcome(wanted: number | undefined, ...failures: readonly Error[]): Promise<unknown> {
  const tried: number[] = [];
  const start = async (port: number): Promise<number> => {
    const failure = failures[tried.length];
    tried.push(port);
    if (failure !== undefined) throw failure;
    return port;
  };
  const started = startAtPort(wanted, start, async () => 20_000 + tried.length);
  const end = await started.then(
    (port) => (port === tried.at(-1) ? 'started' : port),
    (error: unknown) => error,
  );
  return { end, tried: wanted === undefined ? tried.length : tried };
}

describe('a server is started', () => {
  const cases: Readonly<Record<string, readonly [wanted: number | undefined, Error[], object]>> = {
    'at the port that is wanted': [18_000, [], { end: 'started', tried: [18_000] }],
    'at a free one otherwise': [undefined, [], { end: 'started', tried: 1 }],
    'at another port if that one was taken at that time': [
      undefined,
      [taken, takenFromGo],
      { end: 'started', tried: 3 },
    ],
    'at five of them and no more': [undefined, Array<Error>(9).fill(taken), { end: taken, tried: 5 }],
    'at no other than the one that is wanted': [18_000, [taken], { end: taken, tried: [18_000] }],
    'once if anything else is wrong': [undefined, [broken], { end: broken, tried: 1 }],
  };
  for (const [name, [wanted, failures, want]] of Object.entries(cases)) {
    test(name, async () => assert.deepEqual(await outcome(wanted, ...failures), want));
  }
});
