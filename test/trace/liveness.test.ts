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
    'edited at an unknown time: not reported': [object({ generation: 2 }), false],
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
