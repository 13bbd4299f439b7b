import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { loggingChanges } from '../../../controllers/core/logging-changes.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { EventRecorder } from '../../../runtime/events/event-recorder.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { claim, managed } from './objects.ts';

describe('what is logged at level info', () => {
  const bound = {
    kind: 'FancySQLInstance',
    namespace: 'team',
    name: 'orders',
    change: 'BoundManagedResource',
  };
  const rows: Record<
    string,
    { readonly object: KubernetesObject; readonly event: EventFacts; readonly want: readonly object[] }
  > = {
    'a change, with kind, namespace and name': {
      object: claim(),
      event: { type: 'Normal', reason: 'BoundManagedResource', message: 'bound to db' },
      want: [bound],
    },
    'a change of an object without a namespace': {
      object: managed(),
      event: { type: 'Normal', reason: 'DeletedExternalResource', message: 'requested' },
      want: [{ kind: 'FavouriteDBInstance', name: 'db', change: 'DeletedExternalResource' }],
    },
    'no wait': {
      object: claim(),
      event: { type: 'Normal', reason: 'WaitingToBind', message: 'not ready' },
      want: [],
    },
    'no failure': {
      object: claim(),
      event: { type: 'Warning', reason: 'CannotBindManagedResource', message: 'denied' },
      want: [],
    },
  };
  for (const [name, { object, event, want }] of Object.entries(rows)) {
    test(name, () => {
      const log = recordedLog();
      const recorded: unknown[] = [];
      const recorder = (source?: string): EventRecorder => ({
        record: (...given) => recorded.push([...given, source]),
        from: recorder,
      });
      loggingChanges(recorder(), log).from('me').record(object, event);
      assert.deepEqual(recorded, [[object, event, 'me']]);
      assert.deepEqual(
        log.lines.map(({ level, message, fields }) => ({ level, message, fields })),
        want.map((fields) => ({ level: 'info', message: 'changed', fields })),
      );
    });
  }
});
