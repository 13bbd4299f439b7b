import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import isEqual from 'lodash/isEqual.js';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { ControllerManager } from '../../local/control-plane/controller-manager.ts';
import { startControllerManager } from '../../local/control-plane/controller-manager.ts';
import { controllerManagerSupport } from '../../local/control-plane/controller-manager-binary.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { favouriteClassRef, favouriteRef, startFancySQL } from './fancysql-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const support = await controllerManagerSupport();
const flags = ['--stacks', 'fcp', '--poll-interval', '2s'];
/** The namespaces of two teams, and one for credentials and for Secrets of managed resources. */
const [ordered, unordered, central] = ['gone', 'gone-unordered', 'central'];

describe('with the namespace controller and the garbage collector of Kubernetes', {
  skip: support.by === 'none' && support.reason,
}, () => {
  let fixture: FancySQLFixture;
  let manager: ControllerManager;
  let stack: StackProcess;
  /** As it was before the deletions. */
  let former: {
    readonly retained: readonly { readonly name: string; readonly details: ConnectionDetails }[];
    readonly central: ConnectionDetails;
    readonly untouched: readonly string[];
  };

  const kubectl = (...args: readonly string[]) => fixture.cluster.kubectl(args);
  const instances = () => fixture.favourite.instances().map(({ item }) => item);
  const observations = () => fixture.favourite.calls()['GET /v1/instances/{name}'] ?? 0;
  const managed = (name: string) => fixture.cluster.find(FavouriteDBInstanceKind, { name });
  const secret = (namespace: string, name: string) => fixture.cluster.find(SecretKind, { namespace, name });
  const details = async (namespace: string, name: string) => decodeDetails(await secret(namespace, name));
  /** The name of the resource of a claim. */
  const resourceOf = async (namespace: string, name: string) =>
    (await fixture.getClaim(namespace, name))?.spec.resourceRef?.name ?? '';
  const claim = (namespace: string, name: string, className = name) =>
    fixture.claim(namespace, name, {
      classRef: favouriteClassRef(className),
      writeConnectionSecretToRef: { name },
    });
  const isGone = (namespace: string) =>
    eventually(
      `namespace ${namespace} is gone`,
      async () => (await fixture.cluster.find(NamespaceKind, { name: namespace })) === undefined,
    );

  /** The versions of a team's claims, and of their resources and Secrets. */
  async function versionsOf(namespace: string): Promise<readonly string[]> {
    const { all } = fixture.cluster;
    const [claims, resources, secrets] = await Promise.all([
      all(FancySQLInstanceKind),
      all(FavouriteDBInstanceKind),
      all(SecretKind),
    ]);
    const owned = resources.filter(({ spec }) => spec.claimRef?.namespace === namespace);
    const sources = owned.map(({ spec }) => spec.writeConnectionSecretToRef?.name);
    const others: readonly KubernetesObject[] = [...claims, ...secrets].filter(
      ({ metadata }) => metadata.namespace === namespace || sources.includes(metadata.name),
    );
    return [...owned, ...others].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
  }

  async function createCentral(): Promise<void> {
    await kubectl('create', 'namespace', central);
    const { url, token } = fixture.favourite;
    const stringData = { credentials: JSON.stringify({ url, token }) };
    await fixture.cluster.create(SecretKind, { namespace: central, name: 'cloud' }, { stringData });
  }

  before(async () => {
    assert.ok(support.by !== 'none');
    fixture = await startFancySQL({ provisioningMs: 100, deletionMs: 100 });
    manager = await startControllerManager(support, fixture.cluster.controlPlane);
    await createCentral();
    const spec = { credentialsSecretRef: { namespace: central, name: 'cloud', key: 'credentials' } };
    await fixture.cluster.create(ProviderKind, { name: central }, { spec });
    // With a version, which the controllers would take over from the cloud at a time of their own.
    const forProvider = { fancinessLevel: 3, version: '5.7' };
    await fixture.favouriteClass('small', { template: { forProvider } });
    await fixture.favouriteClass('kept', { template: { reclaimPolicy: 'Retain' } });
    const inCentral = { writeConnectionSecretsToNamespace: central, providerRef: { name: central } };
    await fixture.favouriteClass('central', { template: inCentral });
    stack = fixture.cluster.startProcess(flags);

    for (const team of [ordered, unordered]) {
      await kubectl('create', 'namespace', team);
      for (const name of ['small', 'kept']) await claim(team, name);
      await claim(team, 'pending', 'no-such-class');
      await fixture.managed(`static-${team}`, { reclaimPolicy: 'Retain' });
      await fixture.claim(team, 'static', {
        resourceRef: favouriteRef(`static-${team}`),
        writeConnectionSecretToRef: { name: 'static' },
      });
    }
    await claim('team-a', 'central');
    await claim('team-b', 'small');
    for (const team of [ordered, unordered])
      for (const name of ['small', 'kept', 'static']) await fixture.bound(team, name);
    await fixture.bound('team-a', 'central');
    await fixture.bound('team-b', 'small');
    former = {
      retained: await Promise.all(
        [ordered, unordered].map(async (team) => ({
          name: await resourceOf(team, 'kept'),
          details: await details(team, 'kept'),
        })),
      ),
      central: await details('team-a', 'central'),
      untouched: await eventually('the objects of the other team are at rest', async () => {
        const before = await versionsOf('team-b');
        const needed = observations() + 2 * instances().length;
        await eventually('each was observed', async () => observations() >= needed);
        return isEqual(await versionsOf('team-b'), before) && before;
      }),
    };

    await kubectl('delete', 'namespace', ordered, unordered, central, '--wait=false');
    // The namespace controller begins after five seconds, with any kind. Here it begins with the Secrets.
    await kubectl('-n', unordered, 'delete', 'secret', 'small', 'kept', 'static');
    await Promise.all([ordered, unordered, central].map(isGone));
  });
  after(async () => {
    await manager?.stop();
    await fixture?.stop();
  });

  test('a deleted namespace ends, and the policies decide which databases stay', async () => {
    const retained = [...former.retained.map(({ name }) => name), `static-${ordered}`, `static-${unordered}`];
    const phases = await Promise.all(
      retained.map(async (name) => (await managed(name))?.status?.bindingPhase),
    );
    assert.deepEqual(phases, Array(4).fill('Released'));
    const left = [...retained, await resourceOf('team-a', 'central'), await resourceOf('team-b', 'small')];
    await eventually('the instances of the policy Delete are deleted', async () => {
      return instances().length === left.length;
    });
    const names = instances().map(({ name }) => name);
    assert.deepEqual(names.toSorted(), left.toSorted());
  });

  test('the objects of other teams are not written', async () => {
    assert.deepEqual(await versionsOf('team-b'), former.untouched);
  });

  test('the process reports no failure, in whatever order the objects go', () => {
    const lines = stack.log().split('\n');
    const about = lines.filter((line) => /"namespace":"gone/.test(line));
    assert.ok(about.some((line) => line.includes('UnboundManagedResource')));
    const failures = about.filter((line) => /"level":"(warn|error)"|forbidden|Forbidden/.test(line));
    assert.deepEqual(failures, []);
  });

  test('claims keep their Secrets while those of their resources and providers are gone, and get a new password after', async () => {
    const { spec } = await eventually('the claim names the missing Secret', async () => {
      const found = await fixture.getClaim('team-a', 'central');
      const { reason, message = '' } = getCondition(found?.status?.conditions, 'Ready');
      return reason === 'AvailableWithTrouble' && message.includes(`secret ${central}/cloud`) && found;
    });
    const instance = () => instances().find(({ name }) => name === spec.resourceRef?.name);
    assert.deepEqual(await details('team-a', 'central'), former.central);
    assert.equal(instance()?.password, former.central.password);
    await createCentral();
    await eventually('it has a new password', async () => {
      const { password } = await details('team-a', 'central');
      return password !== former.central.password;
    });
    const { password } = await details('team-a', 'central');
    assert.equal(instance()?.password, password);
  });

  test('the same claim in a namespace of the same name gets a resource and a password of its own', async () => {
    await kubectl('create', 'namespace', ordered);
    await claim(ordered, 'kept');
    const { spec } = await fixture.bound(ordered, 'kept');
    assert.ok(former.retained.every(({ name }) => name !== spec.resourceRef?.name));
    const { password } = await details(ordered, 'kept');
    assert.ok(
      password !== undefined && former.retained.every(({ details: { password: old } }) => old !== password),
    );
  });

  for (const cascade of ['foreground', 'orphan']) {
    test(`a claim that is deleted with --cascade=${cascade} ends, and the next of its name has another password`, async () => {
      await claim('team-b', cascade, 'small');
      await fixture.bound('team-b', cascade);
      const old = await details('team-b', cascade);
      const args = ['fancysqlinstance', cascade, `--cascade=${cascade}`, '--timeout=20s'];
      await kubectl('-n', 'team-b', 'delete', ...args);
      if (cascade === 'foreground') assert.equal(await secret('team-b', cascade), undefined);
      await claim('team-b', cascade, 'small');
      await fixture.bound('team-b', cascade);
      const { password } = await eventually('it has another password', async () => {
        const now = await details('team-b', cascade);
        return now.password !== undefined && now.password !== old.password && now;
      });
      assert.ok(instances().some((instance) => instance.password === password));
    });
  }

  /** docs/uninstall.md: the namespace of the process, which cannot be created in it again. */
  test('without a process a namespace waits, and the garbage collector deletes the Secrets of objects without finalizers', async () => {
    const team = 'crossplane-system';
    for (const [namespace, name] of [
      [team, 'small'],
      ['team-b', 'forced'],
    ] as const) {
      await claim(namespace, name, 'small');
      await fixture.bound(namespace, name);
    }
    const forced = await resourceOf('team-b', 'forced');
    const source = (await managed(forced))?.spec.writeConnectionSecretToRef ?? assert.fail();
    const waiting = await resourceOf(team, 'small');
    await stack.end('SIGTERM');

    await kubectl('delete', 'namespace', team, '--wait=false');
    const finalizers = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await kubectl('-n', 'team-b', 'patch', 'fancysqlinstance', 'forced', ...finalizers);
    await kubectl('patch', 'favouritedbinstance', forced, ...finalizers);
    await kubectl('-n', 'team-b', 'delete', 'fancysqlinstance', 'forced');
    await kubectl('delete', 'favouritedbinstance', forced);
    await eventually('both Secrets are deleted', async () => {
      const both = [await secret('team-b', 'forced'), await fixture.cluster.find(SecretKind, source)];
      return both.every((each) => each === undefined);
    });
    await eventually('the claim is being deleted', async () => {
      const found = await fixture.getClaim(team, 'small');
      return found?.metadata.deletionTimestamp !== undefined;
    });
    const exists = () => instances().some(({ name }) => name === waiting);
    assert.ok(exists());
    assert.ok(await fixture.cluster.find(NamespaceKind, { name: team }));

    fixture.cluster.startProcess(flags, { isAdmin: true });
    await isGone(team);
    await eventually('its instance is deleted', async () => !exists());
  });
});
