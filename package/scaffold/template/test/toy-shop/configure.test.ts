import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnyGadget } from '../../src/toy-shop/any-gadget.ts';
import { configureTinyGadget } from '../../src/toy-shop/configure.ts';
import type { TinyGadgetClass } from '../../src/toy-shop/tiny-gadget.ts';

type ForProvider = TinyGadgetClass['specTemplate']['forProvider'];

const configured = (spec: AnyGadget['spec'], forProvider: ForProvider) =>
  configureTinyGadget(
    {
      apiVersion: 'toys.example.org/v1alpha1',
      kind: 'AnyGadget',
      metadata: { namespace: 'team-a', name: 'orders' },
      spec,
    },
    {
      apiVersion: 'toys.example.org/v1alpha1',
      kind: 'TinyGadgetClass',
      metadata: { name: 'small' },
      specTemplate: { writeConnectionSecretsToNamespace: 'default', forProvider },
    },
  ).forProvider;

describe('what a claim gets from a class', () => {
  const rows: Readonly<
    Record<string, { claim: AnyGadget['spec']; class: ForProvider; want: ForProvider | RegExp }>
  > = {
    'all that the class says': {
      claim: {},
      class: { size: 3, version: '5.7' },
      want: { size: 3, version: '5.7' },
    },
    'the version that the claim asks for, where the class leaves it open': {
      claim: { version: '8.0' },
      class: { size: 3 },
      want: { size: 3, version: '8.0' },
    },
    'a version that both ask for': {
      claim: { version: '5.7' },
      class: { size: 3, version: '5.7' },
      want: { size: 3, version: '5.7' },
    },
    'no version, if nobody says': { claim: {}, class: { size: 3 }, want: { size: 3 } },
    'a message, if they ask for different ones': {
      claim: { version: '8.0' },
      class: { size: 3, version: '5.7' },
      want: /^TinyGadgetClass small has version "5.7", but the claim's spec.version is "8.0"$/,
    },
  };
  for (const [name, { claim, class: forProvider, want }] of Object.entries(rows)) {
    test(name, () => {
      if (want instanceof RegExp) assert.throws(() => configured(claim, forProvider), { message: want });
      else assert.deepEqual(configured(claim, forProvider), want);
    });
  }
});
