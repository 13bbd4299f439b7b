import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FancySQLInstanceKind } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../../apis/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseKind } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { claimOf, managedByHand, nameOf, secretOf } from './exemplars.ts';
import { adminNamespace, inventory, objectOf, secret, teams } from './inventory.ts';
import { slips } from './slips.ts';

/** Not later than so much after something else: a moment in which that is still under way. */
const soon = 0.06;

/** Events within a moment of another event. */
const after = (draft: Draft, moment: number, ...name: readonly (string | number)[]): number =>
  draft.between(moment, Math.min(1, moment + (draft.has(0.6, ...name, 'is soon') ? soon : 0.6)), ...name);

function comes(draft: Draft, object: KubernetesObject, latest = 0.2): number {
  const born = draft.between(0, latest, 'born', object.metadata.name);
  draft.at(born, { type: 'create', object });
  return born;
}

const goes = (draft: Draft, of: ObjectName, born: number): number => {
  const gone = after(draft, born, 'gone', of.name);
  draft.at(gone, { type: 'delete', of });
  return gone;
};

const instanceKinds = [FavouriteDBInstanceKind, AmbivalentDBInstanceKind] as const;

/**
 * The recorded values of a resource are edited, or removed, during its creation or later; then it is
 * deleted.
 */
function identity(draft: Draft): void {
  const object = managedByHand(FavouriteDBInstanceKind, 0, {
    forProvider: { fancinessLevel: 5, ...(draft.has(0.5, 'version') && { version: '5.7' }) },
  });
  const born = comes(draft, object);
  const patch = draft.pick<object>(
    [
      { metadata: { annotations: { [annotationKeys.externalName]: 'renamed' } } },
      { spec: { forProvider: { version: '8.0' } } },
      { spec: { forProvider: { version: null } } },
    ],
    'edit',
  );
  const edited = after(draft, born, 'edited');
  draft.at(edited, { type: 'edit', of: nameOf(object), patch });
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(object), edited);
}

/**
 * A network is created, perhaps by a process that crashes at that time; an administrator checks the
 * creation.
 */
function network(draft: Draft): void {
  const object = managedByHand(NetworkKind);
  const born = comes(draft, object);
  for (const moment of [0.6, 0.8]) draft.at(moment, { type: 'clear mark', of: nameOf(object) });
  if (draft.has(0.4, 'labelled')) {
    const patch = { metadata: { labels: { tier: 'two' } } };
    draft.at(after(draft, born, 'labelled'), { type: 'edit', of: nameOf(object), patch });
  }
  if (draft.has(0.4, 'lost')) draft.at(draft.between(0.3, 1, 'lost'), { type: 'compact' });
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(object), born);
}

/** Two resources want one external name, one Secret, or one entry of a store; one of them is deleted. */
function rivals(draft: Draft): void {
  const kind = draft.pick(instanceKinds, 'kind');
  const wants = draft.pick(['name', 'secret', 'entry'] as const, 'what');
  const spec =
    wants === 'secret'
      ? { writeConnectionSecretToRef: { namespace: adminNamespace, name: 'shared' } }
      : wants === 'entry'
        ? {
            writeConnectionSecretToRef: undefined,
            publishConnectionDetailsTo: {
              name: 'shared',
              configRef: { name: draft.pick(['default', 'vault'], 'store') },
            },
          }
        : {};
  draft.have(
    secret(adminNamespace, 'vault', { token: 'vault-token' }),
    objectOf(
      StoreConfigKind,
      { name: 'vault' },
      {
        spec: {
          type: 'Vault',
          defaultScope: 'simulated',
          vault: {
            server: 'https://vault.test:8200',
            mountPath: 'secret',
            auth: {
              method: 'Token',
              token: {
                source: 'Secret',
                secretRef: { namespace: adminNamespace, name: 'vault', key: 'token' },
              },
            },
          },
        },
      },
    ),
  );
  for (const index of [0, 1]) {
    const object = managedByHand(kind, index, spec);
    const annotations = { [annotationKeys.externalName]: 'shared' };
    const named = wants === 'name' ? { ...object, metadata: { ...object.metadata, annotations } } : object;
    const born = comes(draft, named, 0.4);
    if (draft.has(0.6, 'goes', index)) {
      const gone = goes(draft, nameOf(object), born);
      if (draft.has(0.4, 'again', index))
        draft.at(after(draft, gone, 'again', index), { type: 'create', object: named });
    }
  }
}

/**
 * Policies keep, pause or forbid a resource; a user changes or deletes it in the external system; the
 * managed resource is deleted.
 */
