import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelledFor, labelValue } from '../../../../apis/core/v1alpha1/connection-labels.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';

describe('the value of a label', () => {
  const long = 'a'.repeat(64);
  const cases: Readonly<Record<string, readonly [name: string, value: RegExp]>> = {
    'is the name': ['team-shop.cart_1', /^team-shop\.cart_1$/],
    'is the name, of 63 characters': ['a'.repeat(63), /^a{63}$/],
    'is the beginning of a longer one, with a digest': [long, /^a{46}-[0-9a-f]{16}$/],
    'has no more than a label may hold': [' é"team cart"/', /^teamcart-[0-9a-f]{16}$/],
    'is a digest of what has nothing that a label may hold': ['…', /^[0-9a-f]{16}$/],
    'begins with a letter or a digit': [`--${long}`, /^a{46}-[0-9a-f]{16}$/],
  };
  for (const [what, [name, value]] of Object.entries(cases)) {
    test(what, () => assert.match(labelValue(name), value));
  }
  test('is another one for another long name', () => {
    assert.notEqual(labelValue(`${long}b`), labelValue(`${long}c`));
  });
});

describe('labels of a connection secret', () => {
  const managed = (claimRef?: object): Managed =>
    ({
      apiVersion: 'example.org/v1',
      kind: 'Box',
      metadata: { name: 'team-cart-x' },
      spec: { ...(claimRef && { claimRef }) },
    }) as Managed;
  const claimRef = { kind: 'BoxClaim', namespace: 'team', name: 'cart' };
  const resourceLabels = {
    'crossplane.io/resource-kind': 'Box',
    'crossplane.io/resource-name': 'team-cart-x',
  };
  const claimLabels = {
    'crossplane.io/claim-kind': 'BoxClaim',
    'crossplane.io/claim-namespace': 'team',
    'crossplane.io/claim-name': 'cart',
  };
  const cases: Readonly<Record<string, readonly [labels: object | undefined, Managed, expected: object]>> = {
    'name the owner': [undefined, managed(claimRef), { ...resourceLabels, ...claimLabels }],
    'say nothing of a claim that there is none of any more': [
      { ...resourceLabels, ...claimLabels },
      managed(),
      resourceLabels,
    ],
    'leave others as they are': [{ tier: 'gold' }, managed(), { tier: 'gold', ...resourceLabels }],
    'leave out what a reference does not say': [
      undefined,
      managed({ name: 'cart', namespace: '' }),
      { ...resourceLabels, 'crossplane.io/claim-name': 'cart' },
    ],
  };
  for (const [what, [labels, resource, expected]] of Object.entries(cases)) {
    test(what, () =>
      assert.deepEqual(labelledFor(labels as Record<string, string> | undefined, resource), expected),
    );
  }
});
