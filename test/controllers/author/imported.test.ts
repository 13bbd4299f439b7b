import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed, ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { checkOwnership, ownedByAnother, ownerOf } from '../../../controllers/author/check-ownership.ts';
import type { ExternalClient, Observation } from '../../../controllers/managed/connecting/external-client.ts';
import { FakeCluster } from '../cluster-fake.ts';
import type { FakeProcess } from '../environment-fake.ts';
import { managedService, providerConfig, providerConfigKind, startManaged } from '../external-fake.ts';
import { managed, managedKind } from '../objects.ts';

const kind = { ...managedKind, marks: { immutable: ['region', 'version'], identity: ['region'], late: [] } };
const others = ownerTags({ kind: 'database.example', name: 'theirs' });
const observing = ['Observe'] as const;

/** A cloud of databases that are found by region and name, and their tags. Its clients remember nothing. */
class Scene {
  readonly cluster = new FakeCluster();
  readonly process: FakeProcess;
  readonly tags = new Map<string, Readonly<Record<string, string>>>();
  system = 'cloud';

  constructor() {
    const placeOf = (its: Managed): string =>
      `${(its.spec.forProvider as { region?: string } | undefined)?.region ?? 'eu'}/${externalName(its)}`;
    const found = (its: Managed) => {
      const tags = this.tags.get(placeOf(its));
      if (tags === undefined) return undefined;
      const ownership = checkOwnership(its, { what: `database "${externalName(its)}"`, tags });
      return ownership === 'ours' ? tags : undefined;
    };
    const mark = async (its: Managed) => {
      found(its);
      this.tags.set(placeOf(its), ownerTags(ownerOf(its)));
      return {};
    };
    const client: ExternalClient = {
      system: async () => this.system,
      async observe(its): Promise<Observation> {
        const tags = found(its);
        if (tags === undefined) return { exists: false, isUpToDate: false };
        const isUpToDate = tags['crossplane-name'] === its.metadata.name;
        return { exists: true, isUpToDate, ready: available(), ...ownedByAnother(its, tags) };
      },
      create: mark,
      update: mark,
      delete: async () => {},
    };
    this.cluster.put(providerConfigKind, providerConfig('default', { source: 'InjectedIdentity' }));
    this.process = startManaged(this.cluster, managedService({ connect: async () => client }, { kind }));
  }

  async put(spec: ManagedSpec, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const before = this.cluster.get(managedKind, { name: 'db' });
    const now = managed(spec, { name: 'db', uid: 'db' });
    const metadata = { ...(before ?? now).metadata };
    this.cluster.put(managedKind, {
      ...(before ?? now),
      spec,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    });
    await this.process.settle(30_000);
  }

  /** The owner in the tags, or the message of Synced if there is another one. */
  result(place = 'eu/db'): string {
    const object = this.cluster.get(managedKind, { name: 'db' });
    const { status, message = '' } = getCondition(object?.status?.conditions, 'Synced');
    const owner = this.tags.get(place)?.['crossplane-name'] ?? 'no owner';
    return `${owner}, ${status === 'True' ? 'synced' : message.replace(/;.*/, '')}`;
  }
}

const foreign = 'database "db" exists and carries no tag of an owner';

const unmarked =
  'database "db" exists and carries no tag of an owner, but this resource managed one of this name';

/** The acts, and the owner of the database after them. */
const rows: Readonly<Record<string, readonly [acts: (scene: Scene) => Promise<unknown>, result: string]>> = {
  'is taken over if it has no owner and was observed before': [
    async (scene) => {
      await scene.put({ managementPolicies: observing });
      await scene.put({});
    },
    'db, synced',
  ],
  'is taken over together with the fields that were not needed to observe it': [
    async (scene) => {
      await scene.put({ managementPolicies: observing });
      await scene.put({ forProvider: { version: '5' } });
    },
    'db, synced',
  ],
  'is not taken over if it was not observed before': [async (scene) => scene.put({}), `no owner, ${foreign}`],
  'is not taken over if it was observed as that of another owner': [
    async (scene) => {
      scene.tags.set('eu/db', others);
      await scene.put({ managementPolicies: observing });
      scene.tags.set('eu/db', {});
      await scene.put({});
    },
    `no owner, ${foreign}`,
  ],
  'is not taken over from another owner, although it had no owner when it was observed': [
    async (scene) => {
      await scene.put({ managementPolicies: observing });
      scene.tags.set('eu/db', others);
      await scene.put({});
    },
    'theirs, database "db" exists and belongs to database.example "theirs"',
  ],
  'is not taken over if another one was observed, under another name': [
    async (scene) => {
      scene.tags.set('eu/other', {});
      await scene.put({ managementPolicies: observing }, { [annotationKeys.externalName]: 'other' });
      await scene.put({}, { [annotationKeys.externalName]: 'db' });
    },
    `no owner, ${foreign}`,
  ],
  'is not taken over if another one was observed, in another place': [
    async (scene) => {
      scene.tags.set('us/db', {});
      await scene.put({ managementPolicies: observing, forProvider: { region: 'us' } });
      await scene.put({ forProvider: { region: 'eu' } });
    },
    `no owner, ${foreign}`,
  ],
  'is not taken over if another one was observed, in another system': [
    async (scene) => {
      await scene.put({ managementPolicies: observing });
      scene.system = 'moved';
      await scene.put({});
    },
    `no owner, ${foreign}`,
  ],
  'is not taken over if the observed one was deleted and created again by us, and then replaced': [
    async (scene) => {
      await scene.put({ managementPolicies: observing });
      scene.tags.delete('eu/db');
      await scene.put({});
      scene.tags.set('eu/db', {});
      await scene.process.settle(120_000);
    },
    `no owner, ${unmarked}`,
  ],
  'is not taken over if its owner was removed from the tags': [
    async (scene) => {
      scene.tags.clear();
      await scene.put({});
      scene.tags.set('eu/db', {});
      await scene.process.settle(120_000);
    },
    `no owner, ${unmarked}`,
  ],
};

describe('an external resource', () => {
  for (const [rule, [acts, result]] of Object.entries(rows)) {
    test(rule, async () => {
      const scene = new Scene();
      scene.tags.set('eu/db', {});
      await acts(scene);
      assert.equal(scene.result(), result);
    });
  }
});