function policies(draft: Draft): void {
  const kind = draft.pick(instanceKinds, 'kind');
  const paused = { [annotationKeys.paused]: 'true' };
  const spec = draft.pick<object>(
    [
      {},
      { deletionPolicy: 'Orphan' },
      { reclaimPolicy: 'Retain' },
      { managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'] },
      { managementPolicies: ['Observe', 'Create', 'Delete'] },
      { managementPolicies: ['Observe', 'Delete'] },
      { managementPolicies: [] },
    ],
    'policies',
  );
  const object = managedByHand(kind, 0, spec);
  const isPaused = draft.has(0.2, 'paused');
  const metadata = { ...object.metadata, ...(isPaused && { annotations: paused }) };
  const born = comes(draft, { ...object, metadata });
  const system = kind === FavouriteDBInstanceKind ? 'favourite' : 'other';
  if (draft.has(0.4, 'drifts')) {
    draft.at(draft.between(0.2, 0.9, 'drift'), { type: 'drift', system, nth: 0, level: 77 });
  }
  if (draft.has(0.4, 'is lost')) draft.at(draft.between(0.2, 0.9, 'lost'), { type: 'lose', system, nth: 0 });
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(object), born);
}

/** A claim is deleted and created again, or disappears without any event, as if it had never existed. */
function claimComesAndGoes(draft: Draft): void {
  const size = draft.pick(['small', 'large'], 'size');
  const classRef = {
    apiVersion: apiVersionOf(FavouriteDBInstanceClassKind),
    kind: FavouriteDBInstanceClassKind.kind,
    name: size,
  };
  const object = claimOf(
    FancySQLInstanceKind,
    teams[0],
    0,
    draft.has(0.5, 'by class') ? { classRef } : { classSelector: { matchLabels: { size } } },
  );
  let moment = comes(draft, object);
  for (const round of [0, 1, 2]) {
    if (draft.has(0.4, 'vanishes', round)) {
      const patch = { metadata: { finalizers: null } };
      draft.at(after(draft, moment, 'let go', round), { type: 'edit', of: nameOf(object), patch });
    }
    moment = after(draft, moment, 'gone', round);
    draft.at(moment, { type: 'delete', of: nameOf(object) });
    if (!draft.has(0.7, 'again', round)) return;
    moment = after(draft, moment, 'again', round);
    draft.at(moment, { type: 'create', object });
  }
}

/** Two claims want one resource that was made by hand; it, or one of them, goes. */
function contested(draft: Draft): void {
  const kind = draft.pick(instanceKinds, 'kind');
  const resource = managedByHand(
    kind,
    0,
    draft.pick([{ reclaimPolicy: 'Delete' }, { reclaimPolicy: 'Retain' }, {}], 'policy'),
  );
  const resourceRef = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: resource.metadata.name,
  };
  const born = comes(draft, resource);
  for (const index of [0, 1]) {
    const object = claimOf(FancySQLInstanceKind, draft.pick(teams, 'team', index), index, { resourceRef });
    const made = draft.between(0, 0.5, 'claim', index);
    draft.at(made, { type: 'create', object });
    if (draft.has(0.5, 'goes', index)) {
      const gone = goes(draft, nameOf(object), made);
      if (draft.has(0.4, 'again', index))
        draft.at(after(draft, gone, 'again', index), { type: 'create', object });
    }
    if (draft.has(0.2, 'meddles', index))
      draft.at(after(draft, made, 'meddles', index), { type: 'delete', of: secretOf(object) });
  }
  if (draft.has(0.3, 'available again')) {
    const patch = { spec: { claimRef: draft.pick([null, { uid: null }], 'for which claim') } };
    draft.at(draft.between(0.5, 1, 'available'), { type: 'edit', of: nameOf(resource), patch });
  }
  if (draft.has(0.2, 'resource goes')) goes(draft, nameOf(resource), born);
}

/** The Secret of a resource, or of a claim, is edited, taken over or deleted by a user. */
function secrets(draft: Draft): void {
  const claim = claimOf(FancySQLInstanceKind, teams[0], 0, {});
  const resource = managedByHand(draft.pick(instanceKinds, 'kind'));
  const isClaims = draft.has(0.5, 'of the claim');
  const of = isClaims
    ? secretOf(claim)
    : {
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: adminNamespace,
        name: `${resource.kind.toLowerCase()}-0`,
      };
  const born = comes(draft, isClaims ? claim : resource);
  for (const index of [0, 1]) {
    const moment = draft.between(born, 1, 'meddled', index);
    const patch = draft.pick<object>(
      [
        { data: { password: null } },
        { data: { password: 'Z3Vlc3NlZA==' } },
        { data: null },
        { metadata: { ownerReferences: null } },
        { metadata: { annotations: null } },
      ],
      'how',
      index,
    );
    if (draft.has(0.3, 'deleted', index)) draft.at(moment, { type: 'delete', of });
    else draft.at(moment, { type: 'edit', of, patch });
  }
  if (draft.has(0.3, 'renamed')) {
    const patch = { spec: { writeConnectionSecretToRef: { name: 'another' } } };
    if (isClaims) draft.at(draft.between(born, 1, 'renamed'), { type: 'edit', of: nameOf(claim), patch });
  }
  if (draft.has(0.4, 'goes')) goes(draft, nameOf(isClaims ? claim : resource), born);
}

