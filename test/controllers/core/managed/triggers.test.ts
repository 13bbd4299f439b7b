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
  const rows: Record<string, readonly [wakes: boolean, to: Metadata, from?: Metadata]> = {
    NothingChanged: [false, {}],
    StatusChanged: [false, { status: { bindingPhase: 'Bound' } }],
    'IgnoredAnnotationsChanged: a creation begins': [false, annotated('external-create-pending')],
    'IgnoredAnnotationsChanged: a creation failed': [false, annotated('external-create-failed')],
    'IgnoredAnnotationsChanged: a creation begins again': [
      false,
      annotated('external-create-pending', '2026-01-02T03:05:00Z'),
      annotated('external-create-pending'),
    ],
    'an administrator removes the mark of a creation': [true, {}, annotated('external-create-pending')],
    'the result of a creation is still unknown': [false, waiting, annotated('external-create-pending')],
    'AnnotationsChanged: one more': [true, annotated('external-name', 'x')],
    'AnnotationsChanged: one less': [true, {}, annotated('paused', 'true')],
    'LabelsChanged: one more': [true, { labels: { team: 'shop' } }],
    'LabelsChanged: another value': [true, { labels: { team: 'blog' } }, { labels: { team: 'shop' } }],
    'empty annotations and labels are the same as none': [false, { annotations: {}, labels: {} }],
    'a user removes our finalizer': [true, {}, { finalizers }],
    'the resource gets our finalizer': [false, { finalizers }],
    'a user removes another finalizer': [
      false,
      { finalizers },
      { finalizers: [...finalizers, 'example.org/hold'] },
    ],
    GenerationChanged: [true, { generation: 3 }],
    'the resource is being deleted': [true, { deletionTimestamp }],
  };
  for (const [name, [wakes, to, from = {}]] of Object.entries(rows)) {
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
  const rows: Readonly<Record<string, readonly [wakes: boolean, to: Secret]>> = {
    'an entry is edited': [true, secret({ data: { password: 'ZWRpdGVk' } })],
    'an entry is removed': [true, secret({ data: {} })],
    'an entry is added': [false, secret({ data: { password: 'cGFzc3dvcmQ=', mine: 'YQ==' } })],
    'its note is edited': [true, secret({ metadata: { annotations: { [key]: '{}' } } })],
    'its note is removed': [true, secret({ metadata: { annotations: {} } })],
    'another object controls it': [
      true,
      secret({ metadata: { ownerReferences: [controllerReference(managed())] } }),
    ],
    'it is labelled': [false, secret({ metadata: { labels: { team: 'a' } } })],
    'another annotation is written': [
      false,
      secret({ metadata: { annotations: { [key]: '{"key":"a2V5"}', team: 'a' } } }),
    ],
  };
  for (const [name, [wakes, to]] of Object.entries(rows)) {
    test(name, () =>
      assert.equal(isSecretChanged({ type: 'modified', previous: secret(), object: to }), wakes),
    );
  }
  test('it is deleted', () => assert.equal(isSecretChanged({ type: 'deleted', object: secret() }), true));
});
