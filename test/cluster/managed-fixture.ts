import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { FavouriteDBInstance } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import type { FavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { credentialsNamespace, startFancySQL } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

/** The number of changes that a cloud was asked for until now. */
export const changesAsked = (cloud: FavouriteCloud): number =>
  Object.entries(cloud.calls())
    .filter(([call]) => !call.startsWith('GET '))
    .reduce((sum, [, count]) => sum + count, 0);

/** A cluster and clouds, and the actions of a user on FavouriteDBInstances in it. */
export type ManagedFixture = Awaited<ReturnType<typeof startManaged>>;

export async function startManaged() {
  const fixture = await startFancySQL();
  const { cluster, favourite } = fixture;
  const kind = FavouriteDBInstanceKind;
  let looks = 0;

  /** `kubectl apply` of any objects. */
  const apply = async (...items: readonly object[]): Promise<void> => {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  };
  const annotate = async (name: string, key: string, value: string | null): Promise<void> => {
    await cluster.client.patch(kind, { name }, { metadata: { annotations: { [key]: value } } });
  };
  /** A condition as `Status/Reason: message`. */
  const told = (object: Managed | undefined, type: string): string => {
    const { status, reason = '', message = '' } = getCondition(object?.status?.conditions, type);
    return `${status}/${reason}${message && `: ${message}`}`;
  };

  return {
    ...fixture,
    apply,
    annotate,
    /** A Provider of this name for another cloud. */
    provider(name: string, { url, token }: FavouriteCloud): Promise<void> {
      const secretRef = { namespace: credentialsNamespace, name: `cloud-${name}`, key: 'credentials' };
      return apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: secretRef.namespace, name: secretRef.name },
          stringData: { credentials: JSON.stringify({ url, token }) },
        },
        {
          apiVersion: 'fcp.crossplane.io/v1alpha3',
          kind: 'Provider',
          metadata: { name },
          spec: { credentialsSecretRef: secretRef },
        },
      );
    },
    /** Applies a FavouriteDBInstance of the Provider `favourite`, with a Secret of its own name. */
    instance: (
      name: string,
      spec: Partial<FavouriteDBInstance['spec']> = {},
      annotations: Readonly<Record<string, string>> = {},
    ) =>
      apply({
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: kind.kind,
        metadata: { name, annotations },
        spec: {
          providerRef: { name: 'favourite' },
          writeConnectionSecretToRef: { namespace: credentialsNamespace, name },
          forProvider: { fancinessLevel: 5 },
          ...spec,
        },
      }),
    network: (name: string, metadata: Partial<KubernetesObject['metadata']>) =>
      apply({
        apiVersion: 'network.fcp.crossplane.io/v1alpha3',
        kind: 'Network',
        metadata: { name, ...metadata },
        spec: { providerRef: { name: 'favourite' }, forProvider: {} },
      }),
    async patch(name: string, spec: object): Promise<void> {
      await cluster.client.patch(kind, { name }, { spec });
    },
    /** Requests an observation of the external resource now. */
    look: (name: string) => annotate(name, 'crossplane.io/reconcile-requested-at', `${++looks}`),
    /** Without waiting. */
    async remove(name: string): Promise<void> {
      await cluster.client.delete(kind, { name }, {});
    },
    gone: (name: string) =>
      eventually(`${name} is gone`, async () => {
        const left = await cluster.find(kind, { name });
        if (left === undefined) return true;
        throw new Error(JSON.stringify(left.status));
      }),
    /** Waits until a managed resource is Ready and Synced, and answers with it. */
    ready: <M extends Managed = FavouriteDBInstance>(
      name: string,
      {
        kind: of = kind as unknown as Kind<M>,
        timeoutMs,
      }: { readonly kind?: Kind<M>; readonly timeoutMs?: number } = {},
    ): Promise<M> =>
      eventually(
        `${name} is ready`,
        async () => {
          const found = await cluster.find(of, { name });
          const [ready, synced] = [told(found, 'Ready'), told(found, 'Synced')];
          if (found !== undefined && ready.startsWith('True') && synced.startsWith('True')) return found;
          throw new Error(`${ready}; ${synced}`);
        },
        timeoutMs,
      ),
    /** Waits until a condition is like this. */
    says: (name: string, type: string, pattern: RegExp) =>
      eventually(`${type} of ${name} is like ${pattern}`, async () => {
        const saying = told(await cluster.find(kind, { name }), type);
        if (pattern.test(saying)) return saying;
        throw new Error(saying);
      }),
    /** Waits until `kubectl describe` shows this. */
    describes: (name: string, pattern: RegExp) =>
      eventually(`kubectl describe of ${name} shows ${pattern}`, async () => {
        const text = await cluster.kubectl(['describe', `${kind.plural}.${kind.group}`, name]);
        if (pattern.test(text)) return true;
        throw new Error(text);
      }),
    /** The instance in the cloud. */
    stored: (name: string) => favourite.instances().find(({ item }) => item.name === name)?.item,
    secretOf: async (name: string) =>
      decodeDetails(await cluster.find(SecretKind, { namespace: credentialsNamespace, name })),
  };
}
