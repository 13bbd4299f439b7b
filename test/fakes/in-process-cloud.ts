import type { Carrier } from '../../clients/http.ts';
import type { Cloud, CloudOptions } from '../../emulators/favourite-cloud/cloud.ts';
import { createCloud } from '../../emulators/favourite-cloud/cloud.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { randomUuid, seededRandom } from '../../runtime/time/random.ts';
import type { CarryOutside } from './outside.ts';
import { carried, carriersTo, connectionRefused } from './outside.ts';

export interface InProcessCloudOptions extends CloudOptions {
  /** Where requests find it; default `http://cloud.test`. */
  readonly url?: string;
}

/** A cloud that is reached without a network, whose time is a test's. */
export interface InProcessCloud extends Omit<Cloud, 'answer'> {
  readonly url: string;
  /** For the options of its client. Only the cloud exists: other hosts refuse connections. */
  readonly dispatcher: Carrier;
  /**
   * The same for the clients of one process, whose requests go through a door of their own: what ends with the process
   * is the door, and not the cloud. The door may throw what undici would, or give an answer of its own.
   */
  carrierFor(carryOut: CarryOutside): Carrier;
}

/**
 * The demo cloud, for clients in this process: a request is served at once, and its answer comes in a later microtask.
 * Its time is that which goes by, whatever the clock on the wall is set to, and its chance is the same in each run.
 */
export function inProcessCloud(
  clock: Pick<Clock, 'elapsedMs'>,
  { url = 'http://cloud.test', flavour = 'favourite', ...options }: InProcessCloudOptions = {},
): InProcessCloud {
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
  return { ...inside, url, carrierFor, dispatcher: carrierFor() };
}

/** Where several clouds are, each is found at its own place. */
export function carrierTo(...clouds: readonly InProcessCloud[]): Carrier {
  return {
    async request(given) {
      const cloud = clouds.find(({ url }) => url === given.origin) ?? clouds[0];
      if (cloud === undefined) throw connectionRefused(given.origin);
      return cloud.dispatcher.request(given);
    },
  };
}
