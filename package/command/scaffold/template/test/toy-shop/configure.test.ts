import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnyGadget } from '../../src/toy-shop/any-gadget.ts';
import { configureTinyGadget, incompatibilityOfTinyGadget } from '../../src/toy-shop/configure.ts';
import type { TinyGadgetClass } from '../../src/toy-shop/tiny-gadget.ts';

type ForProvider = TinyGadgetClass['specTemplate']['forProvider'];

const claimOf = (spec: AnyGadget['spec']): AnyGadget => ({
  apiVersion: 'claims.example.org/v1beta1',
  kind: 'AnyGadget',
  metadata: { namespace: 'team-a', name: 'orders' },
  spec,
});
const classOf = (forProvider: ForProvider): TinyGadgetClass => ({
  apiVersion: 'toys.example.org/v1alpha1',
  kind: 'TinyGadgetClass',
  metadata: { name: 'small' },
  specTemplate: { writeConnectionSecretsToNamespace: 'default', forProvider },
});

describe('the tiny gadget of a claim', () => {
  const rows: Readonly<
    Record<string, { claim: AnyGadget['spec']; class: ForProvider; want: ForProvider | string }>
  > = {
    'has all fields of the class': {
      claim: {},
      class: { size: 3, version: '5.7' },
      want: { size: 3, version: '5.7' },
    },
    'has the version of the claim if the class has none': {
      claim: { engineVersion: '8.0' },
      class: { size: 3 },
      want: { size: 3, version: '8.0' },
    },
    'has the version that both have': {
      claim: { engineVersion: '5.7' },
      class: { size: 3, version: '5.7' },
      want: { size: 3, version: '5.7' },
    },
    'has no version if neither has one': { claim: {}, class: { size: 3 }, want: { size: 3 } },
    'does not exist if the versions of claim and class differ': {
      claim: { engineVersion: '8.0' },
      class: { size: 3, version: '5.7' },
      want: 'has version "5.7", but the claim\'s spec.engineVersion is "8.0"',
    },
  };
  for (const [name, { claim, class: forProvider, want }] of Object.entries(rows)) {
    test(name, () => {
      const whyIncompatible = incompatibilityOfTinyGadget(claimOf(claim), forProvider);
      const configured = configureTinyGadget(claimOf(claim), classOf(forProvider));
      assert.deepEqual(whyIncompatible ?? configured.forProvider, want);
    });
  }
});
