import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceClassKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseClassKind } from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import type { ProviderName } from './schedule.ts';
import type { World } from './world.ts';
import { credentialsNamespace } from './world.ts';

const head = <T extends KubernetesObject>(
  kind: Pick<Kind<T>, 'group' | 'version' | 'kind' | 'objectType'>,
) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind as T['kind'],
});

const selectable = { chaos: 'small' };

/** What a provider's secret holds, with these credentials in it. */
export function credentials(
  world: World,
  provider: ProviderName,
  secret: string,
): Readonly<Record<string, string>> {
  const { port } = world.links[provider]!;
  if (provider === 'postgresql') {
    return {
      endpoint: '127.0.0.1',
      port: String(port),
      username: world.postgresql.superuser,
      password: secret,
      // Over plain TCP a changed byte could make one statement another.
      sslmode: 'verify-full',
      clusterCA: world.postgresql.clusterCA ?? '',
    };
  }
  return { credentials: JSON.stringify({ url: `http://127.0.0.1:${port}`, token: secret }) };
}

/** The secret that a provider names. */
export const credentialsSecret = (world: World, provider: ProviderName, secret: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: credentialsNamespace, name: provider },
  stringData: credentials(world, provider, secret),
});

const secretRef = (name: ProviderName) => ({
  namespace: credentialsNamespace,
  name,
  key: name === 'postgresql' ? 'endpoint' : 'credentials',
});

/** Providers of all kinds, by the generations' own ways. */
export const providerObjects = (): readonly object[] => [
  {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'Provider',
    metadata: { name: 'favourite' },
    spec: { credentialsSecretRef: secretRef('favourite') },
  },
  {
    apiVersion: 'ocp.crossplane.io/v1alpha1',
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: { credentials: { source: 'Secret', secretRef: secretRef('other') } },
  },
  {
    apiVersion: 'postgresql.crossplane.io/v1alpha1',
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: { credentials: { source: 'Secret', secretRef: secretRef('postgresql') } },
  },
];

/** A class of Favourite Cloud's; it leaves nothing open that the cloud would fill in. */
export const favouriteClass = (
  name: string,
  { labels = {}, keeps = false }: { readonly labels?: Record<string, string>; readonly keeps?: boolean } = {},
) => ({
  ...head(FavouriteDBInstanceClassKind),
  metadata: { name, labels },
  specTemplate: {
    writeConnectionSecretsToNamespace: credentialsNamespace,
    providerRef: { name: 'favourite' },
    reclaimPolicy: keeps ? ('Retain' as const) : ('Delete' as const),
    forProvider: { fancinessLevel: 3, version: '5.7' },
  },
});

export const ambivalentClass = () => ({
  ...head(AmbivalentDBInstanceClassKind),
  metadata: { name: 'other-small', labels: selectable },
  specTemplate: {
    writeConnectionSecretsToNamespace: credentialsNamespace,
    reclaimPolicy: 'Delete' as const,
    forProvider: { ambivalence: 5, engineVersion: '5.7' },
  },
});

const databaseClass = (name: string, reclaimPolicy: 'Delete' | 'Retain') => ({
  ...head(PostgreSQLDatabaseClassKind),
  metadata: { name, labels: selectable },
  specTemplate: {
    writeConnectionSecretsToNamespace: credentialsNamespace,
    reclaimPolicy,
    forProvider: { connectionLimit: 5, onDelete: 'TerminateSessions' as const },
  },
});

/** A class that users edit, delete and make again. */
export const changingClass = () => favouriteClass('favourite-changing', { labels: { ...selectable } });

export const classObjects = (): readonly object[] => [
  favouriteClass('favourite-small', { labels: selectable }),
  favouriteClass('favourite-kept', { keeps: true }),
  changingClass(),
  ambivalentClass(),
  databaseClass('postgresql-small', 'Delete'),
  databaseClass('postgresql-kept', 'Retain'),
];

/** A managed resource that somebody makes by hand. */
export const madeByHand = (name: string, policy: 'Retain' | 'Delete') => ({
  ...head(FavouriteDBInstanceKind),
  metadata: { name },
  spec: {
    providerRef: { name: 'favourite' },
    reclaimPolicy: policy,
    writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
    forProvider: { fancinessLevel: 42, version: '5.7' },
  },
});

/** The ways in which a claim asks for something, by turns. */
const asks: readonly ((name: string) => { readonly kind: Kind<KubernetesObject>; readonly spec: object })[] =
  [
    () => ({ kind: FancySQLInstanceKind, spec: { classSelector: { matchLabels: selectable } } }),
    () => ({ kind: PostgreSQLInstanceKind, spec: classRef(PostgreSQLDatabaseClassKind, 'postgresql-small') }),
    () => ({ kind: FancySQLInstanceKind, spec: classRef(FavouriteDBInstanceClassKind, 'favourite-kept') }),
    () => ({ kind: FancySQLInstanceKind, spec: classRef(AmbivalentDBInstanceClassKind, 'other-small') }),
    () => ({ kind: PostgreSQLInstanceKind, spec: classRef(PostgreSQLDatabaseClassKind, 'postgresql-kept') }),
    (name) => ({
      kind: FancySQLInstanceKind,
      spec: { resourceRef: { ...head(FavouriteDBInstanceKind), name: staticFor(name) } },
    }),
  ];
const staticTurn = 5;

export const classRef = (kind: Kind<KubernetesObject>, name: string) => ({
  classRef: { ...head(kind), name },
});
const staticFor = (claim: string): string => `by-hand-${claim}`;

/** The number-th claim, and what has to be made by hand for it. */
export function claimNumber(
  number: number,
  namespace: string,
): { readonly kind: Kind<Claim>; readonly claim: Claim; readonly byHand?: ReturnType<typeof madeByHand> } {
  const name = `claim-${number}`;
  const turn = number % asks.length;
  const { kind, spec } = asks[turn]!(name);
  return {
    kind: kind as Kind<Claim>,
    claim: claimNamed(kind, namespace, name, spec),
    ...(turn === staticTurn && { byHand: madeByHand(staticFor(name), 'Retain') }),
  };
}

export const claimNamed = (
  kind: Pick<Kind, 'group' | 'version' | 'kind'>,
  namespace: string,
  name: string,
  spec: object,
): Claim => ({
  ...head(kind),
  metadata: { namespace, name },
  spec: { ...spec, writeConnectionSecretToRef: { name: `${name}-connection` } },
});
