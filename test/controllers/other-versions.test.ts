import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { createPostgresqlStack } from '../../stacks/postgresql/stack.ts';
import type { SavedInventory, StoredInstance } from '../../testing/favourite-cloud/inventory.ts';
import { admit, isDefinition } from '../fakes/admission.ts';
import { claimKinds, managedKinds } from '../fakes/defined-kinds.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import type { CarryOutside } from '../fakes/outside.ts';
import { Simulation } from '../fakes/simulation.ts';
import {
  crossplaneInstances,
  crossplaneObjects,
  crossplaneStatements,
} from '../fixtures/crossplane-objects.ts';
import { kindOf } from '../simulation/kinds.ts';

/** Longer than the process takes to reconcile everything, and to poll each external resource twice. */
const aWhileMs = 180_000;
const isReleased = (resource: Managed): boolean => resource.status?.bindingPhase === 'Released';
const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${objectKeyText(metadata)}`;
const isClaim = (object: KubernetesObject): object is Claim =>
  claimKinds.some(({ kind }) => kind === object.kind);
const isManaged = (object: KubernetesObject): object is Managed =>
  managedKinds.some(({ kind }) => kind === object.kind);
/** A value for each object by its name, to compare all at once. */
const each = <T extends KubernetesObject, V>(objects: readonly T[], value: (object: T) => V) =>
  Object.fromEntries(objects.map((object) => [nameOf(object), value(object)]));

const readiness = ({ status }: Claim) => getCondition(status?.conditions, 'Ready');

/** The cloud that holds these instances, and has finished all that it began. */
const inventoryOf = (instances: readonly StoredInstance[]): SavedInventory => ({
  instances: instances.map((item, index) => [
    item.name,
    { item, sequence: index + 1, createdAtMs: 0, deletedAtMs: undefined, before: undefined, changedAtMs: 0 },
  ]),
  networks: [],
  lastInstance: instances.length,
  lastNetwork: 0,
});

/** A cluster with the objects of another version, the external systems that belong to them, and the whole process. */
class TakenOver {
  readonly simulation = new Simulation({ seed: 1 });
  readonly cluster = this.simulation.cluster;
  /** The objects as the other version left them. */
  readonly claims: readonly Claim[];
  readonly resources: readonly Managed[];
  /** The connection details by the name of the claim or managed resource, as the other version left them. */
  readonly details = new Map<string, ConnectionDetails>();
  /** The external resources whose password was another one after a write, or which were not there. */
  readonly changedOutside = new Set<string>();
  /** The claims that were not Ready during the run: `FancySQLInstance team/orders: Ready False Binding`. */
  readonly interruptions: string[] = [];
  /** The writes of the process after its second start. */
  secondWrites: readonly string[] = [];
  readonly #cloud;
  readonly #postgresql = createInProcessPostgresql(this.simulation.clock);

  constructor({ withStatus }: { readonly withStatus: boolean }) {
    this.#cloud = inProcessCloud(this.simulation.clock, { saved: inventoryOf(crossplaneInstances) });
    for (const object of crossplaneObjects({ withStatus })) this.#put(object);
    const asLeft = crossplaneObjects({ withStatus: true });
    this.claims = asLeft.filter(isClaim);
    this.resources = asLeft.filter(isManaged);
    for (const object of [...this.claims, ...this.resources])
      this.details.set(nameOf(object), this.detailsOf(object) ?? {});
    this.cluster.witness((_kind, was, is) => {
      if (was !== undefined) this.#witness(was, is);
    });
  }

  /** The process runs for a while, is killed, and another runs. */
  async play(): Promise<void> {
    for (const statement of crossplaneStatements) await this.#postgresql.sql(statement);
    assert.deepEqual(this.closed(), [], 'the external systems have the passwords of the Secrets');
    await this.simulation.clock.advance(3_600_000); // past every moment that the objects name
    await this.run();
    const { writes } = this.simulation;
    const count = writes.length;
    await this.run();
    this.secondWrites = writes.slice(count);
  }

  /** Another process, for a while. */
  async run(): Promise<void> {
    const { createServer, end } = this.#postgresql.clientsFor(this.#carryOut);
    const dispatcher = this.#cloud.carrierFor(this.#carryOut);
    const fcp = createFcpStack({
      createClient: (options) => favouriteCloudClient({ ...options, dispatcher }),
    });
    this.simulation.start([fcp, createPostgresqlStack({ createServer })]);
    await this.simulation.clock.advance(aWhileMs);
    this.simulation.kill();
    end();
  }

  now<T extends KubernetesObject>(object: T): T {
    return this.cluster.get(kindOf(object), objectKey(object.metadata)) as unknown as T;
  }

  /** The Secret of a claim or a managed resource. */
  secretOf({ metadata, spec }: Claim | Managed): Secret | undefined {
    const { name = '', ...to }: Partial<ObjectKey> = spec.writeConnectionSecretToRef ?? {};
    return this.cluster.find(SecretKind, { namespace: to.namespace ?? metadata.namespace ?? '', name });
  }

  detailsOf(object: Claim | Managed): ConnectionDetails | undefined {
    const secret = this.secretOf(object);
    return secret && decodeDetails(secret);
  }

  /** The external resources that these credentials do not open: those of the other version unless others are given. */
  closed(
    passwordOf = (resource: Managed) => this.details.get(nameOf(resource))?.password,
  ): readonly string[] {
    return this.resources.filter((resource) => !this.#opens(resource, passwordOf(resource))).map(nameOf);
  }

  /** Claims of another team that name these resources, after a while. */
  async claimsFor(resources: readonly Managed[]): Promise<readonly Claim[]> {
    const claims = resources.map((resource) => {
      const { uid: _, ...resourceRef } = referenceTo(resource);
      const { name } = resource.metadata;
      const claim: Claim = {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: resource.kind === 'PostgreSQLDatabase' ? 'PostgreSQLInstance' : 'FancySQLInstance',
        metadata: { namespace: 'team-other', name },
        spec: { resourceRef, writeConnectionSecretToRef: { name: `${name}-details` } },
      };
      return this.cluster.create(kindOf(claim), claim) as KubernetesObject as Claim;
    });
    await this.run();
    return claims;
  }

  /**
   * A stored object as the API server shows it: with the defaults of its definition, and without unknown
   * fields.
   */
  #put(object: KubernetesObject): void {
    const kind = kindOf(object);
    const verdict = isDefinition(kind) ? admit(kind, object) : { object };
    if (!('object' in verdict)) throw new Error(verdict.message);
    // The cluster counts generations: as many as the status names.
    const { generation = 1 } = object.metadata;
    for (let n = 1; n < generation; n += 1) this.cluster.put(kind, { ...verdict.object, ...{ edit: n } });
    this.cluster.put(kind, verdict.object);
  }

  #opens(resource: Managed, password = ''): boolean {
    const name = externalName(resource) ?? resource.metadata.name;
    if (resource.kind === 'PostgreSQLDatabase') {
      return this.#postgresql.refusal({ user: name, password, database: name }) === undefined;
    }
    return this.#cloud.instances().some(({ item }) => item.name === name && item.password === password);
  }

  /** An external call, after which all objects are checked. */
  #carryOut: CarryOutside = async ({ isWrite }, effect) => {
    const answer = await effect();
    if (isWrite) for (const name of this.closed()) this.changedOutside.add(name);
    return answer;
  };

  #witness(was: KubernetesObject, is: KubernetesObject | undefined): void {
    const ready = is !== undefined && isClaim(is) ? readiness(is) : undefined;
    if (isClaim(was) && readiness(was).status === 'True' && ready?.status !== 'True') {
      this.interruptions.push(`${nameOf(was)}: Ready ${ready?.status} ${ready?.reason}`);
    }
    const passwordIn = (object: KubernetesObject | undefined) =>
      object && decodeDetails(object as Secret).password;
    if (was.kind === 'Secret' && passwordIn(is) !== passwordIn(was)) {
      this.interruptions.push(`${nameOf(was)}: ${is === undefined ? 'deleted' : 'another password'}`);
    }
  }
}

for (const withStatus of [true, false]) {
  describe(`objects of Crossplane 0.9 ${withStatus ? 'with' : 'without'} their statuses are taken over`, () => {
    const world = new TakenOver({ withStatus });
    const { claims, resources } = world;
    before(() => world.play());

    test('every claim is Bound and Ready', () => {
      const stateOf = (claim: Claim) => {
        const { status } = world.now(claim);
        const conditions = ['Ready', 'Synced'].map((type) => getCondition(status?.conditions, type).status);
        return [status?.bindingPhase, ...conditions];
      };
      const wanted = each(claims, () => ['Bound', 'True', 'True']);
      assert.deepEqual(each(claims, stateOf), wanted);
    });

    test('every Secret has the password that it had', () => {
      const objects = [...claims, ...resources];
      const passwords = each(objects, (object) => world.detailsOf(object)?.password);
      const wanted = each(objects, (object) => world.details.get(nameOf(object))?.password);
      assert.deepEqual(passwords, wanted);
    });

    test('no claim that was Ready is unready in between, and no Secret is without its password', () =>
      assert.deepEqual(world.interruptions, []));

    test('every external resource is there and has its password, after every write', () => {
      assert.deepEqual(world.closed(), []);
      assert.deepEqual([...world.changedOutside], []);
    });

    test('every claim has the resource that it had, and no resource is made', () => {
      const bound = resources.filter(({ status }) => status?.bindingPhase === 'Bound');
      const bindingOf = (resource: Managed) => {
        const { spec, status } = world.now(resource);
        return [spec.claimRef, status?.bindingPhase, status?.boundUID];
      };
      const wanted = each(bound, ({ metadata, spec }) => [spec.claimRef, 'Bound', metadata.uid]);
      assert.deepEqual(each(bound, bindingOf), wanted);
      const names = world.cluster.objects().filter(isManaged).map(nameOf).toSorted();
      assert.deepEqual(names, resources.map(nameOf).toSorted());
    });

    test('each credential is recorded: for the claim that has the resource, else for a claim that is unknown', () => {
      const recordOf = (resource: Managed) => {
        const text = world.secretOf(resource)?.metadata.annotations?.['crossplane.io/credential'] ?? '{}';
        const { credential } = world.now(resource).status ?? {};
        const inForce = credential?.hmac !== undefined && credential.pending !== true;
        return [(JSON.parse(text) as { readonly for?: string }).for, inForce];
      };
      const ownerOf = ({ spec: { claimRef } }: Managed) =>
        claimRef ? `${claimRef.kind} ${claimRef.namespace}/${claimRef.name}` : 'unknown';
      const wanted = each(resources, (resource) => [ownerOf(resource), true]);
      assert.deepEqual(each(resources, recordOf), wanted);
    });

    test('a second start writes nothing', () => assert.deepEqual(world.secondWrites, []));

    if (withStatus) {
      const free = resources.filter(({ spec }) => spec.claimRef === undefined);
      const phases = () =>
        each(free, (resource) => {
          const { spec, status } = world.now(resource);
          return [status?.bindingPhase, spec.claimRef?.uid];
        });
      const asLeft = each(free, (resource) =>
        isReleased(resource) ? ['Released', 'unknown'] : ['Unbound', undefined],
      );

      test('a resource that was Released or Unbound still is', () => assert.deepEqual(phases(), asLeft));

      test('no claim of another team gets a released resource', async () => {
        const others = await world.claimsFor(resources.filter(isReleased));
        assert.ok(others.length > 0);
        const isBound = (claim: Claim) => world.now(claim).status?.bindingPhase === 'Bound';
        const got = each(others, (claim) => [isBound(claim), world.detailsOf(claim)]);
        const nothing = each(others, () => [false, undefined]);
        assert.deepEqual(got, nothing);
        assert.deepEqual(phases(), asLeft);
        assert.deepEqual(world.closed(), []);
      });
    } else {
      // Only the status said that it was released: claimRef was removed with it, and a resource made by hand that no
      // claim ever had looks the same.
      test('no claim of another team gets the password of the team that had a released resource', async () => {
        const freed = resources.filter(isReleased);
        const others = await world.claimsFor(freed);
        assert.ok(others.length > 0);
        const former = new Set(freed.map((resource) => world.details.get(nameOf(resource))?.password));
        const reported = others.filter((claim) => former.has(world.detailsOf(claim)?.password));
        assert.deepEqual(reported.map(nameOf), []);
        const ownerOf = (resource: Managed) => world.now(resource).spec.claimRef?.namespace;
        const taken = freed.filter((resource) => ownerOf(resource) === 'team-other').map(nameOf);
        const closed = world.closed().filter((name) => !taken.includes(name));
        assert.deepEqual(closed, [], 'the password of a resource that nobody got stays');
      });
    }

    test('a claim that takes the resource without a claim gets a new password, which is in force', async () => {
      const spare = resources.filter((resource) => !resource.spec.claimRef && !isReleased(resource));
      assert.ok(spare.length > 0);
      const others = await world.claimsFor(spare);
      const phases = each(others, (claim) => world.now(claim).status?.bindingPhase);
      const wanted = each(others, () => 'Bound');
      assert.deepEqual(phases, wanted);
      const passwordOf = (resource: Managed) => world.detailsOf(resource)?.password;
      for (const [index, resource] of spare.entries()) {
        const password = world.detailsOf(others[index]!)?.password;
        assert.equal(password, passwordOf(resource));
        assert.notEqual(password, world.details.get(nameOf(resource))?.password);
      }
      assert.deepEqual(world.closed(passwordOf), []);
    });
  });
}
