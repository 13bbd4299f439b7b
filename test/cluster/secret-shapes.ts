import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SecretShape } from '../../apis/core/v1alpha1/claim-secret.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { PostgreSQLDatabaseClassKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { objectOf } from '../fakes/object-of.ts';
import { adminClient } from './stack-harness.ts';

const manyOf = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`E${index}`, text]));

const admitted: Readonly<Record<string, SecretShape>> = {
  'labels, annotations and a template': {
    labels: { team: 'shop', 'example.org/cost-centre': '4711', 'my-crossplane.io/a': '' },
    annotations: { 'example.org/reload': 'true', note: 'any text\n' },
    template: { URL: '{{uri}}', '.env': 'A={{ password | shell }}\n{{{{ a }}', _: '{"a": {' },
  },
  only: { template: { type: '{{ type }}', URL: '{{ uri | jdbc }}' }, only: true },
  'a key as long as one can be': { template: { ['a'.repeat(253)]: 'x' } },
  'names of properties of all objects': JSON.parse(
    '{"labels": {"constructor": "x"}, "template": {"__proto__": "x", "toString": "{{ __proto__ }}"}}',
  ),
  '40 templates of 4 KiB': { template: manyOf(40, '{{ host }} '.repeat(372)) },
};

const braces = /"{{" must begin {{ key }} or {{ key \| filter }}/;
const refused: Readonly<Record<string, readonly [SecretShape, RegExp]>> = {
  'a label of the controllers': [
    { labels: { 'crossplane.io/claim-name': 'x' } },
    /key crossplane\.io\/claim-name belongs to/,
  ],
  'an annotation of a subdomain of Kubernetes': [
    { annotations: { 'app.kubernetes.io/name': 'x' } },
    /kubernetes\.io/,
  ],
  'a consent to copy the Secret': [
    { annotations: { 'to.propagate.crossplane.io/x': 'rival/conn' } },
    /crossplane\.io/,
  ],
  'a key that no label can have': [{ labels: { 'a b': 'x' } }, /the key a b is not one/],
  'a value that no label can have': [{ labels: { a: 'b c' } }, /labels/],
  '21 labels': [{ labels: manyOf(21, 'x') }, /must have at most 20 items/],
  'a key that no entry can have': [
    { template: { '../a': 'x', ok: 'y' } },
    /the key \.\.\/a does not consist of at most 253 letters, digits, "-", "_" and "\."; use another key/,
  ],
  'a key that is longer than one can be': [
    { template: { ['a'.repeat(254)]: 'x' } },
    /the key a{254} does not consist of at most 253 letters/,
  ],
  'braces without an end': [{ template: { A: '{{ host' } }, braces],
  'nested braces': [{ template: { A: '{{ {{ host }} }}' } }, braces],
  'a filter without an end': [{ template: { A: '{{ host | uri' } }, braces],
  'an unknown filter': [{ template: { A: '{{ host | exec }}' } }, braces],
  'two filters': [{ template: { A: '{{ host | uri | json }}' } }, braces],
  'an entry of Service Binding beside the details': [
    { template: { provider: 'x' } },
    /type and provider are entries of Service Binding/,
  ],
  'only without a template': [{ only: true }, /needs a template/],
  '41 templates': [{ template: manyOf(41, 'x') }, /must have at most 40 items/],
  'a template of more than 4 KiB': [{ template: { A: 'a'.repeat(4_097) } }, /Too long/],
  '200 KB of templates': [{ template: manyOf(50, 'a'.repeat(4_096)) }, /at most 40 items/],
};

/** The API server has our definitions, and no process runs. */
export function testSecretShapes(controlPlane: () => ControlPlane): void {
  const objects: readonly (readonly [sort: string, Kind, (shape: SecretShape) => KubernetesObject])[] = [
    [
      'claim',
      PostgreSQLInstanceKind,
      (shape) => {
        const spec = { writeConnectionSecretToRef: { name: 'shaped', ...shape } };
        return objectOf(PostgreSQLInstanceKind, { namespace: 'default', name: 'shaped' }, { spec });
      },
    ],
    [
      'class',
      PostgreSQLDatabaseClassKind,
      (claimSecret) => {
        const specTemplate = { writeConnectionSecretsToNamespace: 'default', claimSecret, forProvider: {} };
        return objectOf(PostgreSQLDatabaseClassKind, { name: 'shaped' }, { specTemplate });
      },
    ],
  ];
  let client: ReturnType<typeof adminClient>;
  before(() => {
    client = adminClient(controlPlane());
  });
  after(() => client?.close());

  for (const [sort, kind, objectWith] of objects) {
    describe(`the API server admits in a ${sort}`, () => {
      for (const [what, shape] of Object.entries(admitted)) {
        test(what, async () => {
          const { metadata } = await client.create(kind, objectWith(shape));
          await client.delete(kind, metadata, {});
        });
      }
    });

    describe(`the API server refuses in a ${sort}`, () => {
      for (const [what, [shape, message]] of Object.entries(refused)) {
        test(what, () => assert.rejects(client.create(kind, objectWith(shape)), message));
      }
    });
  }
}
