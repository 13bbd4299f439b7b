import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { livenessOf } from '../../trace/model/liveness.ts';
import { claimAt, leaseHeld, sourceOf, now as tracedAt, tracedIn } from './traced-objects.ts';

const now = new Date('2026-01-01T01:00:00Z');
const long = '2026-01-01T00:00:00Z';
const just = '2026-01-01T00:59:50Z';

const object = (metadata: Partial<ObjectMeta> & { readonly managedFields?: unknown }): KubernetesObject => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  metadata: { name: 'db', creationTimestamp: long, ...metadata },
});
const editedAt = (time: string, subresource?: string) =>
  object({ generation: 2, managedFields: [{ time, ...(subresource && { subresource }) }] });

describe('objects that no controller has observed in time', () => {
  const rows: Record<string, readonly [KubernetesObject, boolean]> = {
    'created long ago': [object({ generation: 1 }), true],
    'created just now': [object({ generation: 1, creationTimestamp: just }), false],
    'edited long ago': [editedAt(long), true],
    'edited just now': [editedAt(just), false],
    'a status written just now is no edit': [editedAt(just, 'status'), true],
    'edited at an unknown time': [object({ generation: 2 }), true],
    'deleted long ago, at whatever time it was edited': [
      object({ generation: 2, deletionTimestamp: long }),
      true,
    ],
    'observed: not reported': [
      { ...object({ generation: 1 }), status: { observedGeneration: 1 } } as never,
      false,
    ],
  };
  for (const [name, [given, isUntouched]] of Object.entries(rows)) {
    test(name, () => {
      const { unobserved } = livenessOf({ is: 'absent' }, [given], now);
      assert.deepEqual(unobserved, isUntouched ? [given] : []);
    });
  }
});

describe('the controllers are ok only if their lease is held', () => {
  const claim = claimAt('team/orders', {}, { status: {}, creationTimestamp: tracedAt.toISOString() });
  const rows: Record<string, readonly [KubernetesObject | 'withheld' | undefined, string, string]> = {
    'renewed a moment ago': [leaseHeld(14), 'ok', 'in progress'],
    'renewed longer ago than it lasts': [leaseHeld(16), 'broken', 'broken'],
    'there is no lease': [undefined, 'unknown', 'in progress'],
    'the lease may not be read': ['withheld', 'unknown', 'in progress'],
  };
  for (const [name, [lease, state, verdict]] of Object.entries(rows)) {
    test(name, async () => {
      const hasDefault = {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstanceClass',
        metadata: { name: 'a', annotations: { 'resourceclass.crossplane.io/is-default-class': 'true' } },
        specTemplate: { forProvider: {} },
      } as KubernetesObject;
      const objects = [claim, hasDefault, ...(typeof lease === 'object' ? [lease] : [])];
      const source = sourceOf(objects, [], ({ kind }) => kind !== 'Lease' || lease !== 'withheld');
      const trace = await tracedIn([], ['fancysqlinstance', 'team/orders'], source);
      const controllers = trace.links.find((link) => link.name === 'controllers');
      assert.deepEqual([controllers?.state, trace.verdict], [state, verdict]);
    });
  }
});

describe('a lease that no process renews is no proof against what was observed', () => {
  const old = leaseHeld(3_600);
  const released = {
    ...old,
    spec: { ...(old as { readonly spec?: object }).spec, holderIdentity: '' },
  } as KubernetesObject;
  const at = (ageSeconds: number) => new Date(tracedAt.getTime() - ageSeconds * 1_000).toISOString();
  const claim = (status: 'True' | 'False', ageSeconds: number, observedGeneration = 1) =>
    claimAt('team/orders', {}, {
      status: {
        observedGeneration,
        bindingPhase: 'Bound',
        conditions: [{ type: 'Ready', status, reason: 'Available', lastTransitionTime: at(ageSeconds) }],
      },
      generation: 1,
      creationTimestamp: at(7_200),
    } as never);
  const rows: Record<string, readonly [KubernetesObject, KubernetesObject, isDown: boolean]> = {
    'released, and the claim is Ready': [released, claim('True', 7_000), false],
    'released, and the claim waits since before': [released, claim('False', 7_000), true],
    'released, and the claim was observed later': [released, claim('False', 60), false],
    'released, and nothing has observed the claim': [released, claim('True', 7_000, 0), true],
    'expired, and the claim was observed later': [old, claim('True', 60), false],
    'expired, and the claim was observed before': [old, claim('True', 7_000), true],
  };
  for (const [name, [lease, object, isDown]] of Object.entries(rows)) {
    test(name, async () => {
      const source = sourceOf([object, lease]);
      const { fault } = await tracedIn([], ['fancysqlinstance', 'team/orders'], source);
      assert.equal(fault?.name === 'controllers down', isDown, JSON.stringify(fault));
    });
  }
});
