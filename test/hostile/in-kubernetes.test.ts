import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pickBy from 'lodash/pickBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, connectionSecretType, finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import {
  allowsPropagationTo,
  decodeDetails,
  encodeDetails,
  SecretKind,
} from '../../apis/core/v1alpha1/secret.ts';
import { allStacks } from '../../app/stacks.ts';
import { credentialAnnotation, encodeNote } from '../../controllers/credential.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { catalogueOf } from '../../trace/catalogue.ts';
import { objectOf, referenceOf } from '../fakes/object-of.ts';
import { rogue } from './attacks.ts';
import { assertUntouched, heldIn, inhabited } from './inhabited.ts';
import { writtenInKubernetes } from './what-a-tenant-writes.ts';
import type { World } from './world.ts';

/*
 * A test for each row of the table: what the tenant writes decides what it may decide, and others keep what they have.
 */

const minuteMs = 60_000;
const own = { namespace: rogue, name: 'db' };
const copy = { namespace: rogue, name: 'loot' };
const foreign = { namespace: 'team', name: 'taken' };
const classRef = referenceOf(FavouriteDBInstanceClassKind, 'small');

/** The tenant, beside others who have what one can have. */
class Tenant {
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  get cluster() {
    return this.world.cluster;
  }

  get runs(): number {
    return this.world.simulation.log.filter((line) => line.includes('"reconciled"') && line.includes(rogue))
      .length;
  }

  pass(ms = minuteMs): Promise<void> {
    return this.world.simulation.clock.advance(ms);
  }

  /** Creates a claim, and waits. */
  async claim(metadata: Partial<ObjectMeta> = {}, spec: object = { classRef }): Promise<void> {
    const full = { ...own, ...metadata };
    const to = { writeConnectionSecretToRef: { name: copy.name } };
    this.cluster.create(
      FancySQLInstanceKind,
      objectOf<Claim>(FancySQLInstanceKind, full, { spec: { ...to, ...spec } }),
    );
    await this.pass();
  }

  async edit<T extends KubernetesObject>(kind: Kind<T>, key: typeof own, change: object): Promise<void> {
    this.cluster.patch(kind, key, change);
    await this.pass();
  }

  get found(): Claim {
    return this.cluster.get<Claim>(FancySQLInstanceKind, own);
  }

  get reason(): string | undefined {
    return getCondition(this.found.status?.conditions, 'Ready').reason;
  }

  /** The managed resource of the claim. */
  get resource() {
    return this.cluster.get(FavouriteDBInstanceKind, { name: this.found.spec.resourceRef?.name ?? '' });
  }

  get password(): string | undefined {
    return decodeDetails(this.cluster.find(SecretKind, copy)).password;
  }

  /** Edits the shape of the Secret of its claim. */
  reshape(shape: object): void {
    const { name = '' } = this.found.spec.writeConnectionSecretToRef ?? {};
    const bare = { labels: null, annotations: null, template: null, only: null };
    // A merge patch adds to the maps that are there.
    for (const part of [bare, shape]) {
      const writeConnectionSecretToRef = { name, ...part };
      this.cluster.patch(FancySQLInstanceKind, own, { spec: { writeConnectionSecretToRef } });
    }
  }

  /** Its Secret works with each of these shapes, its annotations are those of the controllers, and no text is shown. */
  async tryShapes(shapes: readonly object[]): Promise<void> {
    const reserved = () => pickBy(this.cluster.get(SecretKind, copy).metadata.annotations, isOurs);
    const before = reserved();
    for (const shape of shapes) {
      this.reshape(shape);
      await this.pass();
      this.assertUsable();
      assert.deepEqual(reserved(), before);
      const { metadata, status } = this.found;
      const events = this.cluster
        .all(EventKind)
        .filter((event) => event.metadata.namespace === metadata.namespace);
      assert.doesNotMatch(
        JSON.stringify([status, events, this.world.simulation.log]),
        new RegExp(authorsText),
      );
    }
  }

  /** Its Secret opens its own instance. */
  assertUsable(): void {
    assert.equal(this.reason, 'Available');
    const name = this.resource.metadata.annotations?.[annotationKeys.externalName];
    const instance = this.world.favourite.instances().find(({ item }) => item.name === name);
    assert.ok(instance !== undefined && instance.item.password === this.password);
  }
}

/** A text of a template, which its author alone may see. */
const authorsText = 'known-to-the-author';

/** The annotations of the controllers, without the record of the shape. */
const isOurs = (_value: string, key: string): boolean =>
  key.includes('crossplane.io') && key !== 'crossplane.io/secret-shape';

const manyOf = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`E${index}`, text]));

/** A definition with rules refuses these. */
const refusedShapes: readonly object[] = [
  { annotations: allowsPropagationTo(foreign) },
  { annotations: { [credentialAnnotation]: encodeNote({ key: 'a2V5' }), a: 'b' } },
  { annotations: { 'from.propagate.crossplane.io/name': 'taken' } },
  { annotations: { 'crossplane.io/secret-shape': '{"annotations":["crossplane.io/copied-for"]}' } },
  { labels: { 'crossplane.io/claim-name': 'taken', 'app.kubernetes.io/instance': 'argo' } },
  { template: { A: `${authorsText} {{ {{ password }} }}`, B: 'b' } },
  { template: { A: `${authorsText} {{ password | uri` } },
  { template: { type: authorsText } },
];

