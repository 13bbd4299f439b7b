import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { FavouriteDBInstanceClassKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../../apis/fcp/v1alpha3/provider.ts';
import type { FavouriteCloud } from '../../../emulators/favourite-cloud/server.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import type { Place, Row } from './player.ts';

const cloudOf = ({ clouds: [cloud] }: Place): FavouriteCloud => cloud!;

/** The credentials that work. */
const right = (at: Place): object => ({ url: cloudOf(at).url, token: cloudOf(at).token });

/** A claim of a class whose provider has these credentials. */
const withCredentials =
  (credentials: (cloud: FavouriteCloud) => object | undefined): Row['situation'] =>
  async (at) => {
    await at.cloud(credentials);
    await at.claim({ classRef: at.classRef('own') });
  };

/** A claim of a class whose cloud refuses every creation with this status. */
const refused =
  (status: number, method = 'POST'): Row['situation'] =>
  async (at) => {
    const cloud = await at.cloud();
    cloud.faults.inject({ kind: 'fail', status, times: 1_000_000, method });
    await at.claim({ classRef: at.classRef('own') });
  };

/** The cloud answers again, and the reader runs the command that trace prints. */
async function retried(at: Place): Promise<void> {
  const { commands = [] } = (await at.trace()).fault ?? {};
  cloudOf(at).faults.clear();
  await at.run(commands.find((command) => command.includes('reconcile-requested-at')) ?? 'false');
}

/** Runs the commands that trace prints. */
async function printed(at: Place): Promise<void> {
  for (const command of (await at.trace()).fault?.commands ?? []) await at.run(command);
}

/** Situations whose advice trace and docs/operating.md give. */
export const providerRows: Readonly<Record<string, Row>> = {
  'a wrong password of a provider': {
    situation: withCredentials(({ url }) => ({ url, token: 'wrong' })),
    says: () => '',
    reason: 'CredentialsRefused',
    fault: 'wrong credentials',
    act: (at) => at.credentials(right(at)),
  },
  'a wrong host or port of a provider': {
    situation: withCredentials(({ token }) => ({ url: 'http://127.0.0.1:1', token })),
    says: () => '',
    reason: 'ProviderUnreachable',
    fault: 'provider down',
    act: (at) => at.credentials(right(at)),
  },
  'credentials that are no JSON object': {
    situation: withCredentials(() => []),
    says: () => '',
    reason: 'CannotReadCredentials',
    act: (at) => at.credentials(right(at)),
  },
  'a missing Secret of a provider': {
    situation: withCredentials(() => undefined),
    says: () => '',
    reason: 'CannotReadCredentials',
    fault: 'missing credentials',
    act: (at) => at.credentials(right(at)),
  },
  'a missing ProviderConfig': {
    async situation(at) {
      await at.cloud();
      await at.delete(ProviderConfigKind, { name: at.named('cloud') });
      await at.claim({ classRef: at.classRef('own') });
    },
    says: () => '',
    fault: 'missing provider',
    act: (at) =>
      at.fixture.cluster.client.create(ProviderConfigKind, {
        apiVersion: 'fcp.crossplane.io/v1alpha3',
        kind: 'ProviderConfig',
        metadata: { name: at.named('cloud') },
        spec: {
          credentials: {
            source: 'Secret',
            secretRef: { namespace: credentialsNamespace, name: at.named('cloud'), key: 'credentials' },
          },
        },
      } as never),
  },
  'missing rights': {
    situation: refused(403),
    says: () => '',
    reason: 'Forbidden',
    fault: 'not allowed',
    act: retried,
  },
  'an exhausted quota': {
    situation: refused(402),
    says: () => '',
    reason: 'QuotaExceeded',
    fault: 'quota',
    act: retried,
  },
  throttling: {
    situation: refused(429),
    says: () => '',
    reason: 'Throttled',
    fault: 'rate limited',
    act: (at) => Promise.resolve(cloudOf(at).faults.clear()),
  },
  'a provider that is down and comes back': {
    situation: refused(503),
    says: () => '',
    reason: 'ProviderUnreachable',
    fault: 'provider down',
    act: retried,
  },
  'a paused resource': {
    async situation(at) {
      await at.cloud(({ url }) => ({ url, token: 'wrong' }));
      await at.claim({ classRef: at.classRef('own') });
      const { metadata } = await at.resource();
      await at.run(`kubectl annotate favouritedbinstance ${metadata.name} crossplane.io/paused=true`);
      await at.credentials(right(at));
    },
    says: () => 'reconciliation is paused by the crossplane.io/paused annotation',
    reason: 'ResourcePaused',
    fault: 'paused',
    act: (at) => printed(at),
  },
  'no class has the labels': {
    situation: (at) => at.claim({ classSelector: { matchLabels: { for: at.namespace } } }),
    says: () => `no resource class matches spec.classSelector for=`,
    reason: 'NoMatchingClass',
    fault: 'no match',
    act: (at) =>
      at.edit(
        FavouriteDBInstanceClassKind,
        { name: at.named('small') },
        {
          metadata: { labels: { for: at.namespace } },
        },
      ),
  },
  'a class that is not for this namespace': {
    async situation(at) {
      await at.class('exclusive', {
        template: { namespaceSelector: { matchLabels: { tier: at.namespace } } },
      });
      await at.claim({ classRef: at.classRef('exclusive') });
    },
    says: () => 'specTemplate.namespaceSelector does not select it',
    reason: 'NamespaceNotAllowed',
    fault: 'namespace not allowed',
    act: (at) => at.run(`kubectl label namespace ${at.namespace} tier=${at.namespace}`),
  },
  'a late Secret of a provider': {
    async situation(at) {
      await at.cloud(() => undefined);
      await at.claim({ classRef: at.classRef('own') });
      await at.fixture.readyReason(at.namespace, 'db', 'CannotReadCredentials');
    },
    says: () => '',
    async act(at) {
      await at.credentials({ url: cloudOf(at).url, token: 'wrong' });
      await at.fixture.readyReason(at.namespace, 'db', 'CredentialsRefused');
      await at.delete(SecretKind, { namespace: credentialsNamespace, name: at.named('cloud') });
      await at.credentials(right(at));
    },
  },
};
