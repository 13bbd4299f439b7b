import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Environment } from '@marcbachmann/cel-js';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectOf, objectsOf } from './manifests.ts';

interface Policy extends KubernetesObject {
  readonly spec: {
    readonly matchConstraints: {
      readonly resourceRules: readonly {
        readonly apiGroups: readonly string[];
        readonly operations: readonly string[];
        readonly resources: readonly string[];
      }[];
    };
    readonly validations: readonly { readonly expression: string; readonly messageExpression: string }[];
  };
}

interface PolicyBinding extends KubernetesObject {
  readonly spec: { readonly policyName: string };
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly categories: readonly string[] };
  };
}

const manifests = objectsOf('deploy/optional');
const name = 'services-stack-deletion-protection';
const policy = objectOf<Policy>(manifests, 'ValidatingAdmissionPolicy', name);
const { matchConstraints, validations } = policy.spec;
const [{ expression, messageExpression } = assert.fail()] = validations;

const cel = new Environment().registerVariable('oldObject', 'dyn');
const claim = (spec?: object) => ({
  oldObject: {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'PostgreSQLInstance',
    metadata: { namespace: 'team-shop', name: 'cart-db' },
    ...(spec && { spec }),
  },
});

describe('deploy/optional/deletion-protection.yaml', () => {
  const answers = {
    'refuses the deletion of a claim with deletionProtection: true': [{ deletionProtection: true }, false],
    'allows the deletion of a claim with deletionProtection: false': [{ deletionProtection: false }, true],
    'allows the deletion of a claim without the field': [{}, true],
    'allows the deletion of an object without a spec': [undefined, true],
  } as const;
  for (const [rule, [spec, isAllowed]] of Object.entries(answers))
    test(rule, () => assert.equal(cel.evaluate(expression, claim(spec)), isAllowed));

  test('names the claim, the field and the way on', () =>
    assert.equal(
      cel.evaluate(messageExpression, claim({ deletionProtection: true })),
      'spec.deletionProtection of PostgreSQLInstance cart-db is true: set it to false before you delete the claim',
    ));

  test('is about the deletion of each kind of claim in crds/', () => {
    const definitions = objectsOf('crds') as readonly Definition[];
    const claims = definitions
      .filter(({ spec: { names } }) => names.categories.includes('claims'))
      .map(({ spec: { group, names } }) => `${names.plural}.${group}`);
    const refused = matchConstraints.resourceRules.flatMap(({ apiGroups, resources, operations }) => {
      assert.deepEqual(operations, ['DELETE']);
      return apiGroups.flatMap((group) => resources.map((resource) => `${resource}.${group}`));
    });
    assert.deepEqual(refused.toSorted(), claims.toSorted());
  });

  test('has a binding that applies it', () => {
    const { spec } = objectOf<PolicyBinding>(manifests, 'ValidatingAdmissionPolicyBinding', name);
    assert.equal(spec.policyName, name);
  });
});
