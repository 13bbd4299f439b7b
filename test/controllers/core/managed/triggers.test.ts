import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { isDesiredStateChanged, isSecretChanged } from '../../../../controllers/core/managed/setup.ts';
import { finalizers } from '../managed-scene.ts';
import { deletionTimestamp, managed } from '../objects.ts';

describe('the changes that wake the managed reconciler (C8 DesiredStateChanged)', () => {
  type Metadata = Partial<ObjectMeta> & { readonly status?: ManagedStatus };
  const annotated = (key: string, value = '2026-01-02T03:04:05Z'): Metadata => ({
    annotations: { [`crossplane.io/${key}`]: value },
  });
  const waiting: Metadata = {
    ...annotated('external-create-pending'),
    status: {
      conditions: [
        {
          type: 'Synced',
          status: 'False',
          lastTransitionTime: '2026-01-02T03:04:05Z',
          reason: 'ReconcileError',
          message: 'cannot determine creation result - remove …',
        },
      ],
    },
  };
  const rows: Record<string, { readonly from?: Metadata; readonly to: Metadata; readonly wakes: boolean }> = {
    NothingChanged: { to: {}, wakes: false },
    StatusChanged: { to: { status: { bindingPhase: 'Bound' } }, wakes: false },
    'IgnoredAnnotationsChanged: a creation begins': {
      to: annotated('external-create-pending'),
      wakes: false,
    },
    'IgnoredAnnotationsChanged: a creation failed': { to: annotated('external-create-failed'), wakes: false },
    'IgnoredAnnotationsChanged: a creation begins again': {
      from: annotated('external-create-pending'),
      to: annotated('external-create-pending', '2026-01-02T03:05:00Z'),
      wakes: false,
    },
    'an administrator removes the mark of a creation': {
      from: annotated('external-create-pending'),
      to: {},
      wakes: true,
    },
    'the result of a creation is still unknown': {
      from: annotated('external-create-pending'),
      to: waiting,
      wakes: false,
    },
    'AnnotationsChanged: one more': { to: annotated('external-name', 'x'), wakes: true },
    'AnnotationsChanged: one less': { from: annotated('paused', 'true'), to: {}, wakes: true },
    'LabelsChanged: one more': { to: { labels: { team: 'shop' } }, wakes: true },
    'LabelsChanged: another value': {
      from: { labels: { team: 'shop' } },
      to: { labels: { team: 'blog' } },
      wakes: true,
    },
    'empty annotations and labels are the same as none': {
      to: { annotations: {}, labels: {} },
      wakes: false,
    },
    'a user removes our finalizer': { from: { finalizers }, to: {}, wakes: true },
    'the resource gets our finalizer': { to: { finalizers }, wakes: false },
    'a user removes another finalizer': {
      from: { finalizers: [...finalizers, 'example.org/hold'] },
      to: { finalizers },
      wakes: false,
    },
    GenerationChanged: { to: { generation: 3 }, wakes: true },
    'the resource is being deleted': { to: { deletionTimestamp }, wakes: true },
  };
  for (const [name, { from = {}, to, wakes }] of Object.entries(rows)) {
    test(name, () => {
      const change = { type: 'modified', previous: managed({}, from), object: managed({}, to) } as const;
      assert.equal(isDesiredStateChanged(change), wakes);
    });
  }
  test('a new resource wakes the managed reconciler, and a deleted one does not', () => {
    assert.equal(isDesiredStateChanged({ type: 'added', object: managed() }), true);
    assert.equal(isDesiredStateChanged({ type: 'deleted', object: managed() }), false);
  });
});

describe('the changes of a connection Secret that wake the managed reconciler', () => {
  const key = 'crossplane.io/credential';
  const secret = (over: Pick<Secret, 'data'> & { readonly metadata?: Partial<ObjectMeta> } = {}): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    data: { password: 'cGFzc3dvcmQ=' },
    ...over,
    metadata: { name: 'db', annotations: { [key]: '{"key":"a2V5"}' }, ...over.metadata },
  });
  const rows: Readonly<Record<string, { to: Secret; wakes: boolean }>> = {
    'an entry is edited': { to: secret({ data: { password: 'ZWRpdGVk' } }), wakes: true },
    'an entry is removed': { to: secret({ data: {} }), wakes: true },
    'an entry is added': { to: secret({ data: { password: 'cGFzc3dvcmQ=', mine: 'YQ==' } }), wakes: false },
    'its note is edited': { to: secret({ metadata: { annotations: { [key]: '{}' } } }), wakes: true },
    'its note is removed': { to: secret({ metadata: { annotations: {} } }), wakes: true },
    'another object controls it': {
      to: secret({ metadata: { ownerReferences: [controllerReference(managed())] } }),
      wakes: true,
    },
    'it is labelled': { to: secret({ metadata: { labels: { team: 'a' } } }), wakes: false },
    'another annotation is written': {
      to: secret({ metadata: { annotations: { [key]: '{"key":"a2V5"}', team: 'a' } } }),
      wakes: false,
    },
  };
  for (const [name, { to, wakes }] of Object.entries(rows)) {
    test(name, () =>
      assert.equal(isSecretChanged({ type: 'modified', previous: secret(), object: to }), wakes),
    );
  }
  test('it is deleted', () => assert.equal(isSecretChanged({ type: 'deleted', object: secret() }), true));
});
