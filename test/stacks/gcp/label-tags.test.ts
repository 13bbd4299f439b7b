import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { googleCloudClient } from '../../../stacks/gcp/client/google-cloud.ts';
import type { Topic } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import { TopicKind } from '../../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import { ProviderConfigKind } from '../../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import { newLabels, withLabelsOf } from '../../../stacks/gcp/labels.ts';
import { createGcpStack } from '../../../stacks/gcp/stack.ts';
import { FakeCluster } from '../../controllers/cluster-fake.ts';
import { FakeProcess } from '../../controllers/environment-fake.ts';
import { inProcessGoogleCloud } from '../../fakes/in-process-google-cloud.ts';
import { topic } from './objects.ts';

describe('the Kubernetes labels that a provider of Google Cloud lists', () => {
  const labels = { costCentre: '47.11', 'example.com/team': 'A', other: 'b' };

  test('are among the labels of the resource, in the characters that Google allows', () => {
    const given = topic({ labels: { stage: 'test', costcentre: '1' } }, { labels });
    const { spec } = withLabelsOf(given, ['costCentre', 'example.com/team', 'absent']);
    assert.deepEqual(spec.forProvider.labels, {
      stage: 'test',
      costcentre: '47_11',
      example_com_team: 'a',
    });
  });

  test('change no resource that lacks them, or whose provider lists none', () => {
    const given = topic({}, { labels });
    for (const keys of [undefined, [], ['absent']]) assert.equal(withLabelsOf(given, keys), given);
  });

  test('never replace the owner of the resource, however they are written', () => {
    const names = [
      'crossplane-kind',
      'Crossplane-Kind',
      'CROSSPLANE-NAME',
      'crossplane-class',
      'goog-managed',
    ];
    const hostile = Object.fromEntries([...names, 'constructor', 'toString'].map((key) => [key, 'Mine']));
    const given = topic({}, { labels: hostile });
    const { spec } = withLabelsOf(given, [...Object.keys(hostile), '__proto__']);
    const users = { constructor: 'mine', tostring: 'mine' };
    assert.deepEqual(newLabels(given, spec.forProvider.labels), { ...users, ...newLabels(given) });
  });
});

test('a topic whose provider lists a label is created with it, and gets the value of a changed one', async () => {
  const { signal } = new AbortController();
  const cluster = new FakeCluster();
  const google = inProcessGoogleCloud(cluster.clock);
  const { credentials, parameters, dispatcher } = google;
  const secretRef = { namespace: 'infra', name: 'google', key: 'credentials' };
  cluster.put(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'infra', name: 'google' },
    data: encodeDetails({ credentials }),
  });
  cluster.put(ProviderConfigKind, {
    apiVersion: 'gcp.crossplane.io/v1beta1',
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: {
      credentials: { source: 'Secret', secretRef },
      tagsFromLabels: ['costCentre', 'Crossplane-Kind'],
      ...parameters,
    },
  });
  const stack = createGcpStack({ createClient: (options) => googleCloudClient({ ...options, dispatcher }) });
  const services = stack.managed(new FakeProcess(cluster).env);
  const { connector } = services.find(({ kind }) => kind === (TopicKind as object)) ?? assert.fail();
  const labelled = (costCentre: string): Topic =>
    topic({}, { labels: { costCentre, 'Crossplane-Kind': 'another', other: 'x' } });
  const stored = () => google.topics.all()[0]?.fields.labels;

  const first = labelled('A.1');
  const created = await connector.connect(first, signal);
  await created.create(first, undefined, signal);
  const owner = newLabels(first);
  assert.deepEqual(stored(), { ...owner, costcentre: 'a_1' });

  const changed = labelled('A.2');
  const client = await connector.connect(changed, signal);
  assert.equal((await client.observe(changed, undefined, signal)).isUpToDate, false);
  await client.update(changed, undefined, signal);
  assert.deepEqual(stored(), { ...owner, costcentre: 'a_2' });
  assert.equal((await client.observe(changed, undefined, signal)).isUpToDate, true);
});
