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

describe('a secret that the controllers leave alone, or may not read, is mended where they run', () => {
  const rows: Readonly<
    Record<string, readonly [words: string, error: Condition['error'], link: string, mend: string]>
  > = {
    'with credentials': [
      `connect failed: cannot get secret infra/gcp: ${left('infra')}`,
      { class: 'SecretsExcluded', namespace: 'infra' },
      'credentials',
      'kubectl -n crossplane-system edit deployment services-stack',
    ],
    'to be published': [
      `publish failed: cannot create secret apps/news: ${left('apps')}`,
      { class: 'SecretsExcluded', namespace: 'apps' },
      'resource secret',
      'kubectl -n crossplane-system edit deployment services-stack',
    ],
    'which no role lets them read': [
      'connect failed: cannot get secret infra/gcp: secrets "gcp" is forbidden: User "a" cannot get resource "secrets" in API group "" in the namespace "infra"',
      { class: 'SecretsForbidden', namespace: 'infra' },
      'credentials',
      'kubectl -n infra get rolebindings -o wide',
    ],
  };
  for (const [name, [words, error, link, mend]] of Object.entries(rows)) {
    test(name, async () => {
      const { fault } = await tracedIn([provider, secret, topic(words, error)], ['topic', 'news']);
      assert.deepEqual(
        { name: fault?.name, link: fault?.link, mend: fault?.mend },
        { name: 'secret out of reach', link, mend: [mend] },
      );
    });
  }
});
