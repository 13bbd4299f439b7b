import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { freePort } from '../../local/free-port.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { LeaseKind } from '../../runtime/process/lease.ts';
import { realClock } from '../../runtime/time/clock.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef, startFancySQL } from './fancysql-fixture.ts';
import type { ProcessOptions, StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

describe('the process', () => {
  let fixture: FancySQLFixture;
  const processes: StackProcess[] = [];
  const startAs = (options: ProcessOptions, ...flags: string[]): StackProcess => {
    const stack = fixture.cluster.startProcess(['--stacks', 'fcp', ...flags], { isAlone: false, ...options });
    processes.push(stack);
    return stack;
  };
  const start = (...flags: string[]) => startAs({}, ...flags);
  const endAll = () => Promise.all(processes.splice(0).map((stack) => stack.end()));
  afterEach(endAll);
  const claim = (name: string) =>
    fixture.claim('team-a', name, {
      classRef: favouriteClassRef('small'),
      writeConnectionSecretToRef: { name },
    });

  before(async () => {
    fixture = await startFancySQL({ provisioningMs: 500 });
    await fixture.favouriteClass('small');
  });
  after(() => fixture?.stop());

  test('SIGTERM while a claim is provisioned ends it with 0 within seconds, and the next one goes on', async () => {
    const stack = start();
    await claim('interrupted');
    await eventually('creation began', async () => fixture.favourite.instances().length > 0);
    assert.equal(await stack.end(), 0);
    assert.doesNotMatch(stack.log(), /"level":"(warn|error)"/, 'nothing was called off');
    start();
    await fixture.bound('team-a', 'interrupted');
    assert.equal(fixture.favourite.instances().length, 1);
    const reported =
      /"msg":"changed",.*"namespace":"team-a","name":"interrupted",.*"change":"BoundManagedResource"/;
    await eventually('its log says so', async () => reported.test(processes.at(-1)?.log() ?? ''));
  });

  test('of two processes with one claim kind, the one that has no class or kind for a claim reports nothing about it', async () => {
    await fixture.ambivalentClass('theirs', { size: 'theirs' });
    const alone = ['--leader-elect=false'];
    const [first, second] = [start(...alone), start('--stacks', 'ocp', ...alone)];
    for (const { log } of [first, second]) {
      await eventually('it handles claims', async () => log().includes('"msg":"stores are synced"'));
    }
    const names = ['one', 'two', 'three'];
    const { kind } = AmbivalentDBInstanceClassKind;
    const classRef = { apiVersion: 'database.ocp.crossplane.io/v1alpha1', kind, name: 'theirs' };
    const writeConnectionSecretToRef = { name: 'conn' };
    for (const name of names) await fixture.claim('team-b', name, { classRef });
    const classSelector = { matchLabels: { size: 'theirs' } };
    await fixture.claim('team-b', 'selecting', { classSelector, writeConnectionSecretToRef });
    names.push('selecting');
    for (const name of names) await fixture.bound('team-b', name);
    const [resource] = (await fixture.cluster.all(AmbivalentDBInstanceKind)).filter(
      ({ spec }) => spec.claimRef?.name === 'selecting',
    );
    const { namespace = '', name = '' } = resource?.spec.writeConnectionSecretToRef ?? {};
    const note = JSON.stringify({ stringData: { note: 'added' } });
    await fixture.cluster.kubectl(['-n', namespace, 'patch', 'secret', name, '-p', note]);
    const copy = { namespace: 'team-b', name: 'conn' };
    await eventually('an edit of the source is copied', async () => {
      const { data = {} } = (await fixture.cluster.find(SecretKind, copy)) ?? {};
      return data.note !== undefined;
    });
    await realClock().sleep(3_000, new AbortController().signal);
    const events = (await fixture.cluster.all(EventKind)).filter(({ reason }) =>
      ['UnknownKind', 'NoMatchingClass', 'CannotPropagateConnectionDetails'].includes(reason),
    );
    assert.deepEqual(events, []);
    for (const { log } of [first, second]) {
      assert.doesNotMatch(log(), /condition":"Ready".*(UnknownKind|NoMatchingClass)/);
    }
    await fixture.cluster.kubectl(['-n', 'team-b', 'delete', 'fancysqlinstances', ...names]);
    const left = () => fixture.cluster.all(AmbivalentDBInstanceKind);
    await eventually('their resources are deleted', async () => (await left()).length === 0);
  });

  test('with the stacks that run by default it names the stack that handles the objects of another', async () => {
    const probes = `127.0.0.1:${await freePort()}`;
    const stack = fixture.cluster.startProcess(['--health-probe-bind-address', probes]);
    processes.push(stack);
    const notes = [
      'objects of FancySQLInstance exist, and no stack of this process handles them: add fcp or ocp to --stacks',
      'objects of FavouriteDBInstance exist, and no stack of this process handles them: add fcp to --stacks',
    ];
    await eventually('/readyz and the log have the notes', async () => {
      const shown = await (await fetch(`http://${probes}/readyz?verbose`)).text();
      return notes.every((note) => shown.includes(`\n[!]${note}`) && stack.log().includes(`"msg":"${note}`));
    });
    assert.doesNotMatch(stack.log(), /objects of (Network|AmbivalentDBInstance)|forbids/);
  });

  test('without the namespace of its lease it ends with 1 and the command, and --install-crds creates it', async () => {
    // The shipped Role allows no other namespace, and no role allows the creation of a namespace.
    const admin = { isAdmin: true };
    const flags = ['--leader-election-namespace', 'elsewhere'];
    const stack = startAs(admin, ...flags);
    assert.equal(await stack.ended, 1);
    assert.match(
      stack.log(),
      /the namespace elsewhere of the Lease does not exist: run \\"kubectl create namespace elsewhere/,
    );
    startAs(admin, ...flags, '--install-crds');
    const key = { namespace: 'elsewhere', name: 'services-stack' };
    await eventually('the lease is held', () => fixture.cluster.find(LeaseKind, key));
  });

  test('without rights to its lease it is not ready, and says which right it lacks', async () => {
    const probes = `127.0.0.1:${await freePort()}`;
    start('--leader-election-namespace=team-a', `--health-probe-bind-address=${probes}`);
    const wanted =
      /^\[-\]lease failed: the API server refuses the Lease team-a\/services-stack: .*cannot get resource "leases"/m;
    await eventually('/readyz names the right', async () => {
      const answer = await fetch(`http://${probes}/readyz`).catch(() => undefined);
      return answer?.status === 503 && wanted.test(await answer.text());
    });
  });

  test('without leader election the log warns that no other process may run', async () => {
    const stack = start('--leader-elect=false');
    const warning =
      /"level":"warn","msg":"leader election is off: make sure that no other process runs these stacks/;
    await eventually('the log warns', async () => warning.test(stack.log()));
  });

  test('of two processes one works and the other shows which; when it is killed the other takes over', async () => {
    const key = { namespace: 'crossplane-system', name: 'services-stack' };
    const holder = async () => (await fixture.cluster.find(LeaseKind, key))?.spec?.holderIdentity;
    const first = start('--log-level', 'debug');
    await eventually('the first one leads', async () => ((await holder()) ?? '') !== '');
    const probes = `127.0.0.1:${await freePort()}`;
    const second = start('--log-level', 'debug', '--health-probe-bind-address', probes);
    await claim('led');
    await fixture.bound('team-a', 'led');
    const leader = await holder();
    await eventually('the second one shows which process leads', async () => {
      const shown = await (await fetch(`http://${probes}/readyz?verbose`)).text();
      const standingBy = `[!]standing by: ${leader} holds the Lease crossplane-system/services-stack`;
      return shown.includes(`\n${standingBy}\nok\n`);
    });
    const standing = new RegExp(`"msg":"standing by: [^"]*",.*"holder":"${leader}"`);
    await eventually('its log says so', async () => standing.test(second.log()));
    assert.doesNotMatch(second.log(), /"msg":"reconciled"/, 'a standby does nothing');
    await first.end('SIGKILL');
    await claim('inherited');
    await fixture.bound('team-a', 'inherited');
    assert.notEqual(await holder(), leader);
    assert.equal(await second.end(), 0);
    assert.equal(await holder(), '', 'a leader that ends gives the lease free');
  });
});
