import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { InformerState } from '../../runtime/cache/informer-state.ts';
import type { TestClock } from '../../testing/test-clock.ts';

export interface Widget extends KubernetesObject {
  readonly spec?: { readonly size?: number; readonly text?: string; readonly list?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

export const WidgetKind: Kind<Widget> = {
  group: 'test.example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

/** A widget in namespace `ns`. */
export const widget = (
  name: string,
  rest: Omit<Partial<Widget>, 'metadata'> & { readonly metadata?: object } = {},
): Widget => ({
  apiVersion: 'test.example.org/v1',
  kind: 'Widget',
  ...rest,
  metadata: { name, namespace: 'ns', ...rest.metadata },
});

/** A widget as the API server returns it. */
export const stored = (name: string, resourceVersion: number, rest: Partial<Widget> = {}): Widget =>
  widget(name, {
    ...rest,
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      ...rest.metadata,
      resourceVersion: `${resourceVersion}`,
    },
  });

/** Waits until `condition` holds; fails with `what` after `timeoutMs`. */
export async function until(what: string, condition: () => boolean, timeoutMs = 30_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`still waiting until ${what}`);
    await sleep(2);
  }
}

/** Waits for answers of a server until `condition` holds, while little of the time of a test's clock goes by. */
export async function untilAnswered(
  clock: Pick<TestClock, 'advance'>,
  what: string,
  condition: () => boolean,
): Promise<void> {
  for (let polls = 0; !condition(); polls += 1) {
    if (polls > 2500) throw new Error(`still waiting until ${what}`);
    await sleep(2);
    await clock.advance(1);
  }
}

/** The state of a kind whose watch works. */
export const informerState = (kind: string, rest: Partial<InformerState> = {}): InformerState => ({
  kind,
  isSynced: true,
  objectCount: 0,
  stream: { phase: 'watching' },
  sinceMs: 0,
  listCount: 1,
  failureCount: 0,
  confirmedAtMs: 0,
  isSilent: false,
  isMissing: false,
  silenceCount: 0,
  ...rest,
});
