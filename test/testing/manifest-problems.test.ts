import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AnyGadgetKind } from '../../package/command/scaffold/template/src/toy-shop/any-gadget.ts';
import { TinyGadgetKind } from '../../package/command/scaffold/template/src/toy-shop/tiny-gadget.ts';
import { manifestProblems } from '../../testing/manifest-problems.ts';

const gadget = (spec: object, metadata: object = { name: 'a' }, kind = 'TinyGadget') =>
  JSON.stringify({ apiVersion: 'toys.example.org/v1alpha1', kind, metadata, spec });

const claim = JSON.stringify({
  apiVersion: 'claims.example.org/v1beta1',
  kind: 'AnyGadget',
  metadata: { name: 'a', namespace: 'b' },
  spec: {},
});

describe('problems of manifests', () => {
  const rows: Readonly<Record<string, { readonly yaml: string; readonly want: readonly string[] }>> = {
    'nothing, if they fit': { yaml: gadget({ forProvider: { size: 3 } }), want: [] },
    "nothing of kinds that are Kubernetes' own": {
      yaml: 'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: b}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {}\n',
      want: [],
    },
    'a value of the wrong type': {
      yaml: gadget({ forProvider: { size: 'big' } }),
      want: ['TinyGadget a: spec.forProvider.size: invalid input: expected number, received string'],
    },
    'a field that the kind does not have': {
      yaml: gadget({ forProvider: { size: 3, colour: 'red' }, classReff: {} }),
      want: [
        'TinyGadget a: spec.forProvider.colour: the definition has no such field',
        'TinyGadget a: spec.classReff: the definition has no such field',
      ],
    },
    'a kind without a definition': {
      yaml: gadget({}, { name: 'a' }, 'HugeGadget'),
      want: ['HugeGadget a: no stack defines the kind HugeGadget in toys.example.org/v1alpha1'],
    },
    'a namespace of what has none': {
      yaml: gadget({ forProvider: { size: 3 } }, { name: 'a', namespace: 'b' }),
      want: ['TinyGadget a: TinyGadget is cluster-scoped: remove metadata.namespace'],
    },
    'an object without a name, after one that is fine': {
      yaml: `${claim}\n---\nkind: AnyGadget\n`,
      want: ['object 2 lacks an apiVersion, a kind or a metadata.name'],
    },
    'no YAML': {
      yaml: 'a: "b',
      want: ['Missing closing "quote at line 1, column 6:'],
    },
    'no object': { yaml: '', want: ['the file has no object'] },
  };
  for (const [name, { yaml, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(manifestProblems([AnyGadgetKind, TinyGadgetKind], yaml), want));
  }
});
