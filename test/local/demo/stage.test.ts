import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { claimsTable } from '../../../local/demo/claims.ts';
import { createStage } from '../../../local/demo/stage.ts';

/** A stage on what is no terminal, or on one, and what it has written since it was asked last. */
function staged({ isTTY = false } = {}) {
  const output = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY, columns: 80 });
  const stage = createStage(output);
  return { stage, written: () => String(output.read() ?? '') };
}

describe('where the demo is written into a file', () => {
  test('of a table only the rows that changed are said', () => {
    const { stage, written } = staged();
    stage.show([['NAME'], ['cart   Unbound'], ['posts   Unbound']]);
    assert.equal(written(), 'NAME\ncart   Unbound\nposts   Unbound\n');
    stage.show([['NAME'], ['cart   Bound'], ['posts   Unbound']]);
    assert.equal(written(), 'cart   Bound\n');
  });

  test('a message about a claim is below its row, even if the row did not change', () => {
    const { stage, written } = staged();
    stage.show([['NAME'], ['cart   Unbound'], ['posts   Unbound', '    is made']]);
    written();
    stage.show([['NAME'], ['cart   Bound'], ['posts   Unbound', '    waits for its class']]);
    assert.equal(written(), 'cart   Bound\nposts   Unbound\n    waits for its class\n');
  });

  test('two claims of which the same is said have it both', () => {
    const { stage, written } = staged();
    stage.show([['a', '    waits'], ['b']]);
    written();
    stage.show([
      ['a', '    waits'],
      ['b', '    waits'],
    ]);
    assert.equal(written(), 'b\n    waits\n');
  });
});

test('on a terminal the whole table takes the place of the last, however many lines a row has', () => {
  const { stage, written } = staged({ isTTY: true });
  stage.show([['NAME'], ['cart', '    waits']]);
  assert.equal(written(), 'NAME\ncart\n    waits\n');
  stage.show([['NAME'], ['cart']]);
  assert.equal(written(), '\u001b[3A\u001b[JNAME\ncart\n');
  stage.say('done');
  assert.equal(written(), '\u001b[2A\u001b[Jdone\nNAME\ncart\n');
});

test('a row of the table of claims is the claim with what is said of it', () => {
  const claim = (name: string, message?: string): Claim => ({
    apiVersion: 'v1',
    kind: 'FancySQLInstance',
    metadata: { namespace: 'team', name },
    spec: {},
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Creating',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          ...(message !== undefined && { message }),
        },
      ],
    },
  });
  const table = claimsTable([claim('posts', 'it takes long'), claim('cart')], { paint: (_, text) => text });
  assert.deepEqual(table, [
    ['NAMESPACE   KIND               NAME    STATUS   READY      CLASS   RESOURCE'],
    ['team        FancySQLInstance   cart             Creating'],
    ['team        FancySQLInstance   posts            Creating', '    it takes long'],
  ]);
});
