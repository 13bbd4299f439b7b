import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Subscription } from 'rxjs';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import type { SendingEventRecorder } from '../../runtime/events/event-recorder.ts';
import { createEventRecorder } from '../../runtime/events/event-recorder.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { clientOf, kubeConfigOf } from './stack-harness.ts';

const about = (name: string, namespace?: string): KubernetesObject => ({
  apiVersion: 'test.example.org/v1',
  kind: 'Thing',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', ...(namespace !== undefined && { namespace }) },
});

/** Declares the tests of the recorder of Events, on a control plane that need not have any definition. */
export function testEvents(controlPlane: () => ControlPlane): void {
  describe('events on a real API server', () => {
    let client: ReturnType<typeof clientOf>;
    let recorder: SendingEventRecorder;
    let running: Subscription;
    const log = recordedLog();

    before(async () => {
      client = clientOf(kubeConfigOf(controlPlane().kubeconfig), log);
      recorder = createEventRecorder({ client, component: 'services-stack', log, clock: realClock() });
      running = recorder.run$.subscribe();
    });
    after(async () => {
      running?.unsubscribe();
      await client?.close();
    });

    const flush = () => recorder.flush(AbortSignal.timeout(20_000));
    test('kubectl describe names the controller in From', async () => {
      const pod = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: '' } };
      const event = { type: 'Warning', reason: 'CannotConnectToProvider', message: 'no way' } as const;
      recorder.from('managed/favouritedbinstance.database.fcp.crossplane.io').record(pod, event);
      await flush();
      const shown = await controlPlane().kubectl(['get', 'events', '-o', 'wide', '--no-headers']);
      assert.match(shown, /managed\/favouritedbinstance\.database\.fcp\.crossplane\.io\s+no way/);
    });

    test('kubectl shows what happened to a namespaced and to a cluster-scoped object', async () => {
      const event = { type: 'Warning', reason: 'NoMatchingClass', message: 'no class matches' } as const;
      recorder.record(about('claim', 'kube-system'), event);
      recorder.record(about('managed'), { type: 'Normal', reason: 'Created', message: 'created it' });
      await flush();
      const shown = await controlPlane().kubectl(['get', 'events', '-A', '--no-headers']);
      assert.match(shown, /kube-system\s.*Warning\s+NoMatchingClass\s+thing\/claim\s+no class matches/);
      assert.match(shown, /default\s.*Normal\s+Created\s+thing\/managed\s+created it/);
      assert.deepEqual(log.lines, []);
    });

    test('names and messages of the greatest length are accepted', async () => {
      const name = `${'a'.repeat(100)}.${'b'.repeat(152)}`;
      const message = 'ü'.repeat(5000);
      recorder.record(about(name, 'default'), { type: 'Normal', reason: 'Long', message });
      await flush();
      const { items } = await client.list(EventKind, { fieldSelector: `involvedObject.name=${name}` });
      assert.equal(items.length, 1);
    });
  });
}
