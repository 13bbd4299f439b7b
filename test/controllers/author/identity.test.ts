import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { stackControllers } from '../../../controllers/core/stack.ts';
import type { InProcessCloud } from '../../fakes/in-process-cloud.ts';
import { carrierTo, inProcessCloud } from '../../fakes/in-process-cloud.ts';
import { FakeCluster, FakeProcess } from '../core/environment-fake.ts';
import type { CloudKinds } from './kinds.ts';
import { clouds } from './kinds.ts';
import { secretOf } from '../core/objects.ts';

const started: FakeProcess[] = [];
afterEach(() => {
  for (const process of started.splice(0)) process.stop();
});

/** Two clouds of one flavour, and a database named `cool` that was made in the first. */
async function made({ flavour, stack, kind, providerConfig, forProvider }: CloudKinds) {
  const cluster = new FakeCluster();
  const begin = (url: string): InProcessCloud => inProcessCloud(cluster.clock, { flavour, url });
  const [home, elsewhere] = [begin('http://home.test'), begin('http://elsewhere.test')];
  const over = stack(carrierTo(home, elsewhere));
  const process = new FakeProcess(cluster, (env) => stackControllers(env, [over]));
  started.push(process);
  const lead = (name: string, { url, token }: { readonly url: string; readonly token: string }): void => {
    const metadata = { namespace: 'infra', name };
    const data = encodeDetails({ credentials: JSON.stringify({ url, token }) });
    cluster.put<Secret>(SecretKind, secretOf(metadata, { data }));
    cluster.put(providerConfig, {
      apiVersion: `${providerConfig.group}/${providerConfig.version}`,
      kind: 'ProviderConfig',
      metadata: { name },
      spec: { credentials: { source: 'Secret', secretRef: { ...metadata, key: 'credentials' } } },
    } as never);
  };
  lead('default', home);
  cluster.put<Managed>(kind, {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: 'cool' },
    spec: { forProvider },
  });
  await process.settle();
  const find = () => cluster.get<Managed>(kind, { name: 'cool' });
  const condition = (type: string) => getCondition(find()?.status?.conditions, type);
  assert.equal(condition('Ready').status, 'True');
  const edit = (change: (managed: Managed) => Managed): void =>
    void cluster.edit(kind, { name: 'cool' }, change);
  const look = async (): Promise<void> => {
    cluster.clockMs += 3_000; // credentials that were read are used for a while
    process.resync(kind);
    await process.settle(20_000);
  };
  return { cluster, home, elsewhere, lead, find, condition, edit, look, kind };
}

const namesIn = (cloud: InProcessCloud) => cloud.instances().map(({ item }) => item.name);

for (const [name, kinds] of Object.entries(clouds)) {
  describe(`${name}: a provider that leads to another cloud`, () => {
    type World = Awaited<ReturnType<typeof made>>;
    const ways: Record<string, (world: World) => void> = {
      'by other credentials': ({ lead, elsewhere }) => lead('default', elsewhere),
      'by another ProviderConfig': ({ lead, elsewhere, edit }) => {
        lead('other', elsewhere);
        edit(({ spec, ...rest }) => ({ ...rest, spec: { ...spec, providerConfigRef: { name: 'other' } } }));
      },
    };
    for (const [way, move] of Object.entries(ways)) {
      test(`${way}: nothing is made there, and nothing is forgotten here`, async () => {
        const world = await made(kinds);
        const { home, elsewhere, condition, look } = world;
        move(world);
        await look();
        assert.deepEqual([namesIn(home), namesIn(elsewhere)], [['cool'], []]);
        assert.match(condition('Synced').message ?? '', /the provider connects to http\S+, but/);
        assert.equal(condition('Ready').status, 'True');
      });
    }

    test('to the same cloud by another name or with a new token, nothing is amiss', async () => {
      const { home, lead, edit, look, condition } = await made(kinds);
      lead('same', home);
      edit(({ spec, ...rest }) => ({ ...rest, spec: { ...spec, providerConfigRef: { name: 'same' } } }));
      await look();
      assert.equal(condition('Synced').status, 'True');
      lead('same', { url: `${home.url}/`, token: 'wrong-token' });
      await look();
      assert.match(condition('Synced').message ?? '', /refused the token/);
      lead('same', home);
      await look();
      assert.deepEqual([condition('Synced').status, namesIn(home)], ['True', ['cool']]);
    });
  });
}
