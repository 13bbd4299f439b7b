import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelledFor } from '../../../../apis/core/v1alpha1/connection-labels.ts';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails, Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  decodeDetails,
  encodeDetails,
  propagationAnnotations,
  SecretKind,
} from '../../../../apis/core/v1alpha1/secret.ts';
import {
  disabledStorePublisher,
  PublishedElsewhere,
  publisherChain,
  secretPublisher,
} from '../../../../controllers/core/connection/connection-publisher.ts';
import type {
  Published,
  PublishedBefore,
} from '../../../../controllers/core/connection/published-details.ts';
import { connectionSecrets } from '../../../../controllers/core/indexes.ts';
import { broken, conflict, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { managed } from '../objects.ts';

const signal = new AbortController().signal;
const key = { namespace: 'infra', name: 'db-connection' };
const publishing: Managed = managed({ writeConnectionSecretToRef: key });
const owner = (over: object = {}) => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name: 'db',
  uid: 'managed-uid',
  controller: true,
  ...over,
});
const secret = (metadata: Partial<ObjectMeta>, type: string = connectionSecretType): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...key, labels: labelledFor(undefined, publishing), ...metadata },
  type,
  data: encodeDetails({ password: 'old', other: 'kept' }),
});

function scene(existing?: Secret) {
  const cluster = new FakeCluster();
  if (existing !== undefined) cluster.put(SecretKind, existing);
  const process = new FakeProcess(cluster);
  const publisher = secretPublisher(connectionSecrets(process.env));
  return { cluster, process, publisher, stored: () => cluster.get(SecretKind, key) };
}

