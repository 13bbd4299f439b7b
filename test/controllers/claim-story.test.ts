import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { putFancySqlExample } from '../fakes/fancysql-example.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { Simulation } from '../fakes/simulation.ts';

const minuteMs = 60_000;
const orders = { namespace: 'team-shop', name: 'orders' };

/** A process with one cloud, whose providers and classes are those of the examples. */
function world() {
  const simulation = new Simulation({ seed: 1, logLevel: 'info' });
  const { clock, cluster, random } = simulation;
  const cloud = inProcessCloud(clock, {
    url: 'http://127.0.0.1:18080',
    flavour: 'favourite',
    provisioningMs: 30_000,
    random,
  });
  putFancySqlExample(cluster, ['favourite']);
  const start = (): void =>
    simulation.start([
      createFcpStack({
        createClient: (options) => favouriteCloudClient({ ...options, dispatcher: cloud.dispatcher }),
      }),
    ]);
  start();
  return { simulation, clock, cluster, cloud, start };
}

const claimOf = (metadata: typeof orders, size: string): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata,
    spec: {
      classSelector: { matchLabels: { size } },
      writeConnectionSecretToRef: { name: 'orders-connection' },
    },
  }) as KubernetesObject;

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly kind: string;
  readonly claim: string;
  readonly reconcileID: string;
  readonly decision?: string;
  readonly change?: string;
  readonly message?: string;
  readonly keys?: readonly string[];
  readonly condition?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly times?: number;
  readonly error?: { readonly message: string };
}

/** A line as a sentence: `info KeepBound FancySQLInstance BoundManagedResource: bound to …`. */
function sentence({
  level,
  kind,
  decision,
  change,
  message,
  keys,
  condition,
  status,
  reason,
  times,
  error,
}: Line) {
  const failed = `failed${times === undefined ? '' : ` ${times} times`}: ${error?.message}`;
  const changed = `${change}${keys === undefined ? '' : ` ${keys}`}`;
  const shown = `${condition} ${status} ${reason}`;
  const what = error !== undefined ? failed : condition !== undefined ? shown : changed;
  return `${level} ${decision ?? '-'} ${kind} ${what}${message === undefined ? '' : `: ${message}`}`;
}

