import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bugIn } from '../../../runtime/log/bug.ts';
import { createLogger } from '../../../runtime/log/log.ts';
import { testClock } from '../../../testing/test-clock.ts';

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};
const nothing = undefined as unknown as { readonly id: string };

describe('bugs', () => {
  const bugs: Readonly<Record<string, () => unknown>> = {
    'a field of nothing': () => nothing.id,
    'no function': () => (nothing as unknown as () => void)(),
    'a name that is not defined': () => {
      throw new ReferenceError('x is not defined');
    },
    'an array of negative length': () => new Array(-1),
    'an assertion': () => assert.equal(1, 2),
    'an argument that node refuses': () => Buffer.from(undefined as unknown as string),
  };
  for (const [name, act] of Object.entries(bugs)) {
    test(`${name} is one, as it is and as a cause`, () => {
      const error = thrownBy(act);
      assert.equal(bugIn(error), error);
      assert.equal(
        bugIn(new Error('observe failed', { cause: new Error('inner', { cause: error }) })),
        error,
      );
    });
  }

  const others: Readonly<Record<string, unknown>> = {
    'an error of a client': new Error('quota exceeded'),
    'a connection that fetch could not make': new TypeError('fetch failed', {
      cause: new Error('connect ECONNREFUSED'),
    }),
    'a URL that is not valid': thrownBy(() => new URL('nonsense')),
    'a text that is no JSON': thrownBy(() => JSON.parse('hunter2') as unknown),
    'an aborted call': new DOMException('aborted', 'AbortError'),
    'no error at all': 'text',
    nothing: undefined,
  };
  for (const [name, error] of Object.entries(others)) {
    test(`${name} is none`, () => assert.equal(bugIn(error), undefined));
  }

  test('has its stack in the log at every level, and other errors do not', () => {
    const lines: string[] = [];
    const log = createLogger({
      level: 'info',
      format: 'json',
      write: (line) => lines.push(line),
      clock: testClock(),
    });
    log.error('x', { error: new Error('outer', { cause: new TypeError('inner') }) });
    const { error } = JSON.parse(lines[0]!) as {
      readonly error: { readonly stack?: string; readonly cause: { readonly stack?: string } };
    };
    const { stack, cause } = error;
    assert.equal(stack, undefined);
    assert.match(cause.stack ?? '', /bug\.test\.ts/);
  });
});