describe('the connection secret', () => {
  test('ResourceDoesNotPublishSecret: no reference, no call', async () => {
    const { cluster, publisher } = scene();
    await publisher.publish(managed(), { password: 'new' }, signal);
    await publisher.unpublish(managed(), signal);
    assert.deepEqual((await publisher.known(managed(), signal)).details, {});
    assert.deepEqual(cluster.calls, []);
  });

  test('Success: typed, and controlled by the managed resource, in one call', async () => {
    const { cluster, publisher, stored } = scene();
    await publisher.publish(publishing, { password: 'new' }, signal);
    assert.deepEqual(
      cluster.calls.map(({ verb }) => verb),
      ['create'],
    );
    assert.equal(stored()?.type, connectionSecretType);
    assert.equal(stored()?.metadata.ownerReferences?.[0]?.uid, 'managed-uid');
    assert.deepEqual((await publisher.known(publishing, signal)).details, { password: 'new' });
  });

  test('AlreadyPublished: no write', async () => {
    const { cluster, publisher } = scene(secret({ ownerReferences: [owner()] }));
    const details = { password: 'old' };
    await publisher.publish(publishing, details, signal, { details, revision: 0 });
    assert.deepEqual(cluster.writes, []);
  });

  test('its labels follow the claim, and are written with nothing else', async () => {
    const { cluster, publisher, stored } = scene(
      secret({ ownerReferences: [owner()], labels: { tier: 'gold' } }),
    );
    const details = { password: 'old' };
    const claimRef = { kind: 'FancySQLInstance', namespace: 'team', name: 'orders' };
    const claimed = managed({ writeConnectionSecretToRef: key, claimRef });
    for (const resource of [claimed, claimed, publishing]) {
      await publisher.publish(resource, details, signal, { details, revision: 0 });
    }
    assert.deepEqual(
      cluster.writes.map(({ verb }) => verb),
      ['update', 'update'],
    );
    assert.deepEqual(stored()?.metadata.labels, {
      tier: 'gold',
      'crossplane.io/resource-kind': 'FavouriteDBInstance',
      'crossplane.io/resource-name': 'db',
    });
  });

  test('keys are added and overwritten, others kept', async () => {
    const { publisher, stored } = scene(secret({ ownerReferences: [owner()] }));
    await publisher.publish(publishing, { password: 'new', port: '1' }, signal);
    assert.deepEqual(decodeDetails(stored()), { password: 'new', port: '1', other: 'kept' });
  });

  test('SuccessfulUpdateEmptyManagedSecret: one without data is filled', async () => {
    const { data: _data, ...empty } = secret({ ownerReferences: [owner()] });
    const { cluster, publisher, stored } = scene(empty);
    await publisher.publish(publishing, { password: 'new' }, signal);
    assert.deepEqual(decodeDetails(stored()), { password: 'new' });
    assert.deepEqual(
      cluster.writes.map(({ verb }) => verb),
      ['update'],
    );
  });

  test('consent comes with a new secret; a pass that read it earlier brings none back that was withdrawn', async () => {
    const annotations = allowsPropagationTo({ namespace: 'team', name: 'conn' });
    const allowing: Managed = { ...publishing, metadata: { ...publishing.metadata, annotations } };
    const { cluster, publisher, stored } = scene();
    const consent = () => propagationAnnotations(stored() ?? publishing);
    await publisher.publish(allowing, { password: 'new' }, signal);
    assert.deepEqual(consent(), annotations);
    cluster.edit(SecretKind, key, ({ metadata: { annotations: _withdrawn, ...metadata }, ...rest }) => ({
      ...rest,
      metadata,
    }));
    await publisher.publish(allowing, { password: 'newer' }, signal);
    assert.deepEqual(consent(), {});
    assert.deepEqual(decodeDetails(stored()), { password: 'newer' });
  });

  test('whom it was given to stays on a secret that is published to, whatever becomes of the claim', async () => {
    const mark = { 'crossplane.io/handed-to': 'claim-uid' };
    const { publisher, stored } = scene(secret({ ownerReferences: [owner()], annotations: mark }));
    for (const bindingPhase of ['Unbound', 'Bound', 'Released'] as const) {
      await publisher.publish(
        { ...publishing, status: { bindingPhase } },
        { password: bindingPhase },
        signal,
      );
      assert.equal(decodeDetails(stored()).password, bindingPhase);
      assert.equal(stored()?.metadata.annotations?.['crossplane.io/handed-to'], 'claim-uid');
    }
  });

  test('consent that came with a new secret, of a claim that had left by then, goes; what others allow stays', async () => {
    const annotations = allowsPropagationTo({ namespace: 'team', name: 'conn' });
    const others = { 'to.propagate.crossplane.io/backup': 'backup/conn' };
    const released: Managed = { ...publishing, status: { bindingPhase: 'Released' } };
    const { publisher, stored } = scene(
      secret({ ownerReferences: [owner()], annotations: { ...annotations, ...others } }),
    );
    const claimed = {
      ...released,
      spec: { ...released.spec, claimRef: { name: 'claim', namespace: 'team', uid: 'claim-uid' } },
    };
    for (const [resource, wanted] of [
      [publishing, { ...annotations, ...others }],
      [claimed, { ...annotations, ...others }],
      [released, others],
    ] as const) {
      await publisher.publish(resource, { password: 'old' }, signal);
      assert.deepEqual(propagationAnnotations(stored() ?? publishing), wanted);
    }
  });

  for (const text of ['', '{', 'null', '7', '"password"', '[]']) {
    test(`what somebody else wrote into the record of what was published is as good as nothing: ${text}`, async () => {
      const { publisher, stored } = scene(
        secret({ ownerReferences: [owner()], annotations: { 'crossplane.io/published-details': text } }),
      );
      assert.deepEqual((await publisher.known(publishing, signal)).details, {
        password: 'old',
        other: 'kept',
      });
      await publisher.publish(publishing, { password: 'new' }, signal);
      assert.deepEqual((await publisher.known(publishing, signal)).details, { password: 'new' });
      assert.deepEqual(decodeDetails(stored()), { password: 'new', other: 'kept' });
    });
  }

  describe('a detail of which somebody took away the word, where there is a revision, counts as lost', () => {
    for (const text of [undefined, '', 'nonsense', '{}', '{"another":"aaaaaaaaaa"}']) {
      test(`${text}`, async () => {
        const annotations = {
          'crossplane.io/published-revision': '1',
          ...(text !== undefined && { 'crossplane.io/published-details': text }),
        };
        const { cluster, publisher, stored } = scene(secret({ ownerReferences: [owner()], annotations }));
        assert.deepEqual(await publisher.known(publishing, signal), {
          details: {},
          revision: 1,
          lost: ['password', 'other'],
        });
        await publisher.publish(publishing, { password: 'new' }, signal, {
          details: {},
          revision: 1,
          lost: ['password', 'other'],
        });
        assert.deepEqual((await publisher.known(publishing, signal)).details, { password: 'new' });
        assert.deepEqual(decodeDetails(stored()), { password: 'new', other: 'kept' });
        assert.equal(cluster.writes.length, 1);
      });
    }
  });

  test('from the first revision on there is word of all that is published, also of what was there', async () => {
    const { cluster, publisher } = scene(secret({ ownerReferences: [owner()] }));
    const before = await publisher.known(publishing, signal);
    await publisher.publish(publishing, before.details, signal, before);
    assert.equal(cluster.writes.length, 0);
    await publisher.publish(publishing, { ...before.details, password: 'new' }, signal, before);
    assert.deepEqual((await publisher.known(publishing, signal)).details, {
      password: 'new',
      other: 'kept',
    });
  });

  test('what a run has published is not another’s when it publishes something else after it', async () => {
    const { publisher, stored } = scene();
    await publisher.publish(publishing, { password: 'old', uri: 'old' }, signal);
    const before = await publisher.known(publishing, signal);
    const ours = { password: 'old', uri: 'newer' };
    await publisher.publish(publishing, ours, signal, before);
    const last = { password: 'last', uri: 'last' };
    await assert.rejects(publisher.publish(publishing, last, signal, before), /another process/);
    await publisher.publish(publishing, ours, signal, { ...before, isUnknown: true });
    await publisher.publish(publishing, last, signal, { ...before, ours });
    assert.deepEqual(decodeDetails(stored()), last);
  });

  const adoptable: Record<string, Secret> = {
    'nobody controls, of the connection type': secret({}),
    'this resource controlled before a backup was restored': secret({
      ownerReferences: [owner({ uid: 'former' })],
    }),
  };
  for (const [what, existing] of Object.entries(adoptable)) {
    test(`a secret that ${what} is adopted with what it holds`, async () => {
      const { publisher, stored } = scene(existing);
      assert.deepEqual((await publisher.known(publishing, signal)).details, {
        password: 'old',
        other: 'kept',
      });
      await publisher.publish(publishing, { endpoint: 'e' }, signal);
      assert.deepEqual(
        stored()?.metadata.ownerReferences?.map(({ uid }) => uid),
        ['managed-uid'],
      );
      assert.deepEqual(decodeDetails(stored()), { password: 'old', other: 'kept', endpoint: 'e' });
    });
  }

  const ofOurs = { 'crossplane.io/published-details': '{}' };
  const onceReady: Record<string, { readonly existing: Secret; readonly known: object }> = {
    'is controlled by it': {
      existing: secret({ ownerReferences: [owner()] }),
      known: { password: 'old', other: 'kept' },
    },
    'nobody controls, and that says what was published': {
      existing: secret({ annotations: ofOurs }),
      known: { password: 'old', other: 'kept' },
    },
    'nobody controls, and that does not say': { existing: secret({}), known: {} },
  };
  for (const [what, { existing, known }] of Object.entries(onceReady)) {
    const isTaken = Object.keys(known).length > 0;
    test(`a resource that was ready ${isTaken ? 'takes' : 'does not take'} for its own a secret that ${what}`, async () => {
      const ready: Managed = { ...publishing, status: { bindingPhase: 'Bound' } };
      assert.deepEqual((await scene(existing).publisher.known(ready, signal)).details, known);
    });
  }

  const sinceRead: Record<
    string,
    { readonly byThen: (at: ReturnType<typeof scene>) => unknown; readonly want: string }
  > = {
    'published by another process': {
      byThen: ({ publisher }) => publisher.publish(publishing, { password: 'newer' }, signal),
      want: 'newer',
    },
    'edited by hand': {
      byThen: ({ cluster }) =>
        cluster.edit(SecretKind, key, (found) => ({
          ...found,
          data: encodeDetails({ password: 'by-hand' }),
        })),
      want: 'known',
    },
    'taken out': {
      byThen: ({ cluster }) => cluster.edit(SecretKind, key, ({ data: _, ...found }) => found),
      want: 'known',
    },
  };
  for (const [what, { byThen, want }] of Object.entries(sinceRead)) {
    test(`of a password that has been ${what} since it was read, the ${want} one is kept`, async () => {
      const at = scene();
      const known = { password: 'known' };
      await at.publisher.publish(publishing, known, signal);
      await byThen(at);
      await at.process.synced();
      await at.publisher.publish(publishing, known, signal, { details: known, revision: 1 });
      assert.deepEqual(decodeDetails(at.stored()), { password: want });
    });
  }

  const meanwhile: Record<string, { elsewhere?: string; ours: string; want: string }> = {
    'another process has published another': { elsewhere: 'theirs', ours: 'ours', want: 'theirs' },
    'another process has published the same': { elsewhere: 'ours', ours: 'ours', want: 'ours' },
    'nobody has': { ours: 'ours', want: 'ours' },
  };
  for (const [what, { elsewhere, ours, want }] of Object.entries(meanwhile)) {
    for (const published of [{}, { password: 'first' }]) {
      test(`of a new password, where ${what} since ${JSON.stringify(published)} was read, the one of the two is kept`, async () => {
        const at = scene();
        if (published.password !== undefined) await at.publisher.publish(publishing, published, signal);
        if (elsewhere !== undefined) await at.publisher.publish(publishing, { password: elsewhere }, signal);
        const late = at.publisher.publish(publishing, { password: ours }, signal, {
          details: published,
          revision: 'password' in published ? 1 : 0,
        });
        if (want === ours) await late;
        else
          await assert.rejects(late, {
            cause: new PublishedElsewhere(['password'], true),
          });
        assert.deepEqual(decodeDetails(at.stored()), { password: want });
      });
    }
  }

  describe('of which nobody can tell any more whether it is right', () => {
    const before = { details: {}, revision: 0 };
    const onlyMade = managed({
      writeConnectionSecretToRef: key,
      managementPolicies: ['Observe', 'Create', 'Delete'],
    });
    const rows: Record<
      string,
      { by?: Managed; refused?: () => Error; times?: number; isOnRecord: boolean; known: Published }
    > = {
      'what is published counts as lost, for every process': {
        isOnRecord: true,
        known: { details: {}, revision: 2, lost: ['password'] },
      },
      'also where somebody has changed the secret since it was read': {
        refused: conflict,
        isOnRecord: true,
        known: { details: {}, revision: 2, lost: ['password'] },
      },
      'this process alone knows where that cannot be written': {
        refused: broken,
        isOnRecord: false,
        known: { details: { password: 'theirs' }, revision: 1 },
      },
      'nor where others always come first': {
        refused: conflict,
        times: 5,
        isOnRecord: false,
        known: { details: { password: 'theirs' }, revision: 1 },
      },
      'it is kept where policies do not allow to renew it': {
        by: onlyMade,
        isOnRecord: false,
        known: { details: { password: 'theirs' }, revision: 1 },
      },
    };
    for (const [what, { by = publishing, refused, times, isOnRecord, known }] of Object.entries(rows)) {
      test(what, async () => {
        const { cluster, publisher, stored } = scene();
        await publisher.publish(publishing, { password: 'theirs' }, signal);
        if (refused !== undefined) {
          const refusing = (): never => {
            throw refused();
          };
          cluster.before('update', SecretKind, refusing, times);
        }
        await assert.rejects(publisher.publish(by, { password: 'ours' }, signal, before), {
          cause: new PublishedElsewhere(['password'], isOnRecord),
        });
        assert.deepEqual(decodeDetails(stored()), { password: 'theirs' });
        assert.deepEqual(await publisher.known(by, signal), known);
      });
    }

    test('the one that is told again is right, also where it is there already: that is written once', async () => {
      const { cluster, publisher } = scene();
      await publisher.publish(publishing, { password: 'theirs', uri: 'db://theirs' }, signal);
      const sameUser = { details: { password: 'theirs' }, revision: 1 };
      const ours = { password: 'theirs', uri: 'db://ours' };
      await assert.rejects(publisher.publish(publishing, ours, signal, sameUser));
      const known: Published[] = [];
      for (const _ of [1, 2]) {
        const lost = await publisher.known(publishing, signal);
        await publisher.publish(publishing, { password: 'theirs', uri: 'db://theirs' }, signal, lost);
        known.push(await publisher.known(publishing, signal));
      }
      const right = { details: { password: 'theirs', uri: 'db://theirs' }, revision: 3 };
      assert.deepEqual(known, [right, right]);
      assert.deepEqual(
        cluster.calls.map(({ verb }) => verb),
        ['create', 'update', 'update'],
      );
    });

    test('where two replace what is lost at a time, the second disowns what the first has published', async () => {
      const { publisher } = scene();
      const lost = { details: {}, revision: 1, lost: ['password'], givesWay: true };
      await publisher.publish(publishing, { password: 'one' }, signal, lost);
      await publisher.publish(publishing, { password: 'one', uri: 'db://one' }, signal, lost);
      await assert.rejects(
        publisher.publish(publishing, { password: 'two' }, signal, lost),
        /another process has published password meanwhile/,
      );
      assert.deepEqual(await publisher.known(publishing, signal), {
        details: { uri: 'db://one' },
        revision: 3,
        lost: ['password'],
      });
    });

    test('what was disowned while a run was at it is not brought back by that run', async () => {
      const { publisher } = scene();
      const lost = { details: {}, revision: 1, lost: ['password'], givesWay: true };
      await publisher.publish(publishing, { password: 'one' }, signal, lost);
      await assert.rejects(publisher.publish(publishing, { password: 'two' }, signal, lost));
      await publisher.publish(publishing, { password: 'one' }, signal, lost);
      assert.deepEqual((await publisher.known(publishing, signal)).lost, ['password']);
    });

    test('what is disowned in one place counts in none', async () => {
      const [here, there] = [scene().publisher, scene().publisher];
      const both = publisherChain([here, there]);
      await both.publish(publishing, { password: 'theirs' }, signal);
      await assert.rejects(both.publish(publishing, { password: 'ours' }, signal, before));
      const lost = await both.published(publishing, signal);
      assert.deepEqual(lost, { details: {}, revision: 2, givesWay: false, lost: ['password'] });
      await both.publish(publishing, { password: 'renewed' }, signal, lost);
      const renewed = { details: { password: 'renewed' }, revision: 3, givesWay: false };
      assert.deepEqual(await both.published(publishing, signal), renewed);
    });
  });

  test('who else owns an adopted secret does so still', async () => {
    const other = { ...owner({ uid: 'another-uid' }), controller: false };
    const { publisher, stored } = scene(secret({ ownerReferences: [other] }));
    await publisher.publish(publishing, { password: 'new' }, signal);
    assert.deepEqual(
      stored()?.metadata.ownerReferences?.map(({ uid }) => uid),
      ['another-uid', 'managed-uid'],
    );
  });

  const refused: Record<string, { readonly existing: Secret; readonly message: RegExp }> = {
    'nobody controls, of another type': {
      existing: secret({}, 'Opaque'),
      message:
        /refusing to modify uncontrolled secret of type "Opaque" \(infra\/db-connection\); name another in spec\.writeConnectionSecretToRef of FavouriteDBInstance db; that one may be the only copy of what it holds, and whoever wrote it can say whether it may be deleted$/,
    },
    'another resource controls': {
      existing: secret({ ownerReferences: [owner({ name: 'rival', uid: 'rival-uid' })] }),
      message: /existing secret is controlled by FavouriteDBInstance rival, not by FavouriteDBInstance db/,
    },
  };
  for (const [what, { existing, message }] of Object.entries(refused)) {
    test(`a secret that ${what} is neither read, written nor removed`, async () => {
      const { cluster, publisher, stored } = scene(existing);
      await assert.rejects(publisher.known(publishing, signal), message, 'before anything is created');
      const deleted = {
        ...publishing,
        metadata: { ...publishing.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      };
      assert.deepEqual((await publisher.known(deleted, signal)).details, {}, 'deletion goes on');
      await assert.rejects(publisher.publish(publishing, { password: 'new' }, signal), message);
      await publisher.unpublish(publishing, signal);
      assert.deepEqual(decodeDetails(stored()), { password: 'old', other: 'kept' });
      assert.deepEqual(
        cluster.writes.filter(({ verb }) => verb !== 'create'),
        [],
      );
    });
  }

  test('a secret of another type that is ours is kept, without an attempt to create it', async () => {
    const { cluster, publisher } = scene(secret({ ownerReferences: [owner()] }, 'Opaque'));
    const seen = managed({ writeConnectionSecretToRef: key }, { status: { conditions: [] } });
    const details = { password: 'old' };
    await publisher.publish(seen, details, signal, { details, revision: 0 });
    assert.deepEqual(
      cluster.calls.map(({ verb }) => verb),
      ['get'],
    );
  });

  test('ApplyError: five conflicts in a row are reported', async () => {
    const { cluster, publisher } = scene(secret({ ownerReferences: [owner()] }));
    let attempts = 0;
    cluster.gate = ({ verb }) => {
      if (verb !== 'update') return;
      attempts += 1;
      throw conflict();
    };
    await assert.rejects(publisher.publish(publishing, { password: 'new' }, signal), {
      message: 'cannot create or update connection secret: the object has been modified',
    });
    assert.equal(attempts, 5);
  });

  test('any other error is reported at once', async () => {
    const { cluster, publisher } = scene();
    cluster.before('create', SecretKind, () => {
      throw broken();
    });
    await assert.rejects(publisher.publish(publishing, { password: 'new' }, signal), {
      message: 'cannot create or update connection secret: etcd is unavailable',
    });
    assert.deepEqual(
      cluster.calls.map(({ verb }) => verb),
      ['create'],
    );
  });

  test('unpublishing removes what is ours', async () => {
    const { publisher, stored } = scene(secret({ ownerReferences: [owner()] }));
    await publisher.unpublish(publishing, signal);
    assert.equal(stored(), undefined);
  });

  const edits: Readonly<Record<string, { readonly to: Managed; readonly left: readonly string[] }>> = {
    'the reference was edited away': { to: managed(), left: ['stranger'] },
    'the reference leads to another secret, which is ours': {
      to: managed({ writeConnectionSecretToRef: { ...key, name: 'second' } }),
      left: ['stranger'],
    },
    "the reference leads to somebody else's": {
      to: managed({ writeConnectionSecretToRef: { ...key, name: 'stranger' } }),
      left: ['stranger'],
    },
  };
  for (const [when, { to, left }] of Object.entries(edits)) {
    test(`unpublishing removes what is ours, and what is not stays: ${when}`, async () => {
      const { cluster, process, publisher } = scene(secret({ ownerReferences: [owner()] }));
      cluster.put(SecretKind, secret({ name: 'second', ownerReferences: [owner()] }));
      cluster.put(SecretKind, secret({ name: 'stranger', ownerReferences: [owner({ uid: 'another' })] }));
      await process.synced();
      await publisher.unpublish(to, signal);
      assert.deepEqual(
        cluster.all(SecretKind).map(({ metadata }) => metadata.name),
        left,
      );
    });
  }
});

describe('the publisher chain', () => {
  test('EmptyChain', async () => {
    await publisherChain([]).publish(publishing, { password: 'new' }, signal);
    assert.deepEqual((await publisherChain([]).published(publishing, signal)).details, {});
  });

  test('SuccessfulPublisher: every publisher of the chain gets the details', async () => {
    const { publisher, stored } = scene();
    const told: object[] = [];
    const other = {
      ...disabledStorePublisher,
      publish: async (_managed: Managed, details: object) => void told.push(details),
    };
    await publisherChain([publisher, other]).publish(publishing, { a: 'b' }, signal);
    assert.deepEqual([decodeDetails(stored()), told], [{ a: 'b' }, [{ a: 'b' }]]);
  });

  const at = (revision: number, details: ConnectionDetails): Published => ({ details, revision });
  const places: Record<string, { readonly places: readonly Published[]; readonly want: PublishedBefore }> = {
    'one has it': {
      places: [at(2, { password: 'p', port: '1' }), at(0, {})],
      want: { ...at(2, { password: 'p', port: '1' }), givesWay: false },
    },
    'each has something': {
      places: [at(0, { port: '1' }), at(0, { password: 'p' })],
      want: { ...at(0, { password: 'p', port: '1' }), givesWay: false },
    },
    'both have the same': {
      places: [at(1, { password: 'p' }), at(1, { password: 'p' })],
      want: { ...at(1, { password: 'p' }), givesWay: false },
    },
    'one is newer: it alone counts': {
      places: [at(2, { password: 'new' }), at(1, { password: 'old', port: '1' })],
      want: { ...at(2, { password: 'new' }), givesWay: false },
    },
    'they do not agree: nobody can tell whose is right': {
      places: [at(1, { password: 'p', port: '1' }), at(1, { password: 'q', port: '1' })],
      want: { ...at(1, { port: '1' }), givesWay: true, lost: ['password'] },
    },
    'one has removed what an older one still has': {
      places: [{ ...at(2, { port: '1' }), removed: ['password'] }, at(1, { password: 'p', port: '1' })],
      want: { ...at(2, { port: '1' }), givesWay: false, removed: ['password'] },
    },
    'one has something again of what both had removed': {
      places: [at(2, { username: 'u' }), { ...at(2, {}), removed: ['username'] }],
      want: { ...at(2, { username: 'u' }), givesWay: false },
    },
    'one holds what is not to be believed': {
      places: [{ ...at(1, { port: '1' }), lost: ['password'] }, at(1, { port: '1' })],
      want: { ...at(1, { port: '1' }), givesWay: false, lost: ['password'] },
    },
  };
  for (const [name, { places: each, want }] of Object.entries(places)) {
    test(`what was published before, of two places: ${name}`, async () => {
      const publishers = each.map((held) => ({ ...disabledStorePublisher, known: async () => held }));
      assert.deepEqual(await publisherChain(publishers).published(publishing, signal), want);
    });
  }

  test('every publisher of the chain is told to unpublish', async () => {
    const told: string[] = [];
    const publisher = (name: string) => ({
      ...disabledStorePublisher,
      unpublish: async () => void told.push(name),
    });
    await publisherChain([publisher('a'), publisher('b')]).unpublish(publishing, signal);
    assert.deepEqual(told, ['a', 'b']);
  });

  test('PublisherReturnsError: the first error stops', async () => {
    const { cluster, publisher } = scene();
    const broken = { ...disabledStorePublisher, publish: () => Promise.reject(new Error('vault is sealed')) };
    await assert.rejects(
      publisherChain([broken, publisher]).publish(publishing, { a: 'b' }, signal),
      /sealed/,
    );
    assert.deepEqual(cluster.calls, []);
  });

  test('APINotUsedNoError and APIUsedProperError: a store that is not configured is refused, not ignored', async () => {
    await disabledStorePublisher.publish(publishing, {}, signal);
    const used = managed({ publishConnectionDetailsTo: { name: 'x' } });
    const message = 'cannot publish to secret store, feature is not enabled';
    await assert.rejects(disabledStorePublisher.publish(used, {}, signal), { message });
    await assert.rejects(disabledStorePublisher.unpublish(used, signal), { message });
  });
});
