import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { ownerIdOf } from '../../../controllers/author/owner-id.ts';
import { refusedCreation } from '../../../controllers/external-identity.ts';
import { markOf } from '../../../stacks/postgresql/client/mark.ts';
import type { Change, Invariant } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import type { CloudResource } from '../oracle/cloud-resources.ts';
import { resourcesIn } from '../oracle/cloud-resources.ts';
import type { World } from '../world.ts';

/**
 * All objects at rest, by name, without the parts that may differ between two correct runs:
 *
 * - UIDs, and names and marks that are derived from them: replaced by their owner; ids that a cloud gives, and its
 *   other random choices: zones, hours for backups, addresses;
 * - passwords: replaced by the login that they open. A password that opens nothing stays, and so is a difference;
 * - resourceVersions, generations, and times. The observed generation must be the latest;
 * - keys and records of credentials;
 * - whether a provider works, and its system's version, which the last call reported before it had no users;
 * - that an attempt at a creation failed, which stays recorded: only its success counts;
 * - the order of conditions, and those on asynchronous operations, which depend on the history;
 * - Events.
 */
export type EndState = Readonly<Record<string, unknown>>;

/** Knows the owner of each UID and each mark, also after its object was deleted; to be played along with a run. */
export interface OwnerRecord extends Invariant {
  /** `the UID of Secret team-shop/cart-connection`, by UID; `the mark of PostgreSQLRole reporting`, by mark. */
  readonly owners: ReadonlyMap<string, string>;
}

export function ownerRecord(): OwnerRecord {
  const owners = new Map<string, string>();
  return {
    name: 'every UID is of one object',
    owners,
    changed({ kind, before, after }: Change) {
      if (before !== undefined || after?.metadata.uid === undefined) return [];
      const what = `${kind.kind} ${objectKeyText(after.metadata)}`;
      owners.set(after.metadata.uid, `the UID of ${what}`);
      if (managedKinds.includes(kind)) owners.set(markOf(ownerIdOf(after as Managed)), `the mark of ${what}`);
      return [];
    },
  };
}

