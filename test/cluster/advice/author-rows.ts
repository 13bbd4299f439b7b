import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { advice as clientAdvice } from '../../../clients/advice.ts';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { about } from './player.ts';

/** A resource in the cloud of a row, as a user creates one in its console. */
export async function inCloud(at: Place, path: string, body: object): Promise<void> {
  const [cloud] = at.clouds;
  const headers = { authorization: `Bearer ${cloud?.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${cloud?.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path} answers ${answer.status}: ${await answer.text()}`);
}

const networks = (at: Place): readonly string[] => at.clouds[0]?.networks().map(({ item }) => item.id) ?? [];

const network = (at: Place, annotations = {}) =>
  at.create(
    NetworkKind,
    'net',
    { providerConfigRef: { name: at.named('cloud') }, forProvider: {} },
    annotations,
  );

const networkRow = about(NetworkKind, 'net');

const nameNetwork = (at: Place): Promise<void> =>
  at.annotate(NetworkKind, at.named('net'), `${annotationKeys.externalName}=${networks(at)[0]}`);

/** A network of a user, and a Network whose external name is mistyped. */
const mistyped: Row['situation'] = async (at) => {
  await at.cloud();
  await inCloud(at, '/v1/networks', { display_name: 'theirs' });
  await network(at, { [annotationKeys.externalName]: 'net-missing' });
};

/** A user created an instance of the name that a managed resource has. */
const occupied: Row['situation'] = async (at) => {
  await at.cloud();
  const foreign = { fanciness_level: 3, password: 'a-password-of-theirs' };
  await inCloud(at, '/v1/instances', { name: at.named('db'), ...foreign });
  const provider = { providerRef: undefined, providerConfigRef: { name: at.named('cloud') } };
  await at.managed('db', provider as object);
};

const instanceRow = about(FavouriteDBInstanceKind, 'db');

export const authorRows = {
  observeExisting: {
    ...instanceRow,
    situation: occupied,
    act: (at) => at.editPolicies(at.named('db'), ['Observe']),
    // The password in its Secret was never set. Synced reports that until the Secret is deleted.
    ends: async (at) => (await instanceRow.where(at)).includes(advice.forgetCredential),
  },
  forgetCredential: {
    ...instanceRow,
    async situation(at) {
      await occupied(at);
      await eventually('the name is taken', async () => /exists and/.test(await instanceRow.where(at)));
      await at.editPolicies(at.named('db'), ['Observe']);
    },
    async act(at) {
      const { find } = at.fixture.cluster;
      const resource = await find(FavouriteDBInstanceKind, { name: at.named('db') });
      const key = resource?.spec.writeConnectionSecretToRef ?? { namespace: '', name: '' };
      await at.delete(SecretKind, key);
      await eventually('the Secret has an address', async () => {
        const data = (await find(SecretKind, key))?.data;
        return data?.endpoint !== undefined && data.password === undefined;
      });
      const password = Buffer.from('a-password-of-theirs').toString('base64');
      await at.edit(SecretKind, key, { data: { password } } as object);
    },
  },
  correctWrittenName: { ...networkRow, situation: mistyped, act: nameNetwork },
  removeWrittenName: {
    ...networkRow,
    situation: mistyped,
    says: () => 'remove it to have a network created',
    act: (at) => at.annotate(NetworkKind, at.named('net'), `${annotationKeys.externalName}-`),
  },
  nameRightOne: {
    ...networkRow,
    async situation(at) {
      await at.cloud();
      const tags = ownerTags({ kind: 'network.network.fcp.crossplane.io', name: at.named('net') });
      for (const display_name of ['one', 'other']) await inCloud(at, '/v1/networks', { display_name, tags });
      await eventually('both are there', async () => networks(at).length === 2);
      await network(at);
    },
    act: nameNetwork,
  },
} satisfies RowsFor<typeof advice>;

/** The advice of errors that the clients of all clouds share. */
export const cloudRows = {
  correctUrl: {
    async situation(at) {
      await at.cloud(({ url, token }) => ({ url: url.replace('http:', 'https:'), token }));
      await at.claim({ classRef: at.classRef('own') });
    },
    reason: 'TlsFailed',
    fault: 'no secure connection',
    act: (at) => at.credentials(),
  },
} satisfies RowsFor<typeof clientAdvice>;

/** Situations in which a catalogue's advice is read that has another row. */
export const moreAuthorRows: Readonly<Record<string, Row>> = {
  'an external resource of the name has no owner': {
    ...instanceRow,
    situation: occupied,
    says: () => advice.setExternalName,
    act: (at) =>
      at.annotate(FavouriteDBInstanceKind, at.named('db'), `${annotationKeys.externalName}=${at.named('a')}`),
  },
};
