import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claim, claimRef, classRef, managed, otherManagedKind, otherService } from '../objects.ts';
import { conn, sceneOf, settled, withPassword } from './scene.ts';

test('a kept resource of another kind than the class provisions stays, and an Event names it', async () => {
  const releasedFrom = 'previous-uid';
  const former = {
    ...managed(
      {
        claimRef: claimRef({ uid: releasedFrom }),
        classRef: classRef('other'),
        reclaimPolicy: 'Delete',
        retainFor: '7d',
      },
      {
        name: 'former',
        status: {
          bindingPhase: 'Released',
          boundUID: 'managed-uid',
          releasedFrom,
          deleteAt: '2126-01-09T00:00:00Z',
        },
      },
    ),
    apiVersion: `${otherManagedKind.group}/${otherManagedKind.version}`,
    kind: otherManagedKind.kind,
  };
  const { cluster, process, ready } = sceneOf({
    claims: [claim({ ...conn, classRef: classRef('small') })],
    service: withPassword,
    otherServices: [otherService],
  });
  const stored = cluster.put(otherManagedKind, former);
  await settled(process, cluster);
  assert.equal(ready().status, 'True');
  assert.deepEqual(cluster.get(otherManagedKind, { name: 'former' }), stored);
  const message =
    'AmbivalentDBInstance former of a previous claim of this name is kept until 2126-01-09T00:00:00Z, and is of another kind than the class provisions. This claim gets a new resource';
  const events = process.events.filter(({ reason }) => reason === 'KeptResourceOfOtherKind');
  assert.deepEqual(
    events.map((event) => event.message),
    [message],
  );
});