/** A ProviderConfig goes while it is used, and those who use it come and go. */
function providerConfig(draft: Draft): void {
  const config = inventory.find(
    ({ kind, apiVersion }) =>
      kind === ProviderConfigKind.kind && apiVersion === apiVersionOf(ProviderConfigKind),
  );
  const user = managedByHand(FavouriteDBInstanceKind);
  const born = comes(draft, user);
  if (config === undefined) return;
  const gone = after(draft, born, 'config gone');
  draft.at(gone, { type: 'delete', of: nameOf(config) });
  draft.at(after(draft, gone, 'dies'), { type: 'crash', downMs: 500 });
  if (draft.has(0.6, 'goes')) goes(draft, nameOf(user), gone);
}

/** Databases and roles of a server are made and dropped while statements fail. */
function database(draft: Draft): void {
  for (const kind of [PostgreSQLDatabaseKind, PostgreSQLRoleKind]) {
    if (!draft.has(0.7, 'kind', kind.kind)) continue;
    const object = managedByHand(kind);
    const born = comes(draft, object);
    if (kind === PostgreSQLRoleKind && draft.has(0.4, 'rotated')) {
      const patch = { spec: { forProvider: { passwordRotation: 'today' } } };
      draft.at(after(draft, born, 'rotated'), { type: 'edit', of: nameOf(object), patch });
    }
    if (draft.has(0.5, 'goes', kind.kind)) goes(draft, nameOf(object), born);
  }
}

/**
 * A resource, or a class, allows some namespaces, or only a named claim; labels change while claims appear.
 */
function offered(draft: Draft): void {
  const selector = { matchLabels: { stage: 'live' } };
  const offer = draft.pick<object>(
    [
      { namespaceSelector: selector },
      { namespaceSelector: selector },
      { managementPolicies: ['Observe'], namespaceSelector: selector },
      { managementPolicies: ['Observe'] },
    ],
    'offer',
  );
  const lent = managedByHand(FavouriteDBInstanceKind, 0, offer);
  const { apiVersion, kind, metadata } = lent;
  comes(draft, lent);
  const label = (team: string, stage: string, moment: number): void =>
    draft.at(moment, {
      type: 'edit',
      of: nameOf(objectOf(NamespaceKind, { name: team })),
      patch: { metadata: { labels: { stage } } },
    });
  const aClass = objectOf(FavouriteDBInstanceClassKind, { name: 'small' });
  draft.at(0, { type: 'edit', of: nameOf(aClass), patch: { specTemplate: { namespaceSelector: selector } } });
  const wishes = [
    { resourceRef: { apiVersion, kind, name: metadata.name } },
    { classRef: { apiVersion: aClass.apiVersion, kind: aClass.kind, name: 'small' } },
  ];
  for (const [index, team] of teams.entries()) {
    const claim = claimOf(FancySQLInstanceKind, team, 0, draft.pick(wishes, 'wish', index));
    const born = comes(draft, claim, 0.6);
    label(team, draft.pick(['live', 'test'], 'stage', index), after(draft, born, 'label', index));
    if (draft.has(0.5, 'again', index)) label(team, 'live', after(draft, born, 'again', index));
    if (draft.has(0.4, 'goes', index)) goes(draft, nameOf(claim), born);
  }
}

/** A claim has a resource, and an administrator edits what controllers keep of it. */
function slipped(draft: Draft): void {
  claimComesAndGoes(draft.by('claim'));
  slips(draft.by('slips'));
}

const situations = [
  ...[identity, network, rivals, policies, claimComesAndGoes, contested, secrets, providerConfig, database],
  offered,
] as const;

const watched = ['FancySQLInstance', 'FavouriteDBInstance', 'AmbivalentDBInstance', 'Secret', undefined];

/**
 * One situation in which two things happen at nearly the same time, and nothing else, so that it is met often. At times
 * a watch is behind, or the process dies.
 */
export function closeCalls(draft: Draft): void {
  const isSlip = draft.has(0.1, 'slips');
  const situation = isSlip ? slipped : draft.pick(situations, 'situation');
  situation(draft.by('of it'));
  for (const index of [0, 1]) {
    const moment = draft.between(0, 0.9, 'late', index);
    const kind = draft.pick(watched, 'whose', index);
    const forMs = draft.chance('how long', index) * 40_000;
    if (draft.has(0.4, 'is late', index)) {
      draft.at(moment, { type: 'hold watches', ...(kind && { kind }), forMs });
    }
  }
  if (draft.has(0.3, 'dies')) draft.at(draft.chance('death'), { type: 'crash', downMs: 2_000 });
}
