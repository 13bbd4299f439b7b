import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  isCreationTold,
  isDesiredStateChanged,
  isPublicationChanged,
} from '../../../../controllers/core/managed/setup.ts';
import { finalizers } from '../managed-scene.ts';
import { deletionTimestamp, managed } from '../objects.ts';

describe('which changes wake the managed reconciler (C8 DesiredStateChanged)', () => {
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
    'a human takes the mark of a creation away': {
      from: annotated('external-create-pending'),
      to: {},
      wakes: true,
    },
    'nobody knows still': { from: annotated('external-create-pending'), to: waiting, wakes: false },
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
    'somebody takes our finalizer away': { from: { finalizers }, to: {}, wakes: true },
    'it gets our finalizer': { to: { finalizers }, wakes: false },
    'somebody takes another finalizer away': {
      from: { finalizers: [...finalizers, 'example.org/hold'] },
      to: { finalizers },
      wakes: false,
    },
    GenerationChanged: { to: { generation: 3 }, wakes: true },
    'it is to be deleted': { to: { deletionTimestamp }, wakes: true },
  };
  for (const [name, { from = {}, to, wakes }] of Object.entries(rows)) {
    test(name, () => {
      const change = { type: 'modified', previous: managed({}, from), object: managed({}, to) } as const;
      assert.equal(isDesiredStateChanged(change), wakes);
    });
  }
  test('what appears wakes it, what is gone does not', () => {
    assert.equal(isDesiredStateChanged({ type: 'added', object: managed() }), true);
    assert.equal(isDesiredStateChanged({ type: 'deleted', object: managed() }), false);
  });

  for (const isMaking of [false, true]) {
    const whose = isMaking ? 'it is created here still' : 'another process puts that on record';
    test(`that it is known what became of a creation wakes it ${isMaking ? 'not ' : ''}where ${whose}`, () => {
      const told = { ...waiting.annotations, ...annotated('external-create-failed').annotations };
      const change = {
        type: 'modified',
        previous: managed({}, waiting),
        object: managed({}, { ...waiting, annotations: told }),
      } as const;
      assert.equal(isCreationTold(() => isMaking)(change), !isMaking);
    });
  }
});

describe('which changes of its connection secret wake the managed reconciler', () => {
  const record = '{"password":"aaaaaaaaaa","removed":null}';
  const secret = (
    data: Readonly<Record<string, string>>,
    annotations: Readonly<Record<string, string>> = { 'crossplane.io/published-details': record },
  ): Secret => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'uid', annotations }, data });
  const before = secret({ password: 'cGFzc3dvcmQ=' });
  const rows: Readonly<Record<string, { to: Secret; from?: Secret; wakes: boolean }>> = {
    'what was published is edited': { to: secret({ password: 'ZWRpdGVk' }), wakes: true },
    'what was published is taken away': { to: secret({}), wakes: true },
    'what was removed is there again': {
      to: secret({ password: 'cGFzc3dvcmQ=', removed: 'YQ==' }),
      wakes: true,
    },
    'the record of what was published is edited': {
      to: secret({ password: 'cGFzc3dvcmQ=' }, { 'crossplane.io/published-details': '{}' }),
      wakes: true,
    },
    'it is of another revision': {
      to: secret(before.data!, { ...before.metadata.annotations, 'crossplane.io/published-revision': '2' }),
      wakes: true,
    },
    'somebody adds what is his': { to: secret({ ...before.data, mine: 'bWluZQ==' }), wakes: false },
    'somebody labels it': {
      to: { ...before, metadata: { ...before.metadata, labels: { team: 'a' } } },
      wakes: false,
    },
    'a key more, where nothing is recorded': {
      from: secret(before.data!, {}),
      to: secret({ ...before.data, mine: 'bWluZQ==' }, {}),
      wakes: true,
    },
  };
  for (const [name, { to, from = before, wakes }] of Object.entries(rows)) {
    test(name, () =>
      assert.equal(isPublicationChanged({ type: 'modified', previous: from, object: to }), wakes),
    );
  }
  test('it goes', () => assert.equal(isPublicationChanged({ type: 'deleted', object: before }), true));
});
