import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelsOf } from '../../../../apis/core/v1alpha1/namespace.ts';
import type { LabelSelector } from '../../../../apis/core/v1alpha1/selector.ts';
import { wellFormed } from '../../../../apis/core/v1alpha1/well-formed.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import type { ClaimNamespace } from '../../../../controllers/core/claim/may-claim.ts';
import { restrictsNamespaces, whyNotFor } from '../../../../controllers/core/claim/may-claim.ts';
import { managed, resourceClass } from '../objects.ts';

const team: ClaimNamespace = {
  name: 'team',
  labels: { stage: 'test', 'kubernetes.io/metadata.name': 'team' },
};
const unread: ClaimNamespace = { name: 'team', problem: 'namespaces "team" is forbidden' };
const not = 'may not be claimed from namespace team: spec.namespaceSelector does not select it';
const only = 'may be claimed from namespaces that spec.namespaceSelector selects';

const cases: Record<string, readonly [LabelSelector | undefined, ClaimNamespace | undefined, string?]> = {
  'without a selector all may, known or not': [undefined, undefined],
  'an empty selector means all': [{}, team],
  'a namespace with the labels may': [{ matchLabels: { stage: 'test' } }, team],
  'a namespace is named by its name': [{ matchLabels: { 'kubernetes.io/metadata.name': 'team' } }, team],
  'a namespace with other labels may not': [{ matchLabels: { stage: 'live' } }, team, not],
  'expressions count': [
    { matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['test'] }] },
    team,
    not,
  ],
  'a malformed selector lets nobody in': [
    { matchExpressions: [{ key: 'stage', operator: 'NotIn' }] },
    team,
    'cannot be claimed: spec.namespaceSelector.matchExpressions[0].values: must be given for operator NotIn',
  ],
  'a namespace that nobody asked for may not': [{ matchLabels: { stage: 'test' } }, undefined, only],
  'nor even by an empty selector': [{}, undefined, only],
  'nor one that cannot be read, and it is said why': [
    {},
    unread,
    `${only}, and the labels of namespace team are not known: namespaces "team" is forbidden`,
  ],
};

describe('which namespaces may claim a resource', () => {
  for (const [name, [namespaceSelector, namespace, want]] of Object.entries(cases)) {
    test(name, () => {
      const offered = managed(namespaceSelector === undefined ? {} : { namespaceSelector });
      assert.equal(whyNotFor(namespace, offered), want);
      assert.equal(restrictsNamespaces(offered), namespaceSelector !== undefined);
    });
  }
});

test('of a class its template says it', () => {
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

test('what is left out because it is malformed may have been meant to keep somebody out', () => {
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

test('the label of the name is the name, whoever wrote another there before servers saw to it', () => {
  const labels = { stage: 'test', 'kubernetes.io/metadata.name': 'rivals' };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels } };
  assert.deepEqual(labelsOf(namespace), { stage: 'test', 'kubernetes.io/metadata.name': 'team' });
});
