import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import partition from 'lodash/partition.js';
import range from 'lodash/range.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { inTurns as countedTurns } from '../bench/in-turns.ts';
import { claimKinds, definitions } from '../fakes/defined-kinds.ts';
import { kindOf } from '../simulation/kinds.ts';
import type { Attack } from '../simulation/workload/attacks.ts';
import { asEdit, attacks, rogue } from '../simulation/workload/attacks.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { credentialsNamespace, favouriteClassRef, favouriteRef } from './fancysql-fixture.ts';
import { learnt, othersObjects, othersSecrets } from './others.ts';
import type { StackProcess } from './stack-harness.ts';
import { clientOf, eventually, kubeConfigOf } from './stack-harness.ts';

/** So many of each sort, all of which are tried in memory; fewer of those for which something may be made. */
const mostOfEach = 60;
const mostWithClass = 12;
const rbac = 'rbac.authorization.k8s.io';

/**
 * A tenant with the rights that deploy/ has for people, and all on secrets, in one namespace; a process with the rights that
 * deploy/ gives it; and a real API server that holds them to these. Needs the admission plugin
 * OwnerReferencesPermissionEnforcement, and a fixture that no other suite has used.
 */
export function testTenants(fixtureOf: () => FancySQLFixture): void {
  describe('a tenant against all others, on a real API server', () => {
    let fixture: FancySQLFixture;
    let stack: StackProcess;
    let tenant: KubernetesClient & { close(): Promise<void> };

    const objects = async (): Promise<readonly KubernetesObject[]> =>
      (
        await Promise.all(
          [...definitions, SecretKind, EventKind].map((each: Kind) => fixture.cluster.all(each)),
        )
      ).flat();
    const instances = () => [fixture.favourite, fixture.other].flatMap((cloud) => cloud.instances());
    const ours = () =>
      instances().filter(({ item }) => !item.tags['crossplane-name']?.startsWith(`${rogue}-`));

    before(async () => {
      fixture = fixtureOf();
      const { cluster } = fixture;
      await cluster.kubectl(['create', 'namespace', rogue]);
      const metadata = { namespace: rogue, name: 'mallory' };
      const subjects = [{ kind: 'ServiceAccount', ...metadata }];
      const binding = (name: string, kind: string, role: string) => ({
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { ...metadata, name },
        roleRef: { apiGroup: rbac, kind, name: role },
        subjects,
      });
      await cluster.apply(
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
        {
          apiVersion: `${rbac}/v1`,
          kind: 'Role',
          metadata: { ...metadata, name: 'secrets' },
          rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }],
        },
        binding('secrets', 'Role', 'secrets'),
        binding('claims', 'ClusterRole', 'services-stack-claims-edit'),
        binding('demo-claims', 'ClusterRole', 'services-stack-demo-claims-edit'),
      );
      tenant = clientOf(kubeConfigOf(await kubeconfigOfAccount(cluster.controlPlane, metadata)));

      await fixture.favouriteClass('small', { labels: { size: 'small' }, isDefault: true });
      await fixture.ambivalentClass('other-small', { size: 'small' });
      stack = cluster.startProcess(['--stacks', 'fcp,ocp', '--poll-interval', '1s']);
      await inhabit();
    });

    after(async (context) => {
      await tenant?.close();
      if ('error' in context && context.error) console.error(stack?.log());
    });

    /** Two teams have what one can have: provisioned, taken by name, left, and reserved for who is not there. */
    async function inhabit(): Promise<void> {
      const { cluster } = fixture;
      await Promise.all(['taken', 'left'].map((name) => fixture.managed(name, { reclaimPolicy: 'Retain' })));
      const kind = 'FancySQLInstance';
      const toCome = {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind,
        namespace: 'team-b',
        name: 'to-come',
      };
      await fixture.managed('reserved', { claimRef: toCome });
      const secretRef = (name: string) => ({ writeConnectionSecretToRef: { name } });
      const other = { apiVersion: 'database.ocp.crossplane.io/v1alpha1', kind: 'AmbivalentDBInstanceClass' };
      const classRef = { ...other, name: 'other-small' };
      await fixture.claim('team-a', 'db', { classRef: favouriteClassRef('small'), ...secretRef('db') });
      await fixture.claim('team-b', 'db', { classRef, ...secretRef('db') });
      for (const name of ['taken', 'left']) {
        await fixture.claim('team-a', name, { resourceRef: favouriteRef(name), ...secretRef(name) });
      }
      for (const name of ['db', 'taken', 'left']) await fixture.bound('team-a', name);
      await fixture.bound('team-b', 'db');
      await cluster.client.delete(FancySQLInstanceKind, { namespace: 'team-a', name: 'left' }, {});
      await eventually('what was left is Released', async () => {
        const left = await cluster.find(FavouriteDBInstanceKind, { name: 'left' });
        return left?.status?.bindingPhase === 'Released';
      });
      assert.ok(await comesToRest());
    }

    const requests = () =>
      [fixture.favourite, fixture.other]
        .flatMap((cloud) => Object.values(cloud.calls()))
        .reduce((a, b) => a + b);

    /** Waits until there was no write for a while, in which all external resources were observed. */
    async function comesToRest(): Promise<boolean> {
      let before = '';
      for (let rounds = 0; rounds < 20; rounds += 1) {
        const now = JSON.stringify(await fixture.cluster.writes());
        if (now === before) return true;
        before = now;
        const needed = requests() + 2 * instances().length;
        await sleep(1_500);
        await eventually('each was observed', async () => requests() >= needed);
      }
      return false;
    }

    test('the API server refuses the tenant what its roles do not allow', async () => {
      const refused = async (asking: Promise<unknown>) =>
        assert.rejects(asking, (error) => apiErrorIn(error)?.code === 403);
      await refused(tenant.get(SecretKind, { namespace: 'team-a', name: 'db' }));
      await refused(tenant.list(SecretKind, { namespace: credentialsNamespace }));
      await refused(tenant.list(FavouriteDBInstanceKind, {}));
      await refused(tenant.patch(FancySQLInstanceKind, { namespace: 'team-a', name: 'db' }, { spec: {} }));
      const own = { namespace: rogue, name: 'none' };
      const bound = { status: { bindingPhase: 'Bound' } };
      await refused(tenant.patch(FancySQLInstanceKind, own, bound, { subresource: 'status' }));
      assert.deepEqual((await tenant.list(SecretKind, { namespace: rogue })).items, []);
    });

    test('the attacks of a tenant fail: the objects of others keep their resourceVersion, and the tenant learns nothing', async () => {
      const found = await objects();
      const before = othersObjects(found);
      const [clouds, secrets] = [ours(), othersSecrets(found)];
      assert.ok(Object.keys(before).length > 20 && clouds.length === 5 && secrets.length > 10);
      const untouched = async (): Promise<void> => {
        const isAtRest = await comesToRest();
        const now = await objects();
        assert.deepEqual(othersObjects(now), before);
        assert.deepEqual(ours(), clouds);
        assert.deepEqual(learnt(now, secrets), []);
        assert.ok(isAtRest, 'no end of writes');
      };

      const victims = { objects: found, outside: instances().map(({ item }) => item.name) };
      const planned = Object.values(attacks).flatMap((of) => representative(of(victims)));
      const made: { readonly kind: Kind; readonly attack: Attack }[] = [];
      await inTurns(planned, async ([what, object], index) => {
        const metadata = { ...object.metadata, name: object.metadata.name || `a-${index}` };
        const kind = kindOf(object);
        if (await succeeds(tenant.create(kind, { ...object, metadata }))) {
          made.push({ kind, attack: [what, { ...object, metadata }] });
        }
      });
      assert.ok(made.length > planned.length / 2, `${made.length} of ${planned.length} attacks are admitted`);
      await untouched();

      let edits = 0;
      await inTurns(made, async ({ kind, attack: [, { metadata }] }, index) => {
        const other = made.slice(index + 1).find((one) => one.kind === kind);
        if (other === undefined) return;
        if (await succeeds(tenant.patch(kind, objectKey(metadata), asEdit(other.attack)))) edits += 1;
      });
      assert.ok(edits > 20, `${edits} edits are admitted`);
      await untouched();

      for (const kind of [...claimKinds, SecretKind] as const) {
        const { items } = await tenant.list(kind as Kind, { namespace: rogue });
        await inTurns(items, async ({ metadata }) => {
          await succeeds(tenant.delete(kind, objectKey(metadata), {}));
        });
      }
      await untouched();
      await fixture.claim('team-a', 'afterwards', { writeConnectionSecretToRef: { name: 'afterwards' } });
      await fixture.bound('team-a', 'afterwards');
    });
  });
}

function representative(all: readonly Attack[]): readonly Attack[] {
  const [withClass, others] = partition(all, ([, object]) => {
    const { classRef, classSelector } = (object as Partial<Claim>).spec ?? {};
    return (classRef ?? classSelector) !== undefined;
  });
  return [...spread(withClass, mostWithClass), ...spread(others, mostOfEach)];
}

/** So many of them, from the first to the last. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  const chosen = new Set(range(most).map((part) => Math.floor((part * all.length) / most)));
  return all.filter((_, index) => chosen.has(index));
}

/** Eight at a time. */
const inTurns = <T>(items: readonly T[], act: (item: T, index: number) => Promise<void>): Promise<void> =>
  countedTurns(items.length, 8, (index) => act(items[index]!, index));

/** Whether the API server accepts it. Other errors are thrown. */
async function succeeds(asking: Promise<unknown>): Promise<boolean> {
  try {
    await asking;
    return true;
  } catch (error) {
    const code = apiErrorIn(error)?.code ?? 0;
    if (code >= 400 && code < 500) return false;
    throw error;
  }
}
