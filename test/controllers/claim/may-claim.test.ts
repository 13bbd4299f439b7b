import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelsOf } from '../../../apis/core/v1alpha1/namespace.ts';
import type { LabelSelector } from '../../../apis/core/v1alpha1/selector.ts';
import { wellFormed } from '../../../apis/core/v1alpha1/well-formed.ts';
import type { ClaimNamespace } from '../../../controllers/claim/may-claim.ts';
import { restrictsNamespaces, whyNotFor } from '../../../controllers/claim/may-claim.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { managed, resourceClass } from '../objects.ts';

const team: ClaimNamespace = {
  name: 'team',
  labels: { stage: 'test', 'kubernetes.io/metadata.name': 'team' },
};
const unread: ClaimNamespace = { name: 'team', problem: 'namespaces "team" is forbidden' };
const not = 'may not be claimed from namespace team: spec.namespaceSelector does not select it';
const only = 'may be claimed from namespaces that spec.namespaceSelector selects';

describe('the namespaces that may claim a resource', () => {
  function is(
    namespaceSelector: LabelSelector | undefined,
    namespace: ClaimNamespace | undefined,
    why?: string,
  ): void {
    const offered = managed(namespaceSelector === undefined ? {} : { namespaceSelector });
    assert.equal(whyNotFor(namespace, offered), why);
    assert.equal(restrictsNamespaces(offered), namespaceSelector !== undefined);
  }
  test('without a selector every namespace may claim, also an unknown one', () => is(undefined, undefined));
  test('an empty selector allows every namespace', () => is({}, team));
  test('a namespace with the labels may claim', () => is({ matchLabels: { stage: 'test' } }, team));
  test('a selector can name a namespace by its name label', () =>
    is({ matchLabels: { 'kubernetes.io/metadata.name': 'team' } }, team));
  test('a namespace with other labels may not claim', () =>
    is({ matchLabels: { stage: 'live' } }, team, not));
  test('expressions count', () =>
    is({ matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['test'] }] }, team, not));
  test('a malformed selector allows no namespace', () =>
    is(
      { matchExpressions: [{ key: 'stage', operator: 'NotIn' }] },
      team,
      'cannot be claimed: spec.namespaceSelector.matchExpressions[0].values: must be given for operator NotIn',
    ));
  test('a namespace that was not read may not claim', () =>
    is({ matchLabels: { stage: 'test' } }, undefined, only));
  test('a namespace that was not read may not claim by an empty selector', () => is({}, undefined, only));
  test('a namespace that cannot be read may not claim, and the message says why', () =>
    is(
      {},
      unread,
      `${only}, and the labels of namespace team are not known: namespaces "team" is forbidden`,
    ));
});

test("are those of the selector in the class's template", () => {
  const offered = resourceClass(
    'small',
    {},
    { specTemplate: { namespaceSelector: { matchLabels: { a: 'b' } } } },
  );
  assert.equal(
    whyNotFor(team, offered),
    'may not be claimed from namespace team: specTemplate.namespaceSelector does not select it',
  );
});

test('a malformed part of a selector counts, because it may exclude a namespace', () => {
  const named = { metadata: { name: 'small' } } as const;
  const aClass = wellFormed(FavouriteDBInstanceClassKind, {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstanceClass',
    ...named,
    specTemplate: { namespaceSelector: 'team-a', forProvider: {} },
  } as never);
  assert.match(whyNotFor(team, aClass) ?? '', /^cannot be claimed: specTemplate\.namespaceSelector/);
  const aResource = wellFormed(FavouriteDBInstanceKind, {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    ...named,
    spec: { namespaceSelector: { matchLabels: ['team-a'] }, forProvider: {} },
  } as never);
  assert.match(whyNotFor(team, aResource) ?? '', /^cannot be claimed: spec\.namespaceSelector/);
});

test('the name label of a namespace is its name, whatever value a user wrote', () => {
  const labels = { stage: 'test', 'kubernetes.io/metadata.name': 'rivals' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } };
  assert.deepEqual(labelsOf(namespace), { stage: 'test', 'kubernetes.io/metadata.name': 'team' });
});
