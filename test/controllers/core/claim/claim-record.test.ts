import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  parametersText,
  provisionRecord,
  recordedParameters,
  recordKeys,
  selectorText,
} from '../../../../controllers/core/claim/claim-record.ts';
import { claim } from '../objects.ts';

/** A claim whose selector reads as `length` characters. */
const selecting = (length: number) =>
  claim({ classSelector: { matchLabels: { k: 'x'.repeat(length - 'k='.length) } } });
/** Parameters whose JSON has `length` characters. */
const asking = (length: number) => ({ note: 'x'.repeat(length - '{"note":""}'.length) });
const digest = /^sha256:[0-9a-f]{16}$/;

describe('what a claim asked for is recorded as text, and as a digest where that would be long', () => {
  const texts: Record<string, { readonly text: () => string; readonly want: RegExp | string }> = {
    'no selector': { text: () => selectorText(claim()), want: '' },
    'a selector for every class': {
      text: () => selectorText(claim({ classSelector: {} })),
      want: 'everything',
    },
    'a selector of 256 characters': { text: () => selectorText(selecting(256)), want: /^k=x{254}$/ },
    'one of 257': { text: () => selectorText(selecting(257)), want: digest },
    'parameters of 1024 characters': {
      text: () => parametersText(asking(1024)),
      want: /^\{"note":"x{1013}"\}$/,
    },
    'those of 1025': { text: () => parametersText(asking(1025)), want: digest },
    'the order of fields does not count, that of items does': {
      text: () => parametersText({ size: { min: 1, max: 2 }, engine: 'sql', zones: ['b', 'a'] }),
      want: '{"engine":"sql","size":{"max":2,"min":1},"zones":["b","a"]}',
    },
  };
  for (const [name, { text, want }] of Object.entries(texts)) {
    test(name, () => {
      if (typeof want === 'string') assert.equal(text(), want);
      else assert.match(text(), want);
    });
  }

  test('a resource bears the selector that its class was chosen by, and none if there was none', () => {
    const parameters = { [recordKeys.parameters]: '{"size":3}' };
    assert.deepEqual(provisionRecord(claim({ size: 3 } as object)), parameters);
    const selector = { classSelector: { matchLabels: { size: 'small' } } };
    assert.deepEqual(provisionRecord(claim({ ...selector, size: 3 } as object)), {
      [recordKeys.selector]: 'size=small',
      ...parameters,
    });
    const before = { annotations: { [recordKeys.selector]: 'size=large' } };
    assert.deepEqual(provisionRecord(claim({ ...selector, size: 3 } as object, before)), {
      [recordKeys.selector]: 'size=large',
      ...parameters,
    });
  });
});

test('a record is read if it holds parameters: no digest, and nothing that others wrote there', () => {
  assert.deepEqual(recordedParameters('{"size":3}'), { size: 3 });
  for (const record of ['sha256:0123456789abcdef', '[1]', 'null', '"text"', '']) {
    assert.equal(recordedParameters(record), undefined, record);
  }
});
