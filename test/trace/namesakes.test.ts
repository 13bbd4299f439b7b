import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { Link } from '../../trace/model/trace.ts';
import { claimAt, condition, resources, tracedIn } from './traced-objects.ts';

const living = claimAt('team-shop/orders', {}, { uid: 'uid-of-another', status: { bindingPhase: 'Bound' } });

const released = (claimUid: string | undefined): KubernetesObject =>
  ({
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name: 'db', uid: 'uid-of-db', generation: 1 },
    spec: {
      providerConfigRef: { name: 'demo' },
      forProvider: {},
      claimRef: {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'FancySQLInstance',
        namespace: 'team-shop',
        name: 'orders',
        ...(claimUid !== undefined && { uid: claimUid }),
      },
    },
    status: {
      observedGeneration: 1,
      bindingPhase: 'Released',
      boundUID: 'uid-of-db',
      conditions: [condition('Ready', 'True', 'Available'), condition('Synced', 'True', 'ReconcileSuccess')],
    },
  }) as KubernetesObject;

const provider: readonly KubernetesObject[] = [
  {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'ProviderConfig',
    metadata: { name: 'demo' },
    spec: { credentials: { source: 'Secret', secretRef: { namespace: 'infra', name: 'cloud', key: 'key' } } },
  } as KubernetesObject,
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'infra', name: 'cloud' },
    data: encodeDetails({ key: 'x' }),
  } as KubernetesObject,
];

const claimLinkIn = (links: readonly Link[]): Link | undefined =>
  links.find(({ name }) => name === 'claim') ??
  links.map((link) => claimLinkIn(link.links)).find((found) => found !== undefined);

const claims: Readonly<Record<string, readonly [uid: string | undefined, says: readonly string[]]>> = {
  'a living claim with the name of the previous claim is called another claim': [
    'uid-of-previous',
    ['does not exist; another claim has this name now'],
  ],
  'the claim whose UID the resource has is shown': ['uid-of-another', ['Bound']],
  'a claim that the resource names without a UID is shown': [undefined, ['Bound']],
};

for (const [rule, [uid, says]] of Object.entries(claims)) {
  test(rule, async () => {
    const { links } = await tracedIn([living, released(uid), ...provider], [resources, 'db']);
    assert.deepEqual(claimLinkIn(links)?.says, says);
  });
}
