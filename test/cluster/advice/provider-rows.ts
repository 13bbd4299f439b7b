import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { FavouriteCloud } from '../../../testing/favourite-cloud/server.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import type { Place, Row } from './player.ts';

const cloudOf = ({ clouds: [cloud] }: Place): FavouriteCloud => cloud!;

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
  const command = await at.tracedCommand('reconcile-requested-at');
  cloudOf(at).faults.clear();
  await at.run(command);
}

/** Runs the command that trace prints, with a file of this content in place of FILE. */
async function printedWith(at: Place, content: string): Promise<void> {
  const command = await at.tracedCommand();
  const file = '"$(mktemp)"';
  await at.run(
    `file=${file}; printf %s '${content}' > "$file"; ${command.replace('FILE', '"$file"')}; rm "$file"`,
  );
}

/** The advice of trace has these words. */
const traced = (words: string) => ({
  says: () => words,
  where: async (at: Place) => (await at.trace()).fault?.advice,
});

/** Situations whose advice trace and docs/troubleshooting.md give. */
export const providerRows: Readonly<Record<string, Row>> = {
  'a wrong password of a provider': {
    situation: withCredentials(({ url }) => ({ url, token: 'wrong' })),
    ...traced('correct it where it is written'),
    reason: 'CredentialsRefused',
    fault: 'wrong credentials',
    act: (at) => at.credentials(),
  },
  'a wrong host or port of a provider': {
    situation: withCredentials(({ token }) => ({ url: 'http://127.0.0.1:1', token })),
    ...traced('Check the network, and the address in the credentials'),
    reason: 'ProviderUnreachable',
    fault: 'provider down',
    act: (at) => at.credentials(),
  },
  'credentials that are no JSON object': {
    situation: withCredentials(() => []),
    ...traced('correct it where it is written'),
    reason: 'CannotReadCredentials',
    fault: 'unusable credentials',
    act: (at) => at.credentials(),
  },
  'a missing Secret of a provider': {
    situation: withCredentials(() => undefined),
    ...traced('with the value of the entry "credentials"'),
    reason: 'CannotReadCredentials',
    fault: 'missing credentials',
    act: (at) => printedWith(at, JSON.stringify(at.workingCredentials)),
  },
  'missing rights': {
    situation: refused(403),
    ...traced('Give them the right in the external system, then try again with the first command'),
    reason: 'Forbidden',
    fault: 'not allowed',
    act: retried,
  },
  'an exhausted quota': {
    situation: refused(402),
    ...traced('Have the quota raised'),
    reason: 'QuotaExceeded',
    fault: 'quota',
    act: retried,
  },
  throttling: {
    situation: refused(429),
    ...traced('The controllers try again by themselves'),
    reason: 'Throttled',
    fault: 'rate limited',
    act: (at) => Promise.resolve(cloudOf(at).faults.clear()),
  },
  'a provider that is down and comes back': {
    situation: refused(503),
    ...traced('The controllers continue once it answers'),
    reason: 'ProviderUnreachable',
    fault: 'provider down',
    act: (at) => Promise.resolve(cloudOf(at).faults.clear()),
  },
  'a paused resource': {
    async situation(at) {
      await at.cloud(({ url }) => ({ url, token: 'wrong' }));
      await at.claim({ classRef: at.classRef('own') });
      const { metadata } = await at.resource();
      await at.run(`kubectl annotate favouritedbinstance ${metadata.name} crossplane.io/paused=true`);
      await at.shows('reconciliation is paused', () => at.messagesOf(FavouriteDBInstanceKind, metadata));
      await at.credentials();
    },
    says: () => 'reconciliation is paused by the crossplane.io/paused annotation',
    reason: 'ResourcePaused',
    fault: 'paused',
    act: async (at) => at.run(await at.tracedCommand()),
  },
  'a class that is not for this namespace': {
    async situation(at) {
      const namespaceSelector = { matchLabels: { tier: at.namespace } };
      await at.class('exclusive', { template: { namespaceSelector } });
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
    fault: 'missing credentials',
    async act(at) {
      await at.credentials({ ...at.workingCredentials, token: 'wrong' });
      await at.fixture.readyReason(at.namespace, 'db', 'CredentialsRefused');
      await at.delete(SecretKind, { namespace: credentialsNamespace, name: at.named('cloud') });
      await at.credentials();
    },
  },
};
