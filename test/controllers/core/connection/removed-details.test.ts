import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportedDetails } from '../../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import type { VaultClient, VaultSecret } from '../../../../clients/vault.ts';
import {
  publisherChain,
  secretPublisher,
} from '../../../../controllers/core/connection/connection-publisher.ts';
import { kubernetesStore } from '../../../../controllers/core/connection/kubernetes-store.ts';
import type {
  Place,
  Publication,
  PublishedBefore,
} from '../../../../controllers/core/connection/published-details.ts';
import {
  publication,
  publishedAt,
  revisionOf,
} from '../../../../controllers/core/connection/published-details.ts';
import type { SecretStore } from '../../../../controllers/core/connection/secret-store.ts';
import { storePublisher } from '../../../../controllers/core/connection/store-publisher.ts';
import { vaultStore } from '../../../../controllers/core/connection/vault-store.ts';
import { connectionSecrets } from '../../../../controllers/core/indexes.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { managed } from '../objects.ts';

const signal = new AbortController().signal;
/** Of `password=p` and `endpoint=e`. */
const [ofP, ofE] = ['AawyxE6HnV', 'tDpcXCzAmW'];

/** A place with this record of what was published there. */
function place(data: Place['data'], record?: Readonly<Record<string, string | null>>, revision = 1): Place {
  const annotations =
    record &&
    ({
      'crossplane.io/published-details': JSON.stringify(record),
      'crossplane.io/published-revision': String(revision),
    } as const);
  const published = Object.fromEntries(
    Object.entries(data).filter(([key]) => record === undefined || typeof record[key] === 'string'),
  );
  return { data, annotations, published };
}
const record = (told: Readonly<Record<string, string | null>>, revision: number) => ({
  'crossplane.io/published-details': JSON.stringify(told),
  'crossplane.io/published-revision': String(revision),
});

describe('what publishing no password any more does at a place', () => {
  const both = { endpoint: 'e', password: 'p' };
  const before: PublishedBefore = { details: both, revision: 1 };
  const without: ReportedDetails = { endpoint: 'e', password: null };
  const removed = ['password'];
  const rows: Record<
    string,
    { at: Place; before: PublishedBefore; details?: ReportedDetails; want: Publication }
  > = {
    'that has published one: it goes, and that it has gone is on record and counts': {
      at: place(both, { endpoint: ofE, password: ofP }),
      before,
      want: { news: {}, removed, annotations: record({ endpoint: ofE, password: null }, 2) },
    },
    'where somebody has edited it: it was ours, and goes': {
      at: { ...place(both, { endpoint: ofE, password: 'of another' }), published: { endpoint: 'e' } },
      before: { details: { endpoint: 'e' }, revision: 1, lost: removed },
      want: { news: {}, removed, annotations: record({ endpoint: ofE, password: null }, 2) },
    },
    'that does not say who has published it: it goes': {
      at: place(both),
      before: { details: both, revision: 0 },
      want: {
        news: {},
        removed,
        annotations: record({ endpoint: ofE, password: null }, 1),
      },
    },
    'where it has been removed: nothing': {
      at: place({ endpoint: 'e' }, { endpoint: ofE, password: null }, 2),
      before: { details: { endpoint: 'e' }, revision: 2, removed },
      want: { news: {}, removed: [], annotations: { 'crossplane.io/published-revision': '2' } },
    },
    'where somebody has put one of his own since: it stays': {
      at: place(both, { endpoint: ofE, password: null }, 2),
      before: { details: { endpoint: 'e' }, revision: 2, removed },
      want: { news: {}, removed: [], annotations: { 'crossplane.io/published-revision': '2' } },
    },
    'where there has never been one: that is on record with what is published, so that one of somebody else stays':
      {
        at: place({}, undefined),
        before: { details: {}, revision: 0 },
        want: {
          news: { endpoint: 'e' },
          removed: [],
          annotations: {
            'crossplane.io/published-details': JSON.stringify({ endpoint: ofE, password: null }),
          },
        },
      },
    'that was left out when it was removed elsewhere: it goes there, too': {
      at: place(both, { endpoint: ofE, password: ofP }, 1),
      before: { details: { endpoint: 'e' }, revision: 2, removed },
      want: { news: {}, removed, annotations: record({ endpoint: ofE, password: null }, 2) },
    },
    'of which there is a new one: it is published, and what was removed is so no more': {
      at: place({ endpoint: 'e' }, { endpoint: ofE, password: null }, 2),
      before: { details: { endpoint: 'e' }, revision: 2, removed },
      details: both,
      want: {
        news: { password: 'p' },
        removed: [],
        annotations: record({ endpoint: ofE, password: ofP }, 3),
      },
    },
    'where another process has removed it since it was read: it does not come back': {
      at: place({ endpoint: 'e' }, { endpoint: ofE, password: null }, 2),
      before,
      details: both,
      want: { news: {}, removed: [], annotations: { 'crossplane.io/published-revision': '2' } },
    },
  };
  for (const [what, { at, before: had, details = without, want }] of Object.entries(rows)) {
    test(what, () => {
      const { annotations, ...done } = publication(at, details, had);
      const { annotations: told, ...wanted } = want;
      const parsed = (all: Publication['annotations']) => ({
        ...all,
        'crossplane.io/published-details': JSON.parse(all['crossplane.io/published-details'] ?? 'null'),
      });
      assert.deepEqual([done, parsed(annotations)], [wanted, parsed(told)]);
    });
  }

  const counted: Record<string, { details: ReportedDetails; before: PublishedBefore; revision: number }> = {
    'that there is none any more': { details: without, before, revision: 2 },
    'that there is none, where there was none': {
      details: without,
      before: { details: { endpoint: 'e' }, revision: 1 },
      revision: 1,
    },
    'that there is none of what is not to be believed': {
      details: without,
      before: { details: { endpoint: 'e' }, revision: 1, lost: removed },
      revision: 2,
    },
    'that there is no user name any more': {
      details: { username: null },
      before: { details: { username: 'u' }, revision: 1 },
      revision: 2,
    },
  };
  for (const [what, { details, before: had, revision }] of Object.entries(counted)) {
    test(`the revision ${revision > had.revision ? 'counts' : 'does not count'} ${what}`, () =>
      assert.equal(revisionOf(details, had), revision));
  }

  test('what is there of a key that was removed is neither known nor lost', () => {
    const at = place(both, { endpoint: ofE, password: null }, 2);
    assert.deepEqual(publishedAt(at), { details: { endpoint: 'e' }, revision: 2, removed });
  });
});

