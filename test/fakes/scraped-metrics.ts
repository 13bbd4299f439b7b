import { createStackMetrics } from '../../app/metrics/stack-metrics.ts';
import { createMetrics } from '../../runtime/probes/metrics.ts';
import type { Clock } from '../../runtime/time/clock.ts';

/** The metrics of a process in memory, and what it would answer under `/metrics`; also where it stands by. */
export function scrapedMetrics(clock: Clock) {
  const metrics = createMetrics({ version: '0', withProcess: false, clock });
  const { registry } = metrics;
  const stackMetrics = createStackMetrics({ registry, isWorking: () => true, clock });
  const scrape = async (): Promise<string> => {
    await stackMetrics.refresh();
    return (await metrics.page()).body;
  };
  return { metrics, stackMetrics, scrape };
}
