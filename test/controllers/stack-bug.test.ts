import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { comparison } from '../../controllers/author/comparison.ts';
import { awaitAuthor } from '../../controllers/border.ts';
import { attributed, describeBug } from '../../controllers/stack-bug.ts';
import { bugIn } from '../../runtime/log/bug.ts';

const root = pathToFileURL(join(import.meta.dirname, '..', '..')).href;

/** A bug with that stack trace, of that stack. */
function bugAt(places: readonly string[], stack?: string): Error {
  const bug = new TypeError('x');
  bug.stack = ['TypeError: x', ...places.map((place) => `    at ${place}`)].join('\n');
  return attributed(bug, stack);
}

const decide = `decide (${root}/controllers/claim-binding/provision.ts:89:30)`;
const helper = `compare (${root}/controllers/author/comparison.ts:12:3)`;
const lodash = `get (${root}/node_modules/lodash/get.js:3:4)`;
const product = `connect (file:///app/node_modules/services-stack/dist/controllers/managed/setup.js:3:4)`;
const authors = 'configure (file:///app/my-stack/stack.ts:5:6)';
const main = 'async file:///app/src/main.ts:7:8';

const reports = (places: readonly string[], stack: string | undefined, reported: string): void =>
  assert.equal(describeBug(bugAt(places, stack)), `bug in the ${reported}`);
test('of a stack, in its file', () =>
  reports([authors, decide], 'shop', 'stack shop: x (TypeError at my-stack/stack.ts:5)'));
test('of a stack, in a library that it calls', () =>
  reports(
    ['Object.parse (node:url:1:2)', 'a (/app/node_modules/p/i.js:3:4)', authors, decide],
    'shop',
    'stack shop: x (TypeError at my-stack/stack.ts:5)',
  ));
test('of a stack, in what helps authors', () =>
  reports([lodash, helper, authors, decide], 'shop', 'stack shop: x (TypeError at my-stack/stack.ts:5)'));
test('of a stack, in the package that helps authors', () =>
  reports([product, authors, product], 'shop', 'stack shop: x (TypeError at my-stack/stack.ts:5)'));
test('of a stack, in a file without a function', () =>
  reports(
    ['file:///app/my-stack/client.js:5:6'],
    'shop',
    'stack shop: x (TypeError at my-stack/client.js:5)',
  ));
test('of a stack of ours', () =>
  reports(
    [`configure (${root}/stacks/demo-clouds/fcp/favourite-db-instance/configure.ts:4:2)`, decide],
    'fcp',
    'stack fcp: x (TypeError at favourite-db-instance/configure.ts:4)',
  ));
test('of a stack, in nothing of its own', () =>
  reports([decide, helper, lodash], 'shop', 'stack shop: x (TypeError)'));
test('of a stack, on a drive', () =>
  reports(
    ['configure (C:\\app\\my-stack\\stack.js:5:6)'],
    'shop',
    'stack shop: x (TypeError at my-stack/stack.js:5)',
  ));
test('of the controllers', () =>
  reports([decide, main], undefined, 'controllers: x (TypeError at claim-binding/provision.ts:89)'));
test('of the controllers, in a library', () =>
  reports(
    ['Object.parse (node:url:1:2)', lodash, decide],
    undefined,
    'controllers: x (TypeError at claim-binding/provision.ts:89)',
  ));
test('of the controllers, where they run something awaited', () =>
  reports([main], undefined, 'controllers: x (TypeError at src/main.ts:7)'));
test('of the controllers, nowhere', () =>
  reports(
    ['Object.parse (node:url:1:2)', 'async Promise.all (index 1)'],
    undefined,
    'controllers: x (TypeError)',
  ));

describe('the message of a bug names the stack and the place in its code', () => {
  test('without a stack trace', () => {
    const bug = new TypeError('x');
    bug.stack = '';
    assert.equal(describeBug(bug), 'bug in the controllers: x (TypeError)');
  });

  test('with a message that looks like one', () => {
    const bug = new TypeError('x');
    bug.stack = 'TypeError: x\n at (my-stack/client.js:5:6)';
    assert.equal(describeBug(attributed(bug, 'shop')), 'bug in the stack shop: x (TypeError)');
  });

  test('where it really is, past what helps authors', () => {
    const wrong = undefined as unknown as Parameters<typeof comparison>[0];
    assert.throws(
      () => comparison(wrong),
      (error) => {
        const message = describeBug(attributed(bugIn(error)!, 'shop'));
        assert.match(
          message,
          /^bug in the stack shop: .* \(TypeError at controllers\/stack-bug\.test\.ts:\d+\)$/,
        );
        return true;
      },
    );
  });
});

const attributing = <T>(run: () => T | Promise<T>): Promise<T> =>
  awaitAuthor({ name: 'observe', stack: 'shop' }, run, () => undefined);

describe('to attribute a bug to a stack', () => {
  test('marks a bug, however it is wrapped, and throws what was thrown', async () => {
    const bug = bugAt([]);
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: bug }) });
    await assert.rejects(
      attributing(() => {
        throw wrapped;
      }),
      (error) => error === wrapped,
    );
    assert.equal(describeBug(bug), 'bug in the stack shop: x (TypeError)');
  });

  test('leaves every other error as it is, and an answer too', async () => {
    const refused = new Error('quota exceeded');
    await assert.rejects(
      attributing(() => Promise.reject(refused)),
      refused,
    );
    assert.deepEqual(Object.getOwnPropertySymbols(refused), []);
    assert.equal(await attributing(async () => 7), 7);
  });

  test('an error that is frozen or of unknown origin is not marked', () => {
    assert.equal(describeBug(attributed(bugAt([]), undefined)), 'bug in the controllers: x (TypeError)');
    const frozen = describeBug(attributed(Object.freeze(bugAt([])), 'shop'));
    assert.equal(frozen, 'bug in the controllers: x (TypeError)');
  });
});
