/**
 * The workload of the world `hostile`: odd and malformed objects, attacks of a tenant, and databases that pass from a team
 * to the tenant and on. Beside them are claims that no other user edits: they must not notice any of it.
 */
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Definition } from '../../../apis/core/schema.ts';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { encodeDetails, propagatesFrom, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { credentialAnnotation, encodeNote } from '../../../controllers/credential.ts';
import { seededRandom } from '../../../runtime/time/random.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceClassKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseClassKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { definitions } from '../../fakes/defined-kinds.ts';
import { objectOf, referenceOf } from '../../fakes/object-of.ts';
import type { Act, ObjectName } from '../scenario.ts';
import { attackSorts, attacksAtOnce, rogue } from './attacks.ts';
import type { Draft } from './draft.ts';
import { claimOf, managedByHand, nameOf } from './exemplars.ts';
import { adminNamespace, inventory, teams } from './inventory.ts';
import { machines } from './machines.ts';
import { OddObjects } from './odd-objects.ts';
import type { Theme } from './themes.ts';

const [team, otherTeam] = teams;
const retained = { reclaimPolicy: 'Retain' };
const resourceRef = (index: number) => referenceOf(FavouriteDBInstanceKind, `by-hand-${index}`);
const claimRef = (namespace: string, name: string) => ({
  ...referenceOf(FancySQLInstanceKind, name),
  namespace,
});

const classes: readonly (readonly [Kind, Kind, string])[] = [
  [FancySQLInstanceKind, FavouriteDBInstanceClassKind, 'small'],
  [FancySQLInstanceKind, AmbivalentDBInstanceClassKind, 'other-small'],
  [PostgreSQLInstanceKind, PostgreSQLDatabaseClassKind, 'small'],
];

/** Its resource is Released soon. */
const left = claimOf(FancySQLInstanceKind, team, 4, { resourceRef: resourceRef(1) });

/** Resources of each system, a resource that was created by hand for a claim, one that is left, and two that are reserved. */
const bystanders: readonly KubernetesObject[] = [
  ...classes.map(([kind, classKind, name], index) =>
    claimOf(kind, team, index, { classRef: referenceOf(classKind, name) }),
  ),
  managedByHand(FavouriteDBInstanceKind, 0, retained),
  claimOf(FancySQLInstanceKind, team, 3, { resourceRef: resourceRef(0) }),
  managedByHand(FavouriteDBInstanceKind, 1, retained),
  left,
  managedByHand(FavouriteDBInstanceKind, 2, { ...retained, claimRef: claimRef(otherTeam, 'to-come') }),
  managedByHand(FavouriteDBInstanceKind, 3, {
    ...retained,
    claimRef: claimRef(otherTeam, 'none-yet'),
    writeConnectionSecretToRef: undefined,
    publishConnectionDetailsTo: { name: 'stored' },
  }),
];

const names = {
  objects: ['odd-0', 'odd-1', 'odd-2', 'small', 'other-small', 'default', 'favourite', 'server', 'nobody'],
  namespaces: [rogue, adminNamespace, 'stores'],
  uids: ['uid-1', 'uid-11', 'uid-13', 'uid-31', 'bogus'],
};

const writtenKinds = [...definitions, SecretKind] as const;

/** Odd objects come, change and go. Those that are `planted` may be malformed. */
function oddObjects(draft: Draft, arePlanted: boolean): void {
  const odd = new OddObjects(seededRandom(Math.floor(draft.chance('odd') * 2 ** 32)), names);
  const count = 2 + Math.floor(draft.chance('count') * 3);
  for (let index = 0; index < count; index += 1) {
    const own = draft.by(index);
    const kind = writtenKinds[(draft.seed * 3 + index) % writtenKinds.length]!;
    const make = (name: string): KubernetesObject => {
      if (kind === SecretKind) return odd.secret(name);
      return arePlanted ? odd.malformed(kind as Definition, name) : odd.admitted(kind as Definition, name);
    };
    const object = make(odd.name(index));
    const { namespace, name } = object.metadata;
    const other = make(name);
    const born = own.between(0, 0.5, 'born');
    own.at(born, { type: arePlanted ? 'plant' : 'create', object });
    if (own.has(0.7, 'edited')) {
      const metadata = pick(other.metadata, ['labels', 'annotations']);
      const rest = omit(other, ['apiVersion', 'kind', 'metadata', 'status', 'type']);
      own.at(
        own.between(born, 0.8, 'edit'),
        arePlanted
          ? {
              type: 'plant',
              object: { ...other, metadata: { ...other.metadata, ...(namespace && { namespace }) } },
            }
          : { type: 'edit', of: nameOf(object), patch: { ...rest, metadata } },
      );
    }
    if (own.has(0.6, 'deleted')) own.at(own.between(born, 1, 'gone'), { type: 'delete', of: nameOf(object) });
  }
}

/** A tenant attacks, edits what it made, and deletes some of it. */
function attack(draft: Draft): void {
  const sort = draft.pick(attackSorts, 'sort');
  const count = 10 + Math.floor(draft.chance('count') * 30);
  for (let index = 0; index < count; index += 1) {
    const nth = Math.floor(draft.chance('nth', index) * 10_000);
    draft.at(draft.between(0.2, 0.9, 'at', index), { type: 'attack', sort, nth });
    const of = nameOf(
      objectOf(draft.pick([FancySQLInstanceKind, SecretKind], 'kind', index), {
        namespace: rogue,
        name: `attack-${nth % attacksAtOnce}`,
      }),
    );
    if (draft.has(0.2, 'deleted', index))
      draft.at(draft.between(0.3, 1, 'gone', index), { type: 'delete', of });
  }
}

/** The changes of objects until the last of the databases is with its third claim, or a few less. */
const mostChanges = 400;
const handovers = 4;

/**
 * Databases serve a claim of a team, then one of the tenant, then one of another team. At some change of any object, the
 * tenant does something with its own claim or its own Secret.
 */
function handOver(draft: Draft): void {
  for (let nth = 0; nth < handovers; nth += 1) {
    const own = draft.by(nth);
    const shared = managedByHand(FavouriteDBInstanceKind, 10 + nth, retained);
    const wish = { resourceRef: referenceOf(FavouriteDBInstanceKind, shared.metadata.name) };
    const [first, second, third] = [team, rogue, otherTeam].map((namespace) =>
      claimOf(FancySQLInstanceKind, namespace, 10 + nth, wish),
    ) as [KubernetesObject, KubernetesObject, KubernetesObject];
    own.at(0, { type: 'create', object: shared });
    own.at(0.05, { type: 'create', object: first });
    own.at(own.between(0.25, 0.35, 'left'), { type: 'delete', of: nameOf(first) });
    for (const [moment, claim] of [
      [0.4, second],
      [0.75, third],
    ] as const) {
      const { namespace = '', name } = claim.metadata;
      const offered = own.between(moment, moment + 0.1, 'offered', namespace);
      own.edit(offered, nameOf(shared), { spec: { claimRef: { ...claimRef(namespace, name), uid: null } } });
      own.at(offered, { type: 'create', object: claim });
    }
    own.at(own.between(0.6, 0.7, 'given back'), { type: 'delete', of: nameOf(second) });
    for (let index = 0; index < 2; index += 1) {
      const acts = own.pick(tenantActs(second, shared), 'act', index);
      const atChange = 1 + Math.floor(own.chance('change', index) * mostChanges);
      for (const act of acts) own.react(atChange, act);
    }
  }
}

/** The acts of a tenant on its claim of a resource, and on its Secret. */
function tenantActs(claim: KubernetesObject, resource: KubernetesObject): readonly (readonly Act[])[] {
  const of = nameOf(claim);
  const { namespace = rogue, name } = claim.metadata;
  const secret: ObjectName = {
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
    name: name.replace('claim', 'secret'),
  };
  const forged = {
    ...propagatesFrom({
      namespace: adminNamespace,
      name: `favouritedbinstance-${resource.metadata.name.slice('by-hand-'.length)}`,
    }),
    [credentialAnnotation]: encodeNote({ key: 'a2V5', for: `FancySQLInstance ${namespace}/${name}` }),
  };
  const data = encodeDetails({ password: 'guess', own: 'value' });
  const made = (type: string, annotations = {}): Act => ({
    type: 'create',
    object: objectOf(SecretKind, { namespace, name: secret.name, annotations }, { type, data }),
  });
  const edit = (whom: ObjectName, patch: object): Act => ({ type: 'edit', of: whom, patch });
  const gone = (whom: ObjectName): Act => ({ type: 'delete', of: whom });
  return [
    [edit(secret, { data: encodeDetails({ password: 'guess' }) })],
    [edit(secret, { metadata: { ownerReferences: null, annotations: null } })],
    [gone(secret)],
    [gone(secret), made('Opaque')],
    [gone(secret), made(connectionSecretType, forged)],
    [edit(secret, { metadata: { annotations: forged } })],
    [edit(of, { spec: { writeConnectionSecretToRef: { name: 'renamed' } } })],
    [edit(of, { metadata: { annotations: forged } })],
    [edit(of, { spec: { resourceRef: { name: 'by-hand-0' } } })],
    [gone(of)],
    [edit(of, { metadata: { finalizers: null } }), gone(of), { type: 'create', object: claim }],
  ];
}

/** In so many of all scenarios, from 0 to 1. */
const themes: readonly Theme[] = [
  { name: 'odd objects', share: 0.5, write: (draft) => oddObjects(draft, false) },
  { name: 'malformed objects', share: 0.5, write: (draft) => oddObjects(draft, true) },
  { name: 'attack', share: 0.5, write: attack },
  { name: 'handovers', share: 0.3, write: handOver },
  { name: 'machines', share: 0.3, write: machines },
];

/** Writes a scenario of those who do harm. */
export function hostile(draft: Draft): void {
  draft.have(...inventory, objectOf(NamespaceKind, { name: rogue }), ...bystanders);
  draft.at(draft.between(0.1, 0.3, 'left'), { type: 'delete', of: nameOf(left) });
  for (const { name, share, write } of themes) if (draft.has(share, 'theme', name)) write(draft.by(name));
}
