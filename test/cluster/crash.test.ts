import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { startFancySQL } from './fancysql-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const count = 50;
const flags = ['--stacks', 'fcp,ocp', '--poll-interval', '2s'];

describe('the process is killed at any moment while 50 claims are provisioned', () => {
  let fixture: FancySQLFixture;
  let stack: StackProcess;
  const names = Array.from({ length: count }, (_, i) => `app-${i}`);

  before(async () => {
    fixture = await startFancySQL({ provisioningMs: 300 });
    await fixture.favouriteClass('favourite', { labels: { size: 'small' } });
    await fixture.ambivalentClass('ambivalent', { size: 'small' });
  });
  after(() => fixture?.stop());

  const claims = () => fixture.cluster.all(FancySQLInstanceKind);
  const managed = async () => [
    ...(await fixture.cluster.all(FavouriteDBInstanceKind)),
    ...(await fixture.cluster.all(AmbivalentDBInstanceKind)),
  ];
  const instances = () => [...fixture.favourite.instances(), ...fixture.other.instances()];
  const boundCount = async () =>
    (await claims()).filter(({ status }) => status?.bindingPhase === 'Bound').length;

  test('after every restart it goes on: 50 claims Bound, 50 managed resources, 50 instances', async () => {
    await Promise.all(
      names.map((name) =>
        fixture.claim('team-a', name, {
          classSelector: { matchLabels: { size: 'small' } },
          writeConnectionSecretToRef: { name },
        }),
      ),
    );
    const progress: number[] = [];
    // Two kills come while the process starts, three soon after it is at work, and then one whenever more claims are Bound.
    for (let life = 0; (await boundCount()) < count && life < 70; life += 1) {
      stack = fixture.cluster.startProcess(flags);
      if (life < 2) await sleep(200 * (life + 1));
      else {
        await eventually('the process is at work', async () => /stores are synced/.test(stack.log()));
        if (life < 5) await sleep(100 * (life - 2));
        else {
          const wanted = Math.min((progress.at(-1) ?? 0) + 8, count);
          await eventually('more claims are Bound', async () => (await boundCount()) >= wanted, 60_000);
        }
      }
      await stack.end('SIGKILL');
      progress.push(await boundCount());
    }
    stack = fixture.cluster.startProcess(flags);
    await eventually('all claims are Bound', async () => (await boundCount()) === count, 60_000);
    assert.ok(progress.length >= 3, `killed only ${progress.length} times: ${progress}`);
    assert.ok(
      progress.some((bound) => bound > 0 && bound < count),
      `no kill came midway: ${progress}`,
    );

    const resources = await managed();
    assert.equal(resources.length, count);
    assert.equal(instances().length, count);
    assert.deepEqual(
      resources.map(({ spec }) => spec.claimRef?.name).toSorted(),
      names.toSorted(),
      'one managed resource for each claim',
    );
    const secrets = await fixture.cluster.all(SecretKind);
    for (const name of names) {
      const secret = secrets.find(
        ({ metadata }) => metadata.namespace === 'team-a' && metadata.name === name,
      );
      const password = Buffer.from(secret?.data?.password ?? '', 'base64').toString();
      assert.ok(
        instances().some(({ item }) => item.password === password),
        `${name} has a password that works`,
      );
    }
  });

  test('deleting the claims, under kills as well, leaves nothing behind', async () => {
    await fixture.cluster.kubectl(['-n', 'team-a', 'delete', 'fancysqlinstances', '--all', '--wait=false']);
    for (let life = 0; life < 3; life += 1) {
      await sleep(500);
      await stack.end('SIGKILL');
      stack = fixture.cluster.startProcess(flags);
    }
    await eventually(
      'all is gone',
      async () => {
        const left = [await claims(), await managed(), instances()].map(({ length }) => length);
        if (left.every((number) => number === 0)) return true;
        throw new Error(`left: ${left}`);
      },
      60_000,
    );
    const secrets = await fixture.cluster.all(SecretKind);
    const ours = secrets.filter(({ type }) => type === 'connection.crossplane.io/v1alpha1');
    assert.deepEqual(
      ours.map(({ metadata }) => metadata.name),
      [],
    );
  });
});
