import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { failingWith, tracedIn } from './traced-objects.ts';

const provider = {
  apiVersion: 'gcp.crossplane.io/v1beta1',
  kind: 'ProviderConfig',
  metadata: { name: 'demo' },
  spec: {
    credentials: { source: 'Secret', secretRef: { namespace: 'infra', name: 'gcp', key: 'key.json' } },
  },
} as KubernetesObject;
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'infra', name: 'gcp' },
  data: { 'key.json': 'e30=' },
} as KubernetesObject;
const topic = (message: string, error: Condition['error']): KubernetesObject =>
  ({
    apiVersion: 'pubsub.gcp.crossplane.io/v1alpha1',
    kind: 'Topic',
    metadata: { name: 'news', generation: 1 },
    spec: {
      providerConfigRef: { name: 'demo' },
      forProvider: {},
      writeConnectionSecretToRef: { namespace: 'apps', name: 'news' },
    },
    status: { observedGeneration: 1, ...failingWith(message, error) },
  }) as KubernetesObject;

const left = (namespace: string): string =>
  `the secrets of namespace ${namespace} are left alone: add it to --secret-namespaces, and its Role`;

describe('a Secret that the controllers exclude or may not read is fixed at their Deployment or Role', () => {
  const rows: Readonly<
    Record<string, readonly [words: string, error: Condition['error'], link: string, commands: string]>
  > = {
    'a Secret with credentials, excluded': [
      `connect failed: cannot get secret infra/gcp: ${left('infra')}`,
      { class: 'SecretsExcluded', namespace: 'infra' },
      'credentials',
      'kubectl -n crossplane-system edit deployment services-stack',
    ],
    'a Secret to publish, excluded': [
      `publish failed: cannot create secret apps/news: ${left('apps')}`,
      { class: 'SecretsExcluded', namespace: 'apps' },
      'resource secret',
      'kubectl -n crossplane-system edit deployment services-stack',
    ],
    'a Secret that no role allows them to read': [
      'connect failed: cannot get secret infra/gcp: secrets "gcp" is forbidden: User "a" cannot get resource "secrets" in API group "" in the namespace "infra"',
      { class: 'SecretsForbidden', namespace: 'infra' },
      'credentials',
      'kubectl -n infra get rolebindings -o wide',
    ],
  };
  for (const [name, [words, error, link, commands]] of Object.entries(rows)) {
    test(name, async () => {
      const { fault } = await tracedIn([provider, secret, topic(words, error)], ['topic', 'news']);
      assert.deepEqual(
        { name: fault?.name, link: fault?.link, commands: fault?.commands },
        { name: 'secret out of reach', link, commands: [commands] },
      );
    });
  }
});
