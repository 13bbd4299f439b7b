import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LabelSelector, LabelSelectorRequirement } from '../../../../apis/core/v1alpha1/selector.ts';
import { describeSelector, labelSelector } from '../../../../apis/core/v1alpha1/selector.ts';

type Labels = Readonly<Record<string, string>> | undefined;
const expression = (operator: LabelSelectorRequirement['operator'], ...values: readonly string[]) => ({
  matchExpressions: [{ key: 'k', operator, ...(values.length === 0 ? {} : { values }) }],
});

describe('label selectors match', () => {
  // selector: no labels, k=a, k=b, k empty, another key
  const objects: readonly Labels[] = [undefined, { k: 'a' }, { k: 'b' }, { k: '' }, { other: 'a' }];
  const rows: Record<string, readonly [LabelSelector, string]> = {
    'an empty one everything': [{}, '+++++'],
    'empty parts everything': [{ matchLabels: {}, matchExpressions: [] }, '+++++'],
    matchLabels: [{ matchLabels: { k: 'a' } }, '-+---'],
    'matchLabels with an empty value': [{ matchLabels: { k: '' } }, '---+-'],
    In: [expression('In', 'a', 'b'), '-++--'],
    'NotIn, also without the key': [expression('NotIn', 'a'), '+-+++'],
    Exists: [expression('Exists'), '-+++-'],
    DoesNotExist: [expression('DoesNotExist'), '+---+'],
    'no key that every object of JavaScript has': [
      { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
      '-----',
    ],
    'the lack of such a key': [
      { matchExpressions: [{ key: 'toString', operator: 'DoesNotExist' }] },
      '+++++',
    ],
    'both parts': [{ matchLabels: { k: 'a' }, ...expression('NotIn', 'a') }, '-----'],
  };
  for (const [name, [selector, want]] of Object.entries(rows)) {
    test(name, () => {
      const selects = labelSelector(selector);
      assert.ok(typeof selects === 'function');
      assert.equal(objects.map((labels) => (selects(labels) ? '+' : '-')).join(''), want);
    });
  }
});

describe('malformed selectors name the field', () => {
  const rows: Record<string, readonly [LabelSelector, RegExp]> = {
    'In without values': [expression('In'), /^matchExpressions\[0\]\.values: must be given for operator In$/],
    'NotIn without values': [expression('NotIn'), /^matchExpressions\[0\]\.values: must be given/],
    'Exists with values': [expression('Exists', 'a'), /^matchExpressions\[0\]\.values: must not be given/],
    'DoesNotExist with values': [expression('DoesNotExist', 'a'), /values: must not be given/],
    'an unknown operator': [
      { matchExpressions: [{ key: 'k', operator: 'Gt' as 'In', values: ['1'] }] },
      /^matchExpressions\[0\]\.operator: "Gt" is not one of In, NotIn, Exists, DoesNotExist$/,
    ],
  };
  for (const [name, [selector, want]] of Object.entries(rows)) {
    test(name, () => assert.match(String(labelSelector(selector)), want));
  }
});

test('a selector is described as kubectl writes it, in one order', () => {
  const selector: LabelSelector = {
    matchLabels: { z: '1', a: '2' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['x', 'y'] },
      { key: 'old', operator: 'DoesNotExist' },
      { key: 'here', operator: 'Exists' },
      { key: 'zone', operator: 'NotIn', values: ['q'] },
    ],
  };
  assert.equal(describeSelector(selector), '!old,a=2,here,tier in (x,y),z=1,zone notin (q)');
  assert.equal(describeSelector({}), 'everything');
});
