import { createStackMetrics } from '../../app/metrics/stack-metrics.ts';
import { createMetrics } from '../../runtime/probes/metrics.ts';
import { testClock } from '../../testing/test-clock.ts';

/** The names of all metrics that a process serves, those of Node and of the process itself left out. */
export async function servedMetrics(): Promise<readonly string[]> {
  const clock = testClock();
  const metrics = createMetrics({ version: '0', withProcess: false, clock });
  metrics.states({ informers: () => [], stacks: () => [], droppedEvents: () => 0 });
  createStackMetrics({ registry: metrics.registry, isWorking: () => true, clock });
  return [...(await metrics.page()).body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}
