import type { Clock } from '../../runtime/time/clock.ts';
import { randomUuid, seededRandom } from '../../runtime/time/random.ts';
import type { CloudOptions } from '../../testing/favourite-cloud/cloud.ts';
import { createCloud } from '../../testing/favourite-cloud/cloud.ts';
import { carried, carriersTo } from './outside.ts';

export interface InProcessCloudOptions extends CloudOptions {
  /** Where requests find it; default `http://cloud.test`. */
  readonly url?: string;
}

/** A cloud that is reached without a network, whose time is a test's. */
export type InProcessCloud = ReturnType<typeof inProcessCloud>;

/**
 * The demo cloud, for clients in this process: a request is served at once, and its answer comes in a later microtask.
 * Its time is that which goes by, whatever the clock on the wall is set to, and its chance is the same in each run.
 */
export function inProcessCloud(
  clock: Pick<Clock, 'elapsedMs'>,
  { url = 'http://cloud.test', flavour = 'favourite', ...options }: InProcessCloudOptions = {},
) {
  const { random = seededRandom(1), newId = () => randomUuid(random), ...rest } = options;
  const { answer, ...inside } = createCloud({ now: clock.elapsedMs, random, newId, ...rest, flavour });

  const carrierFor = carriersTo(
    url,
    ({ path: target, method: verb }) => ({ system: flavour, verb, target, isWrite: verb !== 'GET' }),
    async ({ path, method, query = {}, headers, body, signal }) => {
      const target = `${path}?${new URLSearchParams(query)}`;
      return carried(await answer({ method, target, headers, body: async () => body ?? '' }), signal);
    },
  );
  return {
    ...inside,
    url,
    /** For the options of its client. Only the cloud exists: other hosts refuse connections. */
    dispatcher: carrierFor(),
    /** The same for the clients of one process, whose requests end with the process. */
    carrierFor,
  };
}
