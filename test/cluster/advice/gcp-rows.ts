import { RedisClusterKind } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { advice as clientAdvice } from '../../../clients/advice.ts';
import { howToMakeAvailable } from '../../../controllers/claim-binding/report.ts';
import type { advice } from '../../../stacks/gcp/advice.ts';
import type { LocalGoogleCloud } from '../../../stacks/gcp/emulator/server.ts';
import { startGoogleCloud } from '../../../stacks/gcp/emulator/server.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import { ProviderConfigKind } from '../../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { about } from './player.ts';

const clouds = new Map<string, LocalGoogleCloud>();

const projectID = 'example-project';

/** An emulated Google Cloud. */
async function googleCloudOf(at: Place): Promise<LocalGoogleCloud> {
  const cloud = await startGoogleCloud({ provisioningMs: 50 });
  at.servers.push(cloud);
  clouds.set(at.namespace, cloud);
  at.logins.push(({ password }) =>
    cloud.instances.all().some(({ authString }) => authString !== undefined && authString === password),
  );
  return cloud;
}

/** A ProviderConfig for the row's cloud. */
async function providerConfig(at: Place, project = projectID): Promise<void> {
  const endpoint = clouds.get(at.namespace)?.url;
  const credentials = at.inSecret('gcp', 'key.json');
  await at.create(ProviderConfigKind, 'gcp', { projectID: project, endpoint, credentials });
}

/** Puts a new key into the Secret of the provider. Returns it. */
async function putKey(at: Place) {
  const key = clouds.get(at.namespace)!.createKey();
  await at.secret(credentialsNamespace, at.named('gcp'), { 'key.json': JSON.stringify(key) });
  return key;
}

const topicRow = about(TopicKind, 'topic');

const topic = (at: Place) =>
  at.create(TopicKind, 'topic', { providerConfigRef: { name: at.named('gcp') }, forProvider: {} });

/** The advice of the errors of Google Cloud. */
export const gcpClientRows = {
  replaceKey: {
    ...topicRow,
    async situation(at) {
      const cloud = await googleCloudOf(at);
      const { client_email, private_key_id } = await putKey(at);
      cloud.accounts.deleteKey(client_email, private_key_id);
      await providerConfig(at);
      await topic(at);
    },
    act: putKey,
  },
  correctProject: {
    ...topicRow,
    async situation(at) {
      await googleCloudOf(at);
      await putKey(at);
      await providerConfig(at, 'no-such-project');
      await topic(at);
    },
    act: (at) => at.editSpec(ProviderConfigKind, 'gcp', { projectID }),
  },
  setOwnerTags: {
    ...topicRow,
    async situation(at) {
      await googleCloudOf(at);
      await putKey(at);
      await providerConfig(at);
      await topic(at);
      await at.working(TopicKind, 'topic');
      nameOwner(at, 'thief');
      await at.observeAgain(TopicKind, at.named('topic'));
    },
    says: (at) =>
      `to hand it to this resource, with its data, set its tags (or labels) crossplane-kind=topic_pubsub_gcp_crossplane_io and crossplane-name=${at.named('topic')}`,
    act: async (at) => nameOwner(at, at.named('topic')),
  },
} satisfies RowsFor<typeof advice & typeof clientAdvice>;

/** Changes the owner in the labels of the row's topic, in Google Cloud. */
function nameOwner(at: Place, name: string): void {
  const { topics } = clouds.get(at.namespace)!;
  for (const stored of topics.all()) {
    const { labels } = stored.fields as { readonly labels?: object };
    const fields = { ...stored.fields, labels: { ...labels, 'crossplane-name': name } };
    topics.drift(stored.name, { ...stored, fields });
  }
}

const instanceOf = async (at: Place, name: string): Promise<string> =>
  eventually('the claim is bound', async () => {
    const found = await at.fixture.cluster.find(RedisClusterKind, { namespace: at.namespace, name });
    return (await at.usable(name, RedisClusterKind)) ? found?.spec.resourceRef?.name : undefined;
  });

const redisClaim = (at: Place, name: string, spec: object) =>
  at.make(RedisClusterKind, { ...at.key, name }, { spec: { ...spec, writeConnectionSecretToRef: { name } } });

const resources = new Map<string, string>();

/** A released instance whose AUTH string the previous claim knows. */
export const knownAuthString: Row = {
  async situation(at) {
    await googleCloudOf(at);
    await putKey(at);
    await providerConfig(at);
    const name = at.named('gcp');
    await at.makeClass(CloudMemorystoreInstanceClassKind, 'gcp', {
      providerConfigRef: { name },
      reclaimPolicy: 'Retain',
      forProvider: { region: 'us-central1', tier: 'STANDARD_HA', memorySizeGb: 5, authEnabled: true },
    });
    const kind = 'CloudMemorystoreInstance';
    const apiVersion = 'cache.gcp.crossplane.io/v1beta1';
    await redisClaim(at, 'first', { classRef: { apiVersion, kind: `${kind}Class`, name } });
    const resource = await instanceOf(at, 'first');
    resources.set(at.namespace, resource);
    const first = { namespace: at.namespace, name: 'first' };
    await at.delete(RedisClusterKind, first);
    const find = () => at.fixture.cluster.find(RedisClusterKind, first);
    await eventually('the claim is gone', async () => (await find()) === undefined);
    await redisClaim(at, 'db', { resourceRef: { apiVersion, kind, name: resource } });
    const claim = await at.fixture.cluster.find(RedisClusterKind, at.key);
    const released = await at.fixture.cluster.find(CloudMemorystoreInstanceKind, { name: resource });
    await at.run(howToMakeAvailable(CloudMemorystoreInstanceKind as never, released, claim!));
  },
  where: (at) => at.messagesOf(CloudMemorystoreInstanceKind, { name: resources.get(at.namespace) ?? '' }),
  async act(at) {
    const instances = clouds.get(at.namespace)!.instances;
    for (const instance of instances.all()) {
      instances.drift(instance.name, { ...instance, authString: 'another-auth-string' });
    }
    const resource = resources.get(at.namespace) ?? '';
    const sameCredentials = `${annotationKeys.reoffer}=with-same-credentials`;
    await at.annotate(CloudMemorystoreInstanceKind, resource, sameCredentials);
  },
  ends: (at) => at.usable('db', RedisClusterKind),
};