const to = { namespace: 'infra', name: 'db-connection' };
const publishing = managed({
  writeConnectionSecretToRef: to,
  publishConnectionDetailsTo: { name: 'orders' },
});
const first = { endpoint: 'e', password: 'p' };

/** A Vault in memory: one engine, each secret at its path. */
function memoryVault() {
  const all = new Map<string, VaultSecret>();
  const calls: string[] = [];
  let untilCut = Number.POSITIVE_INFINITY;
  const writing = (verb: string): void => {
    if (untilCut <= 0) throw new Error('the process has ended');
    untilCut -= 1;
    calls.push(verb);
  };
  const client: VaultClient = {
    read: async (path) => all.get(path),
    async write(path, data, { cas }) {
      const { version = 0, customMetadata = {} } = all.get(path) ?? {};
      assert.equal(cas, version);
      writing('write');
      all.set(path, { data, version: version + 1, customMetadata });
    },
    async writeMetadata(path, customMetadata) {
      writing('writeMetadata');
      all.set(path, { data: undefined, version: 0, ...all.get(path), customMetadata });
    },
    remove: async (path) => void all.delete(path),
    close: async () => {},
  };
  return {
    calls,
    client,
    data: () => all.get('s/orders')?.data ?? {},
    edit(data: VaultSecret['data']) {
      const found = all.get('s/orders') ?? assert.fail('nothing is published');
      all.set('s/orders', { ...found, data, version: found.version + 1 });
    },
    /** From then on nothing is written. */
    cutAfter: (writes: number) => {
      untilCut = writes;
    },
  };
}

type Vault = ReturnType<typeof memoryVault>;

/** A resource that publishes to its secret and to a secret store, and a process over both. */
function places(openStore: (process: FakeProcess, vault: Vault) => SecretStore) {
  const cluster = new FakeCluster();
  const vault = memoryVault();
  const start = () => {
    const process = new FakeProcess(cluster);
    const stores = {
      open: async () => openStore(process, vault),
      removeFormer: async () => {},
      triggers: () => [],
    };
    return publisherChain([secretPublisher(connectionSecrets(process.env)), storePublisher(stores)]);
  };
  /** As a run does it: what is known is read first. */
  const publish = async (details: ReportedDetails) => {
    const chain = start();
    const before = await chain.published(publishing, signal);
    const gone = Object.fromEntries((before.removed ?? []).map((key) => [key, null]));
    await chain.publish(publishing, { ...gone, ...before.details, ...details }, signal, before);
    return start().published(publishing, signal);
  };
  const inSecret = () => decodeDetails(cluster.get(SecretKind, to));
  return { cluster, vault, publish, inSecret };
}

