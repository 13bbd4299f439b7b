import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { AmbivalentDBInstanceKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import type { Draft } from './draft.ts';
import { managedByHand, mayGo, nameOf } from './exemplars.ts';

const claimable = [FavouriteDBInstanceKind, AmbivalentDBInstanceKind, PostgreSQLDatabaseKind];

const policies: readonly object[] = [
  {},
  {},
  { deletionPolicy: 'Orphan' },
  { deletionPolicy: 'Delete' },
  { reclaimPolicy: 'Retain' },
  { reclaimPolicy: 'Delete' },
  { managementPolicies: ['Observe'] },
  { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] },
  { managementPolicies: ['Observe', 'Create', 'Delete'] },
  { managementPolicies: ['Observe', 'Delete'] },
  { managementPolicies: [] },
];

/**
 * The resources that an administrator creates for claims to name: they change, are paused, are deleted and
 * come back.
 */
export function staticResources(draft: Draft): void {
  const kind = draft.pick(claimable, 'kind');
  const object = managedByHand(kind, 0, draft.pick(policies, 'policies'));
  const of = nameOf(object);
  const born = draft.between(0, 0.6, 'born');
  draft.at(born, { type: 'create', object });
  const edits: readonly object[] = [
    { metadata: { annotations: { [annotationKeys.paused]: 'true' } } },
    { metadata: { annotations: { [annotationKeys.paused]: null } } },
    { metadata: { annotations: { [annotationKeys.externalName]: 'renamed' } } },
    { spec: { claimRef: null } },
    { metadata: { labels: { tier: 'two' } } },
    { spec: draft.pick(policies, 'other policies') },
    { spec: { writeConnectionSecretToRef: null } },
    { spec: { providerConfigRef: { name: 'second' } } },
  ];
  for (const index of [0, 1]) {
    if (draft.has(0.4, 'edited', index)) {
      draft.edit(draft.between(born, 1, 'edit', index), of, draft.pick(edits, 'what', index));
    }
  }
  mayGo(draft, object, { born, share: 0.4 });
}

/** A network and who is in it, in any order of coming and going. */
export function networks(draft: Draft): void {
  const network = managedByHand(NetworkKind);
  const to = draft.pick<object>(
    [
      { networkIdRef: { name: network.metadata.name } },
      { networkIdSelector: { matchLabels: { tier: 'one' } } },
      { networkIdRef: { name: network.metadata.name, policy: { resolution: 'Optional' } } },
      { networkIdRef: { name: network.metadata.name, policy: { resolve: 'Always' } } },
    ],
    'how',
  );
  const member = managedByHand(FavouriteDBInstanceKind, 1, { forProvider: { fancinessLevel: 5, ...to } });
  for (const [index, object] of [network, member].entries()) {
    const born = draft.between(0, 0.7, 'born', index);
    draft.at(born, { type: 'create', object });
    mayGo(draft.by(index), object, { born, share: 0.4 });
  }
}

/** Roles, databases and grants that refer to each other, in any order of coming and going. */
export function grants(draft: Draft): void {
  const group = managedByHand(PostgreSQLRoleKind, 1, { forProvider: { login: false } });
  const grant = draft.has(0.5, 'membership')
    ? managedByHand(PostgreSQLGrantKind, 0, {
        forProvider: { roleRef: { name: 'role-0' }, memberOfRef: { name: 'role-1' } },
      })
    : managedByHand(PostgreSQLGrantKind);
  const database = managedByHand(PostgreSQLDatabaseKind, 0, {
    forProvider: draft.has(0.5, 'owned') ? { ownerRef: { name: 'role-0' } } : {},
  });
  const all = [managedByHand(PostgreSQLRoleKind), group, database, grant];
  for (const [index, object] of all.entries()) {
    if (draft.has(0.2, 'missing', index)) continue;
    const born = draft.between(0, 0.6, 'born', index);
    draft.at(born, { type: 'create', object });
    mayGo(draft.by(index), object, { born, share: 0.35 });
  }
  for (const [index, object] of [all[0], all[2]].entries()) {
    if (object !== undefined && draft.has(0.3, 'rotated', index)) {
      const patch = { spec: { forProvider: { passwordRotation: 'today' } } };
      draft.edit(draft.between(0.3, 1, 'rotation', index), nameOf(object), patch);
    }
  }
}
