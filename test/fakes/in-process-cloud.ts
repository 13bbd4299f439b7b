import type { Carrier } from '../../clients/http.ts';
import type { Cloud, CloudOptions } from '../../local/favourite-cloud/cloud.ts';
import { createCloud } from '../../local/favourite-cloud/cloud.ts';
import type { Clock } from '../../runtime/time/clock.ts';

export interface InProcessCloudOptions extends CloudOptions {
  /** Where requests find it; default `http://cloud.test`. */
  readonly url?: string;
}

/** A cloud that is reached without a network, whose time is a test's. */
export interface InProcessCloud extends Omit<Cloud, 'answer'> {
  readonly url: string;
  /** For the options of its client. There is nobody but the cloud: other hosts refuse connections. */
  readonly dispatcher: Carrier;
}

const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/** The demo cloud, for clients in this process: a request is served at once, and its answer comes in a later microtask. */
export function inProcessCloud(
  clock: Pick<Clock, 'now'>,
  { url = 'http://cloud.test', ...options }: InProcessCloudOptions = {},
): InProcessCloud {
  const { answer, ...inside } = createCloud({ now: () => clock.now().getTime(), ...options });
  return {
    ...inside,
    url,
    dispatcher: {
      async request({ origin, path, method, query = {}, headers, body, signal }) {
        signal.throwIfAborted();
        if (origin !== url) throw failure(`connect ECONNREFUSED ${origin}`, 'ECONNREFUSED');
        const reply = await answer({
          method,
          target: `${path}?${new URLSearchParams(query)}`,
          authorization: headers.authorization,
          body: async () => body ?? '',
        });
        if (reply === 'never') return new Promise((_, reject) => whenAborted(signal, reject));
        if (reply === 'cut') throw failure('other side closed', 'UND_ERR_SOCKET');
        return { statusCode: reply.status, headers: reply.headers, body: [Buffer.from(reply.text)] };
      },
    },
  };
}

/** Where several clouds are, each is found at its own place. */
export function carrierTo(...clouds: readonly InProcessCloud[]): Carrier {
  return {
    async request(given) {
      const [first] = clouds;
      const cloud = clouds.find(({ url }) => url === given.origin) ?? first;
      if (cloud === undefined) throw failure('there is no cloud', 'ECONNREFUSED');
      return cloud.dispatcher.request(given);
    },
  };
}

function whenAborted(signal: AbortSignal, reject: (reason: unknown) => void): void {
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}
