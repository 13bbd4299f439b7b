import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { claim, claimKind, classKind, classRef, managedKind } from '../objects.ts';
import { sceneOf, settled, withPassword } from './scene.ts';

/** The claims of this service have a `size`, which the resource gets. A class serves `small` and `large`. */
const sized: ClaimService = {
  ...withPassword,
  configure: ({ spec }, { specTemplate }) => {
    const { size } = spec as { readonly size?: string };
    if (size === 'huge') throw new Error('has no size "huge"');
    return { forProvider: { ...specTemplate.forProvider, ...(size !== undefined && { size }) } };
  },
};

const sizedClaim = (size?: string): Claim =>
  claim({ classRef: classRef('small'), ...(size !== undefined && { size }) });

/** A claim of the size `smal`, for which a resource was provisioned. Nothing is created for it yet. */
async function provisioned() {
  const scene = sceneOf({ claims: [sizedClaim('smal')], service: sized });
  const { cluster, process } = scene;
  await process.settle();
  const resource = () => cluster.all(managedKind)[0] ?? assert.fail('no resource');
  return {
    ...scene,
    resource,
    editResource: (edit: (now: Managed) => Managed) =>
      cluster.edit(managedKind, { name: resource().metadata.name }, edit),
    async resize(size?: string): Promise<void> {
      const edit = (now: Claim): Claim => {
        const { size: _before, ...spec } = now.spec as Claim['spec'] & { size?: string };
        return { ...now, spec: { ...spec, ...(size !== undefined && { size }) } };
      };
      cluster.edit(claimKind, { namespace: 'team', name: 'orders' }, edit);
      await process.settle();
    },
  };
}

const annotated = (annotations: Record<string, string>) => (now: Managed) => ({
  ...now,
  metadata: { ...now.metadata, annotations: { ...now.metadata.annotations, ...annotations } },
});
const withStatus = (status: Managed['status']) => (now: Managed) => ({ ...now, status: status ?? {} });
const yesterday = '2026-01-01T00:00:00Z';
const earlier = '2025-12-31T00:00:00Z';
const identity = JSON.stringify({ name: 'db', fields: {} });

describe('a correction reaches the resource', () => {
  const edits: Readonly<Record<string, (now: Managed) => Managed>> = {
    'before its creation': (now) => now,
    'after a creation that was refused': annotated({
      [annotationKeys.externalIdentity]: identity,
      [annotationKeys.externalCreation]: 'managed-uid/refused/1',
    }),
    'after a creation under an assigned name that failed': annotated({
      [annotationKeys.externalCreatePending]: earlier,
      [annotationKeys.externalCreateFailed]: yesterday,
    }),
  };
  for (const [name, edit] of Object.entries(edits)) {
    test(name, async () => {
      const { cluster, process, resource, editResource, resize, claimAt } = await provisioned();
      editResource(edit);
      const { uid } = resource().metadata;
      await resize('small');
      assert.deepEqual(resource().spec.forProvider, { size: 'small' });
      await resize();
      assert.deepEqual(resource().spec.forProvider, {}, 'a removed parameter');
      assert.equal(resource().metadata.uid, uid);
      await settled(process, cluster);
      assert.equal(claimAt()?.status?.bindingPhase, 'Bound');
      const corrections = process.events.filter(({ reason }) => reason === 'CorrectedManagedResource');
      assert.equal(corrections.length, 2);
    });
  }
});

test('a correction reaches the resource although the class does not allow the external name of the claim', async () => {
  const { cluster, resource, resize } = await provisioned();
  cluster.edit<Class>(classKind, { name: 'small' }, (now) => ({
    ...now,
    specTemplate: { ...now.specTemplate, externalNames: 'None' },
  }));
  cluster.edit<Claim>(claimKind, { namespace: 'team', name: 'orders' }, ({ metadata, ...now }) => ({
    ...now,
    metadata: { ...metadata, annotations: { [annotationKeys.externalName]: 'forbidden' } },
  }));
  await resize('small');
  assert.deepEqual(resource().spec.forProvider, { size: 'small' });
  assert.notEqual(resource().metadata.annotations?.[annotationKeys.externalName], 'forbidden');
});

