import assert from 'node:assert/strict';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { FavouriteDBInstance } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import type { Network } from '../../apis/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import type { FavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { credentialsNamespace, startFancySQL } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

type Spec<M extends Managed> = Partial<M['spec']>;

/** A cluster and clouds, and what a user does to managed resources in it. */
export interface ManagedFixture extends FancySQLFixture {
  /** `kubectl apply` of any objects. */
  apply(...objects: readonly object[]): Promise<void>;
  /** A Provider of this name for another cloud. */
  provider(name: string, cloud: FavouriteCloud): Promise<void>;
  /** Applies a FavouriteDBInstance of the Provider `favourite` with a secret of its own name. */
  instance(name: string, spec?: Spec<FavouriteDBInstance>, annotations?: Annotations): Promise<void>;
  network(
    name: string,
    spec?: Spec<Network>,
    metadata?: Partial<KubernetesObject['metadata']>,
  ): Promise<void>;
  /** As `kubectl annotate --overwrite` has it: `key=value`, or `key-` to take it away. */
  annotate(name: string, annotation: string, kind?: Kind<Managed>): Promise<void>;
  patch(name: string, spec: object): Promise<void>;
  /** Requests an observation of the external resource now. */
  look(name: string): Promise<void>;
  /** Without waiting. */
  remove(name: string, kind?: Kind<Managed>): Promise<void>;
  gone(name: string, kind?: Kind<Managed>): Promise<unknown>;
  /** Waits until a managed resource is Ready and Synced, and answers with it. */
  ready<M extends Managed = FavouriteDBInstance>(name: string, options?: Waiting<M>): Promise<M>;
  /** Waits until a condition, as `Status/Reason: message`, is like this. */
  says(name: string, type: string, pattern: RegExp, options?: Waiting): Promise<string>;
  /** Waits until `kubectl describe` shows this. */
  describes(name: string, pattern: RegExp, kind?: Kind<Managed>): Promise<unknown>;
  /** The instance in the cloud. */
  stored(name: string): ReturnType<FavouriteCloud['instances']>[number]['item'] | undefined;
  secretOf(name: string, namespace?: string): Promise<Readonly<Record<string, string>>>;
}

type Annotations = Readonly<Record<string, string>>;

interface Waiting<M extends Managed = Managed> {
  readonly kind?: Kind<M>;
  readonly timeoutMs?: number;
}

/** The changes a cloud was asked for so far. */
export const changesAsked = (cloud: FavouriteCloud): number =>
  Object.entries(cloud.calls())
    .filter(([call]) => !call.startsWith('GET '))
    .reduce((sum, [, count]) => sum + count, 0);

export async function startManaged(): Promise<ManagedFixture> {
  const fixture = await startFancySQL();
  const { cluster, favourite } = fixture;
  const resource = ({ plural, group }: Kind<Managed>): string => `${plural}.${group}`;
  const instances = FavouriteDBInstanceKind as Kind<Managed>;
  let looks = 0;

  const apply = async (...items: readonly object[]): Promise<void> => {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  };
  const annotate: ManagedFixture['annotate'] = async (name, annotation, kind = instances) => {
    const [, key = '', , value] = /^([^=]+?)(-$|=(.*)$)/.exec(annotation) ?? assert.fail(annotation);
    await cluster.client.patch(kind, { name }, { metadata: { annotations: { [key]: value ?? null } } });
  };
  const told = (object: Managed | undefined, type: string): string => {
    const { status, reason = '', message = '' } = getCondition(object?.status?.conditions, type);
    return `${status}/${reason}${message && `: ${message}`}`;
  };

  return {
    ...fixture,
    apply,
    annotate,
    async provider(name, { url, token }) {
      await apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: credentialsNamespace, name: `cloud-${name}` },
          stringData: { credentials: JSON.stringify({ url, token }) },
        },
        {
          apiVersion: 'fcp.crossplane.io/v1alpha3',
          kind: 'Provider',
          metadata: { name },
          spec: {
            credentialsSecretRef: {
              namespace: credentialsNamespace,
              name: `cloud-${name}`,
              key: 'credentials',
            },
          },
        },
      );
    },
    instance: (name, spec = {}, annotations = {}) =>
      apply({
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstance',
        metadata: { name, annotations },
        spec: {
          providerRef: { name: 'favourite' },
          writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
          forProvider: { fancinessLevel: 5 },
          ...spec,
        },
      }),
    network: (name, spec = {}, metadata = {}) =>
      apply({
        apiVersion: 'network.fcp.crossplane.io/v1alpha3',
        kind: 'Network',
        metadata: { name, ...metadata },
        spec: { providerRef: { name: 'favourite' }, forProvider: {}, ...spec },
      }),
    async patch(name, spec) {
      await cluster.client.patch(instances, { name }, { spec });
    },
    look: (name) => annotate(name, `crossplane.io/reconcile-requested-at=${++looks}`),
    async remove(name, kind = instances) {
      await cluster.client.delete(kind, { name }, {});
    },
    gone: (name, kind = instances) =>
      eventually(`${name} is gone`, async () => {
        const left = await cluster.find(kind, { name });
        if (left === undefined) return true;
        throw new Error(JSON.stringify(left.status));
      }),
    ready: (name, { kind, timeoutMs } = {}) =>
      eventually(
        `${name} is ready`,
        async () => {
          const found = await cluster.find((kind ?? FavouriteDBInstanceKind) as NonNullable<typeof kind>, {
            name,
          });
          const [ready, synced] = [told(found, 'Ready'), told(found, 'Synced')];
          if (found !== undefined && ready.startsWith('True') && synced.startsWith('True')) return found;
          throw new Error(`${ready}; ${synced}`);
        },
        timeoutMs,
      ),
    says: (name, type, pattern, { kind = instances, timeoutMs } = {}) =>
      eventually(
        `${type} of ${name} is like ${pattern}`,
        async () => {
          const saying = told(await cluster.find(kind, { name }), type);
          if (pattern.test(saying)) return saying;
          throw new Error(saying);
        },
        timeoutMs,
      ),
    describes: (name, pattern, kind = instances) =>
      eventually(`kubectl describe of ${name} shows ${pattern}`, async () => {
        const text = await cluster.kubectl(['describe', resource(kind), name]);
        if (pattern.test(text)) return true;
        throw new Error(text);
      }),
    stored: (name) => favourite.instances().find(({ item }) => item.name === name)?.item,
    secretOf: async (name, namespace = credentialsNamespace) =>
      decodeDetails(await cluster.find(SecretKind, { namespace, name })),
  };
}

/** Networks, where a kind is asked for. */
export const networks = { kind: NetworkKind } as const;