/** The objects of a world at rest. */
export function endState(world: World, { owners }: OwnerRecord): EndState {
  const clouds = resourcesIn(world);
  const plain = plainText(derivedName(world), owners, idsIn(clouds), passwordsIn(world));
  const { cluster, postgresql, vault } = world;
  const parts: readonly (readonly [name: string, value: object])[] = [
    ...cluster
      .objects()
      .filter(({ kind }) => kind !== 'Event')
      .map((object) => [`${object.kind} ${objectKeyText(object.metadata)}`, withDetails(object)] as const),
    ...clouds.map(
      ({ system, sort, name, item, isGoing, isThere }) =>
        [`${system} ${sort} ${name}`, { ...item, isGoing, isThere }] as const,
    ),
    ...Object.entries(world.clouds).flatMap(([system, cloud]) => [
      ...cloud.instances().map(({ item, phase }) => [`${system} ${item.name}`, { ...item, phase }] as const),
      ...cloud
        .networks()
        .map(({ item, phase }) => [`${system} network ${item.displayName}`, { ...item, phase }] as const),
    ]),
    ...postgresql.databases().map((database) => [`database ${database.name}`, database] as const),
    ...postgresql
      .roles()
      .map((role) => [`role ${role.name}`, { ...role, password: role.password !== undefined }] as const),
    ...postgresql.grants().map((grant) => [`grant ${JSON.stringify(grant)}`, {}] as const),
    ...postgresql
      .memberships()
      .map((membership) => [`membership ${JSON.stringify(membership)}`, {}] as const),
    ...vault.paths().map((path) => {
      const { data, customMetadata } = vault.peek(path) ?? {};
      return [`vault ${path}`, { data, customMetadata }] as const;
    }),
  ];
  return Object.fromEntries(
    parts
      .map(([name, value]) => [plain(name) as string, plain(comparable(value))] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * An SQLSTATE. The other refusal is about a role that must not connect to a database, after the server
 * identified it.
 */
const wrongPassword = '28P01';

/** The login that each password opens. */
function passwordsIn(world: World): ReadonlyMap<string, string> {
  const { cluster, clouds, postgresql } = world;
  const instances = Object.values(clouds).flatMap((cloud) => cloud.instances());
  const logins = cluster.all(SecretKind).flatMap((secret): readonly (readonly [string, string])[] => {
    const { username: user, password } = decodeDetails(secret);
    if (user === undefined || password === undefined) return [];
    return postgresql.refusal({ user, password }) === wrongPassword
      ? []
      : [[password, `the password of role ${user}`]];
  });
  return new Map([
    ...instances.map(({ item }) => [item.password, `the password of ${item.name}`] as const),
    ...logins,
    ...resourcesIn(world).flatMap(({ sort, name, password }) =>
      password === undefined ? [] : [[password, `the password of ${sort} ${name}`] as const],
    ),
  ]);
}

/** The ids that AWS has given, replaced by their owner. */
const idsIn = (clouds: readonly CloudResource[]): ReadonlyMap<string, string> =>
  new Map(
    clouds.flatMap(({ sort, name, tags }) =>
      awsId.test(name) ? [[name, `the id of the ${sort} of ${tags['crossplane-name']}`] as const] : [],
    ),
  );

const awsId = /^[a-z]+-[0-9a-f]{17}$/;

/** An object, and the details of a secret in clear text. */
const withDetails = (object: KubernetesObject): object =>
  object.kind === 'Secret' ? { ...object, data: decodeDetails(object) } : object;

/** Where two ends differ, in sentences: nowhere if both are the same. */
export function endDifferences(reference: EndState, actual: EndState): readonly string[] {
  const names = [...new Set([...Object.keys(reference), ...Object.keys(actual)])];
  return names.flatMap((name) => {
    if (!(name in actual)) return [`${name} is missing`];
    if (!(name in reference)) return [`${name} should not be there`];
    return leafDifferences(reference[name], actual[name], name);
  });
}

function leafDifferences(reference: unknown, actual: unknown, path: string): readonly string[] {
  if (isEqual(reference, actual)) return [];
  if (!isRecord(reference) || !isRecord(actual)) {
    return [`${path} is ${JSON.stringify(actual)}, in the reference ${JSON.stringify(reference)}`];
  }
  const keys = [...new Set([...Object.keys(reference), ...Object.keys(actual)])];
  return keys.flatMap((key) => leafDifferences(reference[key], actual[key], `${path} ${key}`));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The beginnings of the names that are given to what is provisioned for the claims of a scenario. */
function derivedName({ scenario }: World): RegExp {
  const beginnings = [
    ...scenario.steps.map(({ act }) => (act.type === 'create' ? act.object : undefined)),
    ...scenario.objects,
  ]
    .filter((object) => claimKinds.some(({ kind }) => kind === object?.kind))
    .map((object) => `${object?.metadata.namespace}-${object?.metadata.name}`);
  return new RegExp(`\\b(${['no-claim', ...beginnings].join('|')})-[a-z0-9]{5}\\b`, 'g');
}

/** Fields whose value is the server's or time's alone. */
const dropped = new Set([
  'oid',
  'resourceVersion',
  'changedAtMs',
  'createdAtMs',
  'switchedAtMs',
  'busyUntilMs',
  'generation',
  'creationTimestamp',
  'lastTransitionTime',
  'lastReasonChangeTime', // absent if the reason never changed, which depends on the history
  'hmac', // of a random password, under a random key
  'systemVersion',
  'crossplane.io/external-create-failed',
  // The token of a creation request, and the number of later changes.
  'clientToken',
  'clientRequestToken',
  'reservationId',
  'updates',
]);
const asynchronous = new Set(['AsyncOperation', 'LastAsyncOperation']);
const credential = 'crossplane.io/credential';

/** An object, with what was observed of it in words. */
function comparable(value: object): unknown {
  const { kind, metadata } = value as Partial<KubernetesObject>;
  const isProvider = kind === 'Provider' || kind === 'ProviderConfig';
  const look = (value: unknown, key: string): unknown => {
    if (key === 'observedGeneration')
      return value === metadata?.generation ? 'the latest' : `${value} of ${metadata?.generation}`;
    // The mark keeps a refusal (docs/decisions/0039-incompatible-resources.md).
    if (key === annotationKeys.externalCreation) return String(value).split(refusedCreation)[0];
    if (key.endsWith(credential)) return omit(JSON.parse(String(value)) as object, 'key');
    if (key === 'conditions' && Array.isArray(value)) {
      const conditions = value as readonly { readonly type: string }[];
      return Object.fromEntries(
        conditions
          .filter(({ type }) => !asynchronous.has(type) && !(isProvider && type === 'Ready'))
          .map((condition) => [condition.type, look(condition, '')]),
      );
    }
    if (key === 'id' && typeof value === 'number') return '(id)';
    if (Array.isArray(value)) return value.map((item) => look(item, ''));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([each]) => !dropped.has(each))
        .map(([each, inner]) => [each, look(inner, each)]),
    );
  };
  return look(value, '');
}

const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g;
const cloudId = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** Zones and their ids, hours of the week, addresses, and ids of what is no thing of ours. */
const chosen =
  /\b(?:[a-z]{2}-[a-z]+-\d[a-f]|[a-z]{3}\d-az\d|(?:[a-z]{3}:)?\d\d:\d\d-(?:[a-z]{3}:)?\d\d:\d\d|172[.-]31[.-]\d+[.-]\d+|0[0-9a-f]{16}|db-[0-9A-Z]{17,})\b/g;

/** Takes out of every text in a thing what may differ. */
function plainText(
  derived: RegExp,
  owners: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, string>,
  passwords: ReadonlyMap<string, string>,
): (value: unknown) => unknown {
  const owned = (given: string): string =>
    given.replaceAll(/\b(uid-\w+|services-stack: [0-9a-f]{32})\b/g, (uid) => owners.get(uid) ?? uid);
  // RDS chooses ids of `db-` and capitals; one of them may have only digits.
  const known = (given: string): string =>
    given.replaceAll(/\b(?!db-)[a-z]+-[0-9a-f]{17}\b/g, (id) => ids.get(id) ?? '(an id of AWS)');
  const opened = (given: string): string =>
    [...passwords].reduce((reported, [password, opens]) => reported.replaceAll(password, opens), given);
  const text = (given: string): string =>
    // The owner of a UID may be an object that is named after a UID itself.
    known(owned(owned(opened(given))))
      .replaceAll(derived, '$1-…')
      .replaceAll(time, '(time)')
      .replaceAll(cloudId, '(id)')
      .replaceAll(chosen, '(by chance)');
  const plain = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(plain);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, value]) => [text(key), plain(value)]));
  };
  return plain;
}