describe('a correction does not reach the resource', () => {
  const edits: Readonly<Record<string, (now: Managed) => Managed>> = {
    'after its external resource was found': withStatus({ externalIdentity: identity }),
    'after it was Ready': withStatus({ bindingPhase: 'Unbound' }),
    'during an operation': withStatus({ operation: { type: 'create', name: 'op', startedAt: yesterday } }),
    'during a creation under an assigned name': annotated({
      [annotationKeys.externalCreatePending]: yesterday,
      [annotationKeys.externalCreateFailed]: earlier,
    }),
    'after a creation that may have succeeded': annotated({
      [annotationKeys.externalIdentity]: identity,
      [annotationKeys.externalCreation]: 'managed-uid',
    }),
    'after a creation under an assigned name': annotated({
      [annotationKeys.externalCreateSucceeded]: yesterday,
    }),
    'after a loss': annotated({ [annotationKeys.externalLost]: yesterday }),
  };
  for (const [name, edit] of Object.entries(edits)) {
    test(`${name}, until the claim is set back`, async () => {
      const { cluster, process, resource, editResource, resize, ready, claimAt } = await provisioned();
      editResource(edit);
      await resize('small');
      assert.deepEqual(resource().spec.forProvider, { size: 'smal' });
      const { reason, message } = ready();
      assert.deepEqual(
        [reason, message],
        [
          'Incompatible',
          `FavouriteDBInstance ${resource().metadata.name} was provisioned with spec.size "smal"; give this claim the same, or create another claim`,
        ],
      );
      await resize('smal');
      await settled(process, cluster);
      assert.equal(claimAt()?.status?.bindingPhase, 'Bound');
    });
  }

  test('if its class cannot serve the edited claim', async () => {
    const { resource, resize, ready } = await provisioned();
    await resize('huge');
    assert.deepEqual(resource().spec.forProvider, { size: 'smal' });
    assert.deepEqual(
      [ready().reason, ready().message],
      ['Incompatible', 'has no size "huge"; correct the claim, or FavouriteDBInstanceClass small'],
    );
  });

  test('if its class cannot serve the edited claim, after its external resource was found', async () => {
    const { resource, editResource, resize, ready } = await provisioned();
    editResource(withStatus({ externalIdentity: identity }));
    await resize('huge');
    assert.deepEqual(
      [ready().reason, ready().message],
      [
        'Incompatible',
        `FavouriteDBInstance ${resource().metadata.name} was provisioned with spec.size "smal"; this claim does not fit its class: has no size "huge"; give this claim the same, or create another claim with another class`,
      ],
    );
  });

  test('of a claim that was Bound, on an API server without rules', async () => {
    const { cluster, process, resource, resize, ready } = await provisioned();
    await settled(process, cluster);
    await resize('small');
    assert.deepEqual(resource().spec.forProvider, { size: 'smal' });
    assert.equal(ready().status, 'True');
  });

  test('that another version provisioned', async () => {
    const { cluster, process, resource, editResource, resize, claimAt } = await provisioned();
    editResource(({ metadata, ...now }) => ({ ...now, metadata: { ...metadata, annotations: {} } }));
    await resize('small');
    assert.deepEqual(resource().spec.forProvider, { size: 'smal' });
    await settled(process, cluster);
    assert.equal(claimAt()?.status?.bindingPhase, 'Bound');
  });
});

test('an edit of the resource is kept', async () => {
  const { process, resource, editResource } = await provisioned();
  editResource((now) => ({ ...now, spec: { ...now.spec, forProvider: { size: 'smal', zone: 'a' } } }));
  await process.settle();
  assert.deepEqual(resource().spec.forProvider, { size: 'smal', zone: 'a' });
});

describe('a correction writes only what the edit of the claim changes', () => {
  test('a correction keeps the fields that an administrator added', async () => {
    const { resource, editResource, resize } = await provisioned();
    const forProvider = { size: 'smal', zone: 'admin' };
    editResource((now) => ({ ...now, spec: { ...now.spec, forProvider } }));
    await resize('small');
    assert.deepEqual(resource().spec.forProvider, { size: 'small', zone: 'admin' });
    await resize();
    assert.deepEqual(resource().spec.forProvider, { zone: 'admin' });
  });

  test('a correction leaves out the fields that the class gained', async () => {
    const { cluster, resource, resize } = await provisioned();
    cluster.edit<Class>(classKind, { name: 'small' }, (now) => ({
      ...now,
      specTemplate: { ...now.specTemplate, forProvider: { disk: 7 } },
    }));
    await resize('small');
    assert.deepEqual(resource().spec.forProvider, { size: 'small' });
  });

  test('a correction writes only the edited part inside a field', async () => {
    const nested: ClaimService = {
      ...withPassword,
      configure: ({ spec }) => ({ forProvider: { disk: { size: (spec as { size?: string }).size } } }),
    };
    const { cluster, process } = sceneOf({ claims: [sizedClaim('smal')], service: nested });
    await process.settle();
    const [
      {
        metadata: { name },
      } = assert.fail('no resource'),
    ] = cluster.all(managedKind);
    const forProvider = { disk: { size: 'smal', type: 'fast' } };
    cluster.edit(managedKind, { name }, (now) => ({ ...now, spec: { ...now.spec, forProvider } }));
    const small = (now: Claim): Claim => ({ ...now, spec: { ...now.spec, size: 'small' } as Claim['spec'] });
    cluster.edit(claimKind, { namespace: 'team', name: 'orders' }, small);
    await process.settle();
    const now = cluster.get(managedKind, { name });
    assert.deepEqual(now?.spec.forProvider, { disk: { size: 'small', type: 'fast' } });
  });
});