test('the log lines with the key of a claim report its whole life', async () => {
  const { simulation, clock, cluster, cloud } = world();
  cluster.create(FancySQLInstanceKind, claimOf(orders, 'small'));
  await clock.advance(5 * minuteMs);
  const { spec } = cluster.get(FancySQLInstanceKind, orders);
  const name = spec.resourceRef?.name ?? '';
  const nowhere = { namespace: '', name: '' };
  const { writeConnectionSecretToRef: to = nowhere } = cluster.get(FavouriteDBInstanceKind, { name }).spec;
  cluster.remove(SecretKind, to.name, to.namespace);
  await clock.advance(5 * minuteMs);
  cloud.faults.inject({ kind: 'fail', status: 503, times: 1_000 });
  await clock.advance(15 * minuteMs);
  cloud.faults.clear();
  await clock.advance(5 * minuteMs);
  cluster.delete(FancySQLInstanceKind, orders);
  await clock.advance(5 * minuteMs);
  simulation.kill();

  // As grep does.
  const lines = simulation.log.filter((line) => line.includes('team-shop/orders"'));
  const reported = lines.map((line) => JSON.parse(line) as Line);
  for (const line of reported) {
    assert.equal(line.claim, 'team-shop/orders');
    assert.match(line.reconcileID, /^[0-9a-f-]{36}$/);
  }
  const outage = `cannot get instance "${name}": Favourite Cloud (http://127.0.0.1:18080) answered (503 Unavailable): the service is unavailable; connected by Provider favourite, secret cloud-credentials/favourite-cloud`;
  assert.deepEqual(reported.map(sentence), [
    'info AssignClass FancySQLInstance SelectedResourceClass: selected FavouriteDBInstanceClass favourite-small, the only matching resource class',
    `info Create FancySQLInstance CreatedManagedResource: created FavouriteDBInstance ${name} from FavouriteDBInstanceClass favourite-small`,
    'info GenerateCredential FavouriteDBInstance GenerateCredential',
    'info CreateExternal FavouriteDBInstance CreatedExternalResource: Successfully requested creation of external resource',
    'info CreateExternal FavouriteDBInstance Synced True ReconcileSuccess',
    'info CreateExternal FavouriteDBInstance Ready False Creating',
    'info CreateExternal FavouriteDBInstance AsyncOperation False Ongoing: create is under way',
    `info NotReady FancySQLInstance Ready False Binding: waiting for FavouriteDBInstance ${name}: Creating`,
    'info NotReady FancySQLInstance Synced True ReconcileSuccess',
    'info NoUpdate FavouriteDBInstance PublishedConnectionDetails database,endpoint,host,password,port,provider,type,uri,username',
    'info NoUpdate FavouriteDBInstance Ready True Available',
    'info NoUpdate FavouriteDBInstance AsyncOperation True Finished',
    'info NoUpdate FavouriteDBInstance LastAsyncOperation True Success',
    'info KeepBound FancySQLInstance Ready True Available',
    `info KeepBound FancySQLInstance BoundManagedResource: bound to FavouriteDBInstance ${name}: created from FavouriteDBInstanceClass favourite-small in 0 s, ready in 31 s, bound in 0 s`,
    'info GenerateCredential FavouriteDBInstance GenerateCredential',
    'info Update FavouriteDBInstance PublishedConnectionDetails database,endpoint,host,password,port,provider,type,uri,username',
    'info Update FavouriteDBInstance SetCredentials',
    'info Update FavouriteDBInstance UpdatedExternalResource: Successfully requested update of external resource',
    `info CopySecret Secret PropagatedDataFrom: connection details propagated from secret ${to.namespace}/${to.name} of database.fcp.crossplane.io/v1alpha3 FavouriteDBInstance ${name}`,
    `warn - FavouriteDBInstance failed: ${outage}`,
    `info KeepBound FancySQLInstance Ready True AvailableWithTrouble: ${outage}; reported by FavouriteDBInstance ${name}`,
    `warn - FavouriteDBInstance failed 122 times: ${outage}`,
    'info NoUpdate FavouriteDBInstance Synced True ReconcileSuccess',
    'info KeepBound FancySQLInstance Ready True Available',
    `info DeleteResource FancySQLInstance UnboundManagedResource: unbound from FavouriteDBInstance ${name}, which is deleted`,
    'info RemoveFinalizer FancySQLInstance RemovedFinalizer',
    'info DeleteExternal FavouriteDBInstance DeletedExternalResource: Successfully requested deletion of external resource',
    'info DeleteExternal FavouriteDBInstance RemovedFinalizer',
  ]);
  const others = simulation.log
    .filter((line) => !lines.includes(line))
    .map((line) => (JSON.parse(line) as Line).msg);
  assert.deepEqual(others, ['stores are synced']);
});

test('a restart writes no Event for a state that lasts', async () => {
  const { simulation, clock, cluster, cloud, start } = world();
  cluster.create(FancySQLInstanceKind, claimOf(orders, 'small'));
  cluster.create(FancySQLInstanceKind, claimOf({ ...orders, name: 'no-class' }, 'huge'));
  await clock.advance(2 * minuteMs);
  cloud.faults.inject({ kind: 'fail', status: 503, times: 1000 });
  await clock.advance(3 * minuteMs);
  const warned = cluster.all(EventKind).filter(({ type }) => type === 'Warning');
  assert.deepEqual(warned.map(({ involvedObject: { kind }, reason }) => `${kind} ${reason}`).toSorted(), [
    'FancySQLInstance ManagedResourceTrouble',
    'FancySQLInstance NoMatchingClass',
    'FavouriteDBInstance CannotObserveExternalResource',
    'Provider ProviderUnreachable',
  ]);
  const written = simulation.eventWrites;
  start();
  await clock.advance(3 * minuteMs);
  simulation.kill();
  assert.equal(simulation.eventWrites, written);
});
