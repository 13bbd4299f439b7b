import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { failingTopic, googleProvider, tracedIn } from './traced-objects.ts';

const secretRef = { namespace: 'infra', name: 'gcp', key: 'key.json' };
const provider = googleProvider('demo', { source: 'Secret', secretRef });
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'infra', name: 'gcp' },
  data: { 'key.json': 'e30=' },
} as KubernetesObject;
const writeConnectionSecretToRef = { namespace: 'apps', name: 'news' };

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
      const topic = failingTopic(words, error, { writeConnectionSecretToRef });
      const { fault } = await tracedIn([provider, secret, topic], ['topic', 'news']);
      assert.deepEqual(
        { name: fault?.name, link: fault?.link, commands: fault?.commands },
        { name: 'secret out of reach', link, commands: [commands] },
      );
    });
  }
});