const admittedShapes: readonly object[] = [
  { labels: { constructor: 'x' }, annotations: { toString: 'x', note: authorsText } },
  { template: JSON.parse(`{"__proto__": "{{ __proto__ }} ${authorsText}", "toString": "{{ password }}"}`) },
  { template: { A: `${authorsText} {{ constructor }}`, B: '{{ password | base64 }}' } },
  { template: { A: '{{ host | jdbc }}', C: `\u0000\u202e{{ uri | json }}` } },
  { template: manyOf(40, `${'{{ uri | json }}'.repeat(200)}`) },
];

/** Every annotation that a controller reads from any object, besides those that a claim may have. */
const otherAnnotations = [
  ...Object.values(annotationKeys),
  credentialAnnotation,
  'to.propagate.crossplane.io/x',
  'from.propagate.crossplane.io/namespace',
  'from.propagate.crossplane.io/name',
  'crossplane.io/copied-for',
].filter((key) => key !== annotationKeys.externalName && key !== annotationKeys.reconcileRequestedAt);

const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubernetesObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});

const manifest = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'base', name), 'utf8');

const tests: Readonly<Record<keyof typeof writtenInKubernetes, (tenant: Tenant) => Promise<void>>> = {
  async 'the name of a claim'(tenant) {
    // The name of a resource of another team begins so.
    await tenant.claim();
    assert.match(tenant.resource.metadata.name, /^rogue-db-[a-z0-9]{5}$/);
    tenant.assertUsable();
  },
  async 'the labels of a claim'(tenant) {
    const labels = {
      'crossplane.io/claim-namespace': 'team',
      'crossplane.io/claim-name': 'taken',
      'crossplane.io/resource-name': 'taken',
      size: 'small',
    };
    await tenant.claim({ labels });
    assert.equal(tenant.resource.metadata.labels?.size, undefined);
    tenant.assertUsable();
  },
  async 'the external name of a claim'(tenant) {
    await tenant.claim({ annotations: { [annotationKeys.externalName]: 'of-my-own' } });
    assert.equal(tenant.resource.metadata.annotations?.[annotationKeys.externalName], 'of-my-own');
    tenant.assertUsable();
    await tenant.claim(
      { name: 'greedy', annotations: { [annotationKeys.externalName]: 'taken' } },
      { classRef, writeConnectionSecretToRef: { name: 'greedy' } },
    );
    const greedy = tenant.cluster.get<Claim>(FancySQLInstanceKind, { ...own, name: 'greedy' });
    assert.equal(getCondition(greedy.status?.conditions, 'Ready').reason, 'Conflict');
  },
  async 'a requested run of a claim'(tenant) {
    await tenant.claim();
    const { runs } = tenant;
    const annotations = { [annotationKeys.reconcileRequestedAt]: 'now' };
    tenant.cluster.patch(FancySQLInstanceKind, own, { metadata: { annotations } });
    await tenant.pass(1_000);
    assert.ok(tenant.runs > runs);
  },
  async 'each other annotation of a claim'(tenant) {
    for (const value of ['true', 'or-create', 'with-same-credentials', 'infra/taken']) {
      const annotations = Object.fromEntries(otherAnnotations.map((key) => [key, value]));
      await tenant.claim({ annotations });
      tenant.assertUsable();
      const taken = otherAnnotations.filter((key) => tenant.resource.metadata.annotations?.[key] === value);
      assert.deepEqual(taken, []);
      tenant.cluster.delete(FancySQLInstanceKind, own);
      await tenant.pass();
    }
  },
  async 'the owners and finalizers of a claim'(tenant) {
    const victim = tenant.cluster.get(FavouriteDBInstanceKind, { name: 'taken' });
    const finalizers = [...Object.values(finalizerNames), 'example.org/mine'];
    await tenant.claim({ ownerReferences: [ownerOf(victim)], finalizers });
    tenant.assertUsable();
    tenant.cluster.leave(FancySQLInstanceKind, own);
    await tenant.pass();
    assert.deepEqual(
      tenant.found.metadata.finalizers?.filter(
        (each) => !Object.values<string>(finalizerNames).includes(each),
      ),
      ['example.org/mine'],
    );
  },
  async 'the references of a claim'(tenant) {
    await tenant.claim({}, { resourceRef: referenceOf(FavouriteDBInstanceKind, 'taken') });
    assert.equal(tenant.reason, 'ClaimedByOther');
    await tenant.edit(FancySQLInstanceKind, own, { spec: { resourceRef: { name: 'left' } } });
    // Nor does it learn of whom a Released resource has data.
    assert.equal(tenant.reason, 'ClaimedByOther');
    assert.doesNotMatch(JSON.stringify(tenant.found.status), /team/);
    assert.equal(tenant.password, undefined);
  },
  async 'the shape of the Secret of its claim'(tenant) {
    await tenant.claim();
    for (const shape of refusedShapes)
      assert.throws(
        () => tenant.reshape(shape),
        /belongs to Kubernetes|must begin|at most|Too long|Service Binding/,
      );
    await tenant.pass();
    tenant.assertUsable();
    await tenant.tryShapes(admittedShapes);
  },
  async 'the content of the Secret of its claim'(tenant) {
    await tenant.claim();
    await tenant.edit(SecretKind, copy, { data: encodeDetails({ password: 'guess' }) });
    tenant.assertUsable();
    assert.notEqual(tenant.password, 'guess');
  },
  async 'the annotations of the Secret of its claim'(tenant) {
    await tenant.claim();
    const { namespace = '', name = '' } = tenant.cluster.get(FavouriteDBInstanceKind, { name: 'taken' }).spec
      .writeConnectionSecretToRef ?? { namespace: '', name: '' };
    const annotations = {
      'from.propagate.crossplane.io/namespace': namespace,
      'from.propagate.crossplane.io/name': name,
      'crossplane.io/copied-for': 'FancySQLInstance team/taken',
      [credentialAnnotation]: encodeNote({ key: 'a2V5', for: `FancySQLInstance ${rogue}/db` }),
    };
    const password = tenant.password;
    await tenant.edit(SecretKind, copy, { metadata: { annotations } });
    assert.ok([password, undefined].includes(tenant.password));
  },
  async 'the owners of the Secret of its claim'(tenant) {
    await tenant.claim();
    const victim = tenant.cluster.get<Claim>(FancySQLInstanceKind, foreign);
    const password = tenant.password;
    await tenant.edit(SecretKind, copy, { metadata: { ownerReferences: [ownerOf(victim)] } });
    assert.ok([password, undefined].includes(tenant.password));
  },
  async 'a Secret of its own in the place of the copy'(tenant) {
    const data = encodeDetails({ password: 'mine' });
    tenant.cluster.create(SecretKind, objectOf(SecretKind, copy, { type: 'Opaque', data }));
    await tenant.claim();
    assert.equal(tenant.reason, 'SecretConflict');
    assert.equal(tenant.password, 'mine');
    tenant.cluster.delete(SecretKind, copy);
    await tenant.pass();
    tenant.assertUsable();
  },
  async 'a Secret of the type of connection Secrets'(tenant) {
    const victim = tenant.cluster.get(FavouriteDBInstanceKind, { name: 'taken' });
    const metadata = { ...copy, ownerReferences: [ownerOf(victim)] };
    const data = encodeDetails({ password: 'mine' });
    tenant.cluster.create(SecretKind, objectOf(SecretKind, metadata, { type: connectionSecretType, data }));
    await tenant.pass();
    assert.ok(['mine', undefined].includes(tenant.password));
  },
  async ConfigMaps(tenant) {
    assert.doesNotMatch(manifest('cluster-role.yaml'), /configmaps/);
    const { watched, reads } = tenant.world.simulation;
    assert.doesNotMatch([...watched, ...reads].join(), /ConfigMap/);
  },
  async Events(tenant) {
    await tenant.claim({}, { resourceRef: referenceOf(FavouriteDBInstanceKind, 'taken') });
    const before = tenant.found.status;
    const involvedObject = { ...ownerOf(tenant.found), namespace: rogue };
    const forged = { involvedObject, type: 'Warning', reason: 'Released', message: 'kubectl delete all' };
    tenant.cluster.create(EventKind, objectOf(EventKind, { namespace: rogue, name: 'forged' }, forged));
    await tenant.pass();
    assert.deepEqual(tenant.found.status, before);
    assert.ok(![...tenant.world.simulation.watched].includes('Event'));
  },
  async 'the status of a claim'() {
    assert.doesNotMatch(manifest('user-roles.yaml'), /\/status|"\*"|'\*'/);
  },
  async 'tags in a cloud'() {
    const fields = JSON.stringify(catalogueOf(allStacks).kinds.filter(({ sort }) => sort === 'claim'));
    assert.match(fields, /engineVersion/);
    assert.doesNotMatch(fields, /"tags":/);
  },
};

test('a definition without rules lets a tenant shape no more than its own Secret', async () => {
  const world = await inhabited(false);
  const held = heldIn(world);
  const tenant = new Tenant(world);
  await tenant.claim();
  await tenant.tryShapes([...refusedShapes, ...admittedShapes]);
  assertUntouched(world, held);
  world.simulation.kill();
});

describe('a tenant writes in its namespace', () => {
  for (const [what, run] of Object.entries(tests)) {
    const { mayDecide } = writtenInKubernetes[what as keyof typeof writtenInKubernetes];
    test(`${what}, which may decide: ${mayDecide}`, async () => {
      const world = await inhabited(true);
      const held = heldIn(world);
      await run(new Tenant(world));
      assertUntouched(world, held);
      world.assertNoFault();
      world.simulation.kill();
    });
  }
});
