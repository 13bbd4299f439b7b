import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { putFancySqlExample } from '../fakes/fancysql-example.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { objectOf } from '../fakes/object-of.ts';
import { Simulation } from '../fakes/simulation.ts';

const orders = { namespace: 'team-shop', name: 'orders' };
const url = 'http://127.0.0.1:18080';
/** More than the controllers need for any change. */
const longMs = 300_000;

/** The status, the reason and the message of a condition. */
function told(conditions: readonly Condition[] | undefined, type: string): readonly unknown[] {
  const { status, reason, message } = getCondition(conditions, type);
  return [status, reason, message];
}

/** A claim that is Bound, whose resource may then only be observed. */
async function boundAndObserved() {
  const simulation = new Simulation({ seed: 1 });
  const { clock, cluster, random } = simulation;
  const cloud = inProcessCloud(clock, { url, flavour: 'favourite', provisioningMs: 30_000, random });
  putFancySqlExample(cluster, ['favourite']);
  const { dispatcher } = cloud;
  const createClient = (options: Parameters<typeof favouriteCloudClient>[0]) =>
    favouriteCloudClient({ ...options, dispatcher });
  simulation.start([createFcpStack({ createClient })]);
  const spec = {
    classSelector: { matchLabels: { size: 'small' } },
    writeConnectionSecretToRef: { name: 'orders-connection' },
  };
  cluster.create(FancySQLInstanceKind, objectOf(FancySQLInstanceKind, orders, { spec }));
  await clock.advance(longMs);

  const claim = () => cluster.get(FancySQLInstanceKind, orders);
  const managed = () => cluster.get(FavouriteDBInstanceKind, { name: claim().spec.resourceRef?.name ?? '' });
  const policies = async (...managementPolicies: readonly ('Observe' | 'Update')[]): Promise<void> => {
    const { spec, ...rest } = managed();
    cluster.put(FavouriteDBInstanceKind, { ...rest, spec: { ...spec, managementPolicies } });
    await clock.advance(longMs);
  };
  const passwordIn = (key: ObjectKey) => decodeDetails(cluster.find(SecretKind, key)).password;
  const { writeConnectionSecretToRef: source = { namespace: '', name: '' } } = managed().spec;
  await policies('Observe');
  return {
    policies,
    told: () => ({
      resource: told(managed().status?.conditions, 'Synced'),
      claim: told(claim().status?.conditions, 'Ready'),
    }),
    name: managed().metadata.name,
    passwords: () => ({
      inCloud: cloud.instances()[0]?.item.password,
      claimPassword: passwordIn({ namespace: orders.namespace, name: 'orders-connection' }),
      resourcePassword: passwordIn(source),
    }),
    async edit(): Promise<void> {
      const secret = cluster.get(SecretKind, source);
      const data = { ...secret.data, ...encodeDetails({ password: 'another-password' }) };
      cluster.put(SecretKind, { ...secret, data });
      await clock.advance(longMs);
    },
    async delete(): Promise<void> {
      cluster.remove(SecretKind, source.name, source.namespace);
      await clock.advance(longMs);
    },
    async deleteCopy(): Promise<void> {
      cluster.remove(SecretKind, 'orders-connection', orders.namespace);
      await clock.advance(longMs);
    },
    stop: () => simulation.kill(),
  };
}

const harms = {
  edit: 'the credential of its Secret is not set in the external system',
  delete: 'its Secret lacks the credential, and gets no other one',
} as const;

describe('a bound claim whose resource may only be observed', () => {
  test('stays Available while its Secret has the credential', async () => {
    const scene = await boundAndObserved();
    assert.deepEqual(scene.told(), {
      resource: ['True', 'ReconcileSuccess', undefined],
      claim: ['True', 'Available', undefined],
    });
    scene.stop();
  });

  for (const [harm, says] of Object.entries(harms) as [keyof typeof harms, string][]) {
    test(`reports it on resource and claim if a user chooses to ${harm} the Secret of the resource`, async () => {
      const scene = await boundAndObserved();
      const before = scene.passwords().inCloud;
      await scene[harm]();
      const message = `${says}, because spec.managementPolicies do not allow Update; add Update`;
      const reported = `${message}; reported by FavouriteDBInstance ${scene.name}`;
      assert.deepEqual(scene.told(), {
        resource: ['False', 'ReconcileError', message],
        claim: ['True', 'AvailableWithTrouble', reported],
      });
      // The claim's Secret keeps the password that works.
      assert.deepEqual(scene.passwords(), {
        inCloud: before,
        claimPassword: before,
        resourcePassword: harm === 'edit' ? 'another-password' : undefined,
      });

      // There is no password for another copy.
      await scene.deleteCopy();
      assert.deepEqual(scene.told().claim, ['False', 'ResourceFailing', reported]);
      assert.equal(scene.passwords().claimPassword, undefined);

      await scene.policies('Observe', 'Update');
      assert.deepEqual(scene.told().claim, ['True', 'Available', undefined]);
      const { inCloud, claimPassword, resourcePassword } = scene.passwords();
      assert.notEqual(inCloud, before);
      assert.deepEqual([claimPassword, resourcePassword], [inCloud, inCloud]);
      scene.stop();
    });
  }
});
