import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../stacks/demo-clouds/client/other-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { createOcpStack } from '../../stacks/demo-clouds/ocp/stack.ts';
import { createPostgresqlStack } from '../../stacks/postgresql/stack.ts';
import type {
  SavedInventory,
  StoredInstance,
  StoredNetwork,
} from '../../testing/favourite-cloud/inventory.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { Simulation } from '../fakes/simulation.ts';
import { kindOf } from '../simulation/kinds.ts';

/** The objects, clouds and statements that the build of commit 2663d8f9 left: in an API server, in two clouds and on a PostgreSQL server. */
interface Left {
  readonly clouds: Readonly<Record<'favourite' | 'other', Cloud>>;
  /** The database that each statement was sent to, and the statement. */
  readonly statements: readonly (readonly [database: string, statement: string])[];
  readonly objects: readonly KubernetesObject[];
}

interface Cloud {
  readonly instances: readonly StoredInstance[];
  readonly networks: readonly StoredNetwork[];
}

const fixture = new URL('../fixtures/objects-of-2663d8f9.json', import.meta.url);
const left = JSON.parse(readFileSync(fixture, 'utf8')) as Left;
/** Longer than the process takes to reconcile everything, and to poll each external resource twice. */
const aWhileMs = 180_000;

const at = { createdAtMs: 0, deletedAtMs: undefined, before: undefined, changedAtMs: 0 };
const inventoryOf = ({ instances, networks }: Cloud): SavedInventory => ({
  instances: instances.map((item, index) => [item.name, { item, sequence: index + 1, ...at }]),
  networks: networks.map((item, index) => [item.id, { item, sequence: index + 1, ...at }]),
  lastInstance: instances.length,
  lastNetwork: networks.length,
});

const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${objectKeyText(metadata)}`;

interface Shown {
  readonly ready: string;
  readonly phase: string | undefined;
  readonly data: Secret['data'];
}

/** The state of an object that users see: Ready with its reason, the phase of its binding, and the data of a Secret. */
function shownOf(object: KubernetesObject): Shown {
  const { status, data } = object as KubernetesObject & { status?: ManagedStatus } & Pick<Secret, 'data'>;
  const { status: ready = '', reason = '' } = getCondition(status?.conditions, 'Ready');
  return { ready: `${ready} ${reason}`, phase: status?.bindingPhase, data };
}

const each = <V>(objects: readonly KubernetesObject[], value: (object: KubernetesObject) => V) =>
  Object.fromEntries(objects.map((object) => [nameOf(object), value(object)]));

describe('an installation of an earlier build is taken over', () => {
  const simulation = new Simulation({ seed: 1 });
  const { clock, cluster } = simulation;
  const favourite = inProcessCloud(clock, { saved: inventoryOf(left.clouds.favourite) });
  const other = inProcessCloud(clock, {
    ...{ url: 'http://other.test', token: 'other-token', flavour: 'other' },
    saved: inventoryOf(left.clouds.other),
  });
  const postgresql = createInProcessPostgresql(clock);
  const outside = () => ({
    favourite: [favourite.instances(), favourite.networks()],
    other: [other.instances(), other.networks()],
    databases: postgresql.databases(),
    roles: postgresql.roles(),
    grants: postgresql.grants(),
    memberships: postgresql.memberships(),
  });
  const now = () => left.objects.map((object) => cluster.get(kindOf(object), objectKey(object.metadata)));
  let outsideBefore: ReturnType<typeof outside>;
  let firstWrites: readonly string[];
  let secondWrites: readonly string[];

  const run = async (): Promise<readonly string[]> => {
    const count = simulation.writes.length;
    const { createServer, end } = postgresql.clientsFor();
    simulation.start([
      createFcpStack({
        createClient: (options) => favouriteCloudClient({ ...options, dispatcher: favourite.dispatcher }),
      }),
      createOcpStack({
        createClient: (options) => otherCloudClient({ ...options, dispatcher: other.dispatcher }),
      }),
      createPostgresqlStack({ createServer }),
    ]);
    await clock.advance(aWhileMs);
    simulation.kill();
    end();
    return simulation.writes
      .slice(count)
      .map((line) => line.replace(/^\d+ /, ''))
      .toSorted();
  };

  before(async () => {
    for (const [database, statement] of left.statements) await postgresql.sql(statement, { database });
    for (const object of left.objects) {
      // The cluster counts generations: as many as the status names.
      const { generation = 1 } = object.metadata;
      for (let n = 1; n < generation; n += 1) cluster.put(kindOf(object), { ...object, ...{ edit: n } });
      cluster.put(kindOf(object), object);
    }
    await clock.advance(3_600_000); // past every moment that the objects name
    outsideBefore = outside();
    firstWrites = await run();
    secondWrites = await run();
  });

  test('no external resource, password or grant of an earlier build changes', () =>
    assert.deepEqual(outside(), outsideBefore));

  test('every object keeps its Ready, its phase and its Secret', () =>
    assert.deepEqual(each(now(), shownOf), each(left.objects, shownOf)));

  test('the first start writes what the earlier build did not know', () =>
    assert.deepEqual(firstWrites, [
      // The resource is only observed: a note of it lets a later edit of the policies take it over.
      'update FavouriteDBInstance ledger',
      // The password that a person wrote for an import under Observe gets a note with its claim.
      'update Secret cloud-credentials/ledger-of-a-person',
      // Synced reports that a name led to the role of a claim. The database and the grant stay.
      'updateStatus PostgreSQLDatabase dashboards',
      'updateStatus PostgreSQLGrant metrics-reads-the-warehouse',
      // The number of users of each kind.
      'updateStatus Provider demo',
      'updateStatus Provider favourite',
      'updateStatus ProviderConfig default',
      'updateStatus ProviderConfig default',
    ]));

  test('the second start writes nothing', () => assert.deepEqual(secondWrites, []));
});
