import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { everything, State } from '../../dashboard/page/state.ts';
import type { GraphNode, Health, NodeSort } from '../../dashboard/page/wire.ts';

const node = (id: string, sort: NodeSort, given: Partial<GraphNode> = {}): GraphNode => ({
  id,
  sort,
  kind: sort,
  resource: sort,
  name: id,
  health: 'ok',
  to: [],
  ...given,
});

function stateOf(...nodes: readonly GraphNode[]): State {
  const state = new State();
  state.apply({ nodes, deleted: [] });
  return state;
}

const unbound = { phase: 'Unbound' } as const;
const chain = [
  node('orders', 'claim', { namespace: 'shop', phase: 'Bound', to: ['small', 'db-1'] }),
  node('cart', 'claim', { ...unbound, namespace: 'shop', health: 'waits', to: ['small', 'db-2'] }),
  node('posts', 'claim', { ...unbound, namespace: 'blog', health: 'broken', reason: 'NoMatchingClass' }),
  node('small', 'class', { to: ['cloud'] }),
  node('db-1', 'managed', { to: ['cloud'] }),
  node('db-2', 'managed', { health: 'broken', message: 'no quota', to: ['cloud'] }),
  node('cloud', 'provider'),
];
const names = (nodes: readonly GraphNode[]): readonly string[] => nodes.map(({ id }) => id);

test('a kept resource shows its date', () => {
  const released = node('db', 'managed', { phase: 'Released', deleteAt: '2026-12-05T09:00:00Z' });
  assert.equal(stateOf(released).saysOf(released), 'Released until 2026-12-05T09:00:00Z');
});

describe('the state of the page', () => {
  const cases: readonly (readonly [filter: object, found: readonly string[]])[] = [
    [{}, ['posts', 'cart', 'orders']],
    [{ namespace: 'shop' }, ['cart', 'orders']],
    [{ phase: 'Bound' }, ['orders']],
    [{ health: 'broken' }, ['posts', 'cart']],
    [{ text: 'nomatching blog' }, ['posts']],
    [{ text: 'nothing of it' }, []],
    [{ sort: 'managed' }, ['db-2', 'db-1']],
    [{ sort: 'managed', text: 'QUOTA' }, ['db-2']],
  ];
  for (const [filter, found] of cases) {
    test(`${JSON.stringify(filter)} lets ${found.join(', ') || 'nothing'} through, trouble first`, () =>
      assert.deepEqual(names(stateOf(...chain).filtered({ ...everything, ...filter })), found));
  }

  test('each health is counted, whichever is chosen', () =>
    assert.deepEqual(stateOf(...chain).counts({ ...everything, health: 'ok' }), {
      broken: 2,
      troubled: 0,
      waits: 0,
      going: 0,
      ok: 1,
    }));

  const fares: readonly (readonly [claim: Health, resource: Health, together: Health])[] = [
    ['ok', 'ok', 'ok'],
    ['ok', 'broken', 'troubled'],
    ['ok', 'troubled', 'troubled'],
    ['waits', 'broken', 'broken'],
    ['waits', 'ok', 'waits'],
    ['broken', 'ok', 'broken'],
  ];
  for (const [claim, resource, together] of fares) {
    test(`a claim that is ${claim} with a resource that is ${resource} is shown as ${together}`, () => {
      const own = node('c', 'claim', { health: claim, to: ['r'] });
      assert.equal(stateOf(own, node('r', 'managed', { health: resource })).healthOf(own), together);
    });
  }

  test('the graph around a claim has all objects that the claim leads to, and no other', () => {
    const state = stateOf(...chain);
    assert.deepEqual(names(state.around([chain[0]!], 90)).toSorted(), ['cloud', 'db-1', 'orders', 'small']);
  });

  test('around a resource are its claim, what that has, and its provider', () => {
    const state = stateOf(...chain);
    assert.deepEqual(names(state.around([chain[4]!], 90)).toSorted(), ['cloud', 'db-1', 'orders']);
  });

  test('the graph around a provider has its resources and their claims, as far as there is room', () => {
    const state = stateOf(...chain);
    const around = names(state.around([chain[6]!], 90)).toSorted();
    assert.deepEqual(around, ['cart', 'cloud', 'db-1', 'db-2', 'orders', 'small']);
    assert.equal(state.around([chain[6]!], 3).length, 3);
  });

  test('a deleted object is removed with its links', () => {
    const state = stateOf(...chain);
    state.apply({ nodes: [], deleted: ['orders'] });
    assert.deepEqual(names(state.around([chain[4]!], 90)).toSorted(), ['cloud', 'db-1']);
    assert.deepEqual(state.values('claim', 'namespace'), ['blog', 'shop']);
  });

  test('a filter of 10,000 claims takes well under a second', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => {
      const health = index % 9 === 0 ? 'broken' : 'ok';
      return node(`claim-${index}`, 'claim', { namespace: `team-${index % 50}`, health });
    });
    const found = stateOf(...many).filtered({ ...everything, namespace: 'team-9' });
    assert.equal(found.length, 200);
  });
});
