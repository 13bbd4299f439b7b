import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceKind } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { favouriteCloudClient } from '../../../clients/favourite-cloud.ts';
import { otherCloudClient } from '../../../clients/other-cloud.ts';
import { createFcpStack } from '../../../controllers/fcp/setup.ts';
import { createOcpStack } from '../../../controllers/ocp/setup.ts';
import { putFancySqlExample } from '../../fakes/fancysql-example.ts';
import { inProcessCloud } from '../../fakes/in-process-cloud.ts';
import { Simulation } from '../../fakes/simulation.ts';

const minuteMs = 60_000;
const claimCount = 100;

/** Two clouds that take their time, fail now and then and show what was a while ago, and the examples' classes. */
function world(seed: number) {
  const simulation = new Simulation({ seed, syncPeriodMs: 20 * minuteMs });
  const { clock, cluster, random } = simulation;
  const habits = { provisioningMs: 30_000, readDelayMs: 500, failRate: 0.02, random };
  const favourite = inProcessCloud(clock, { url: 'http://127.0.0.1:18080', flavour: 'favourite', ...habits });
  const other = inProcessCloud(clock, { url: 'http://127.0.0.1:18081', flavour: 'other', ...habits });
  const stacks = [
    createFcpStack({
      createClient: (options) => favouriteCloudClient({ ...options, dispatcher: favourite.dispatcher }),
    }),
    createOcpStack({
      createClient: (options) => otherCloudClient({ ...options, dispatcher: other.dispatcher }),
    }),
  ];
  putFancySqlExample(cluster, ['favourite', 'other']);
  return { simulation, cluster, clouds: [favourite, other], start: () => simulation.start(stacks) };
}

const nameOf = (index: number) => ({ namespace: 'team-shop', name: `claim-${index}` });
const secretOf = (index: number) => ({ namespace: 'team-shop', name: `secret-${index}` });

/** Users work for half an hour, in which the process dies once. Then no user changes anything. */
async function play(seed: number, idleMinutes = 60) {
  const { simulation, cluster, clouds, start } = world(seed);
  const { clock, random } = simulation;
  const wishes = [{ classSelector: { matchLabels: { size: 'small' } } }, {}, classRefOf('favourite-large')];
  const at = (minutes: number, act: () => void) =>
    clock.scheduler.schedule(act, Math.floor(minutes * minuteMs));
  for (let index = 0; index < claimCount; index += 1) {
    at(random() * 15, () =>
      cluster.create(FancySQLInstanceKind, {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'FancySQLInstance',
        metadata: nameOf(index),
        spec: { ...wishes[index % wishes.length], writeConnectionSecretToRef: { name: `secret-${index}` } },
      } as KubernetesObject),
    );
  }
  at(5 + random(), start); // it is killed, and another begins
  for (let index = 0; index < 10; index += 1) {
    at(20 + random() * 5, () => cluster.remove(SecretKind, secretOf(index).name, secretOf(index).namespace));
    at(20 + random() * 5, () =>
      cluster.put(SecretKind, { ...cluster.get(SecretKind, secretOf(index + 10)), data: {} }),
    );
  }
  at(10 + random() * 5, () => {
    const key = { name: 'favourite-small' };
    const { specTemplate, ...rest } = cluster.get(FavouriteDBInstanceClassKind, key);
    const forProvider = { ...specTemplate.forProvider, fancinessLevel: 7 };
    cluster.put(FavouriteDBInstanceClassKind, { ...rest, specTemplate: { ...specTemplate, forProvider } });
  });

  start();
  await clock.advance(30 * minuteMs);
  const busyWrites = simulation.writes.length;
  const busyRuns = simulation.runs;
  await clock.advance(idleMinutes * minuteMs);
  simulation.kill();
  return { simulation, cluster, clouds, busyWrites, busyRuns };
}

const classRefOf = (name: string) => ({
  classRef: { apiVersion: 'database.fcp.crossplane.io/v1alpha3', kind: 'FavouriteDBInstanceClass', name },
});

/** Checks the end state that must be true for every seed. */
function assertAllIsWell({ cluster, clouds }: Awaited<ReturnType<typeof play>>): void {
  const claims = cluster.all(FancySQLInstanceKind);
  assert.equal(claims.length, claimCount);
  for (const { metadata, status } of claims) {
    assert.equal(status?.bindingPhase, 'Bound', metadata.name);
    assert.equal(getCondition(status.conditions, 'Ready').status, 'True', metadata.name);
  }
  const managed = [...cluster.all(FavouriteDBInstanceKind), ...cluster.all(AmbivalentDBInstanceKind)];
  const instances = clouds.flatMap((cloud) => cloud.instances());
  assert.deepEqual([managed.length, instances.length], [claimCount, claimCount], 'one of each for a claim');
  const passwords = instances.map(({ item }) => item.password);
  for (let index = 0; index < claimCount; index += 1) {
    const { password = '' } = decodeDetails(cluster.get(SecretKind, secretOf(index)));
    assert.ok(passwords.includes(password), `claim-${index} can use what it has`);
  }
}

const played = play(1);

test('100 claims, two clouds, edits and a crash: everything is Bound, and an idle hour writes nothing', async () => {
  const end = await played;
  assertAllIsWell(end);
  const { simulation, busyWrites, busyRuns } = end;
  assert.deepEqual(simulation.writes.slice(busyWrites), []);
  assert.ok(!simulation.writes.includes('which changed nothing'));
  const looks = simulation.runs - busyRuns;
  assert.ok(looks > claimCount * 60, `${looks} polls and resyncs in that hour`);
});

test('the same seed leads to the same log, line by line', async () => {
  const [{ simulation: one }, { simulation: other }] = [await played, await play(1)];
  assert.deepEqual(other.writes, one.writes);
  assert.deepEqual(other.log, one.log);
  assert.ok(one.log.length > 10_000, `${one.log.length} lines`);
});

test('another seed leads another way, and there', async () => {
  const [{ simulation: one }, end] = [await played, await play(2, 0)];
  assert.notDeepEqual(end.simulation.writes, one.writes);
  assertAllIsWell(end);
});
