import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import type { GraphNode } from '../../../dashboard/page/wire.ts';
import { actLine } from '../../../local/terminal/act-line.ts';
import { claimsTable } from '../../../local/terminal/claims-table.ts';
import { batchIn } from '../../../local/terminal/feed.ts';
import { createStage } from '../../../local/terminal/stage.ts';

/** A stage on what is no terminal, or on one, and what it has written since it was asked last. */
function staged({ isTTY = false } = {}) {
  const output = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY, columns: 80 });
  const stage = createStage(output);
  return { stage, written: () => String(output.read() ?? '') };
}

describe('the output of the demo', () => {
  test('a file gets the table once, when it is settled, and each line before it as it is said', () => {
    const { stage, written } = staged();
    stage.show(['NAME', 'cart   Unbound']);
    stage.say('bound');
    stage.show(['NAME', 'cart   Bound']);
    assert.equal(written(), 'bound\n');
    stage.settle();
    stage.say('done');
    assert.equal(written(), 'NAME\ncart   Bound\ndone\n');
  });

  test('a terminal shows the newest table below all lines, until it is settled', () => {
    const { stage, written } = staged({ isTTY: true });
    stage.show(['NAME', 'cart', 'posts']);
    assert.equal(written(), 'NAME\ncart\nposts\n');
    stage.show(['NAME', 'cart']);
    assert.equal(written(), '\u001b[3A\u001b[JNAME\ncart\n');
    stage.show(['NAME', 'cart']);
    assert.equal(written(), '', 'an equal table is not drawn again');
    stage.say('bound');
    assert.equal(written(), '\u001b[2A\u001b[Jbound\nNAME\ncart\n');
    stage.settle();
    stage.say('done');
    assert.equal(written(), 'done\n');
  });

  const plain = (_: unknown, text: string) => text;
  test('the table has one line for each claim, with the class and the resource that the claim refers to', () => {
    const node = (given: Partial<GraphNode> & Pick<GraphNode, 'id' | 'sort'>): GraphNode => ({
      kind: 'FancySQLInstance',
      resource: 'r',
      name: given.id,
      health: 'ok',
      to: [],
      ...given,
    });
    const claim = { sort: 'claim', namespace: 'team' } as const;
    const nodes = [
      node({ ...claim, id: 'posts', phase: 'Bound', reason: 'Available', to: ['small', 'team-posts-x'] }),
      node({ ...claim, id: 'legacy', phase: 'Bound', reason: 'Available', to: ['team-posts-x'] }),
      node({ ...claim, id: 'cart', health: 'waits', reason: 'Creating', message: 'it takes long' }),
      node({ id: 'small', sort: 'class' }),
      node({ id: 'team-posts-x', sort: 'managed' }),
    ];
    const table = claimsTable(new Map(nodes.map((each) => [each.id, each])), { paint: plain });
    assert.deepEqual(table, [
      'NAMESPACE   KIND               NAME     STATUS   READY       CLASS   RESOURCE',
      'team        FancySQLInstance   cart              Creating',
      'team        FancySQLInstance   legacy   Bound    Available           team-posts-x',
      'team        FancySQLInstance   posts    Bound    Available   small   team-posts-x',
    ]);
  });

  test('the feed has batches, a greeting and signs of life; an act of a batch is one line', () => {
    const object = 'FancySQLInstance team/cart';
    const event = { at: '2026-01-01T00:00:00Z', type: 'Normal', id: 'i', object };
    const batch = { nodes: [], deleted: [], events: [{ ...event, reason: 'Bound', message: 'to x' }] };
    const text = `event: batch\ndata: ${JSON.stringify(batch)}`;
    const messages = [text, ': alive', 'retry: 2000\nevent: greeting\ndata: {}'];
    assert.deepEqual(messages.map(batchIn), [[batch], [], []]);
    const acts = batchIn(text).flatMap(({ events }) => events.map((one) => actLine(one, 1_250, plain)));
    assert.deepEqual(acts, ['   +1.3 s  FancySQLInstance team/cart  Bound  to x']);
  });
});