const inVault = (_process: FakeProcess, { client }: Vault): SecretStore =>
  vaultStore(client, { server: 'https://vault', mountPath: 'secret', scope: 's' });

describe('a detail of which there is none any more', () => {
  test('goes from the secret and from Vault, in one write each of its data; then nothing is written', async () => {
    const { cluster, vault, publish, inSecret } = places(inVault);
    await publish(first);
    cluster.takeWrites();
    vault.calls.length = 0;
    const known = await publish({ password: null });
    assert.deepEqual([inSecret(), vault.data()], [{ endpoint: 'e' }, { endpoint: 'e' }]);
    assert.deepEqual(known, {
      details: { endpoint: 'e' },
      revision: 2,
      givesWay: false,
      removed: ['password'],
    });
    assert.deepEqual(
      [cluster.takeWrites(), vault.calls.splice(0)],
      [['update Secret infra/db-connection'], ['write', 'writeMetadata']],
    );
    assert.deepEqual(await publish({ password: null }), known);
    assert.deepEqual([cluster.takeWrites(), vault.calls], [[], []]);
  });

  test('goes from a secret store in the cluster', async () => {
    const { cluster, publish } = places((process) =>
      kubernetesStore(connectionSecrets(process.env), 'vaulted'),
    );
    await publish(first);
    await publish({ password: null });
    const stored = cluster.get(SecretKind, { namespace: 'vaulted', name: 'orders' });
    assert.deepEqual(decodeDetails(stored), { endpoint: 'e' });
  });

  test('goes from all of them though the process ends between two writes, and though it is said but once', async () => {
    for (const writes of [0, 1, 2]) {
      const { vault, publish, inSecret } = places(inVault);
      await publish(first);
      vault.cutAfter(writes);
      if (writes < 2) await assert.rejects(publish({ password: null }), /the process has ended/);
      else await publish({ password: null });
      vault.cutAfter(Number.POSITIVE_INFINITY);
      const { details } = await publish({});
      assert.deepEqual(
        [details, inSecret(), vault.data()],
        [{ endpoint: 'e' }, { endpoint: 'e' }, { endpoint: 'e' }],
      );
    }
  });

  test("somebody's own keys stay, also one of that name that he puts there afterwards", async () => {
    const { cluster, vault, publish, inSecret } = places(inVault);
    await publish(first);
    const own = (more: Readonly<Record<string, string>>) => {
      const add = { ...inSecret(), ...more };
      cluster.edit(SecretKind, to, (secret) => ({ ...secret, data: encodeDetails(add) }));
      vault.edit({ ...vault.data(), ...more });
    };
    own({ note: 'n' });
    await publish({ password: null });
    assert.deepEqual(inSecret(), { endpoint: 'e', note: 'n' });
    own({ password: 'his' });
    const { details } = await publish({ password: null });
    assert.deepEqual(
      [details.password, inSecret().password, vault.data().password],
      [undefined, 'his', 'his'],
    );
  });

  test('that was published nowhere makes no secret', async () => {
    const { cluster, publish } = places(inVault);
    await publish({ password: null });
    assert.deepEqual(cluster.takeWrites(), []);
  });

  test('and that another process has set anew since it was read, stays, and counts as lost', async () => {
    const cluster = new FakeCluster();
    const only = managed({ writeConnectionSecretToRef: to });
    const publisher = secretPublisher(connectionSecrets(new FakeProcess(cluster).env));
    await publisher.publish(only, { password: 'theirs' }, signal);
    const late = publisher.publish(only, { password: null }, signal, {
      details: { password: 'p' },
      revision: 1,
    });
    await assert.rejects(late, /another process has published password meanwhile/);
    assert.deepEqual(await publisher.known(only, signal), { details: {}, revision: 2, lost: ['password'] });
  });

  test('stays in a secret that cannot be written, and the resource says so', async () => {
    const { cluster, publish, inSecret } = places(inVault);
    await publish(first);
    cluster.before('update', SecretKind, () => {
      throw broken();
    });
    await assert.rejects(publish({ password: null }), /cannot create or update connection secret/);
    assert.deepEqual(inSecret(), first);
  });
});
