import type { Carrier } from '../../clients/http.ts';
import type { Cloud, CloudOptions } from '../../local/favourite-cloud/cloud.ts';
import { createCloud } from '../../local/favourite-cloud/cloud.ts';
import type { Clock } from '../../runtime/time/clock.ts';

/** A cloud that is reached without a network, whose time is a test's. */
export interface InProcessCloud extends Omit<Cloud, 'answer'> {
  /** Of a host that does not exist. */
  readonly url: string;
  /** For the options of its client. */
  readonly dispatcher: Carrier;
}

/** The demo cloud, for clients in this process: a request is served at once, and its answer comes in a later microtask. */
export function inProcessCloud(clock: Pick<Clock, 'now'>, options: CloudOptions = {}): InProcessCloud {
  const { answer, ...inside } = createCloud({ now: () => clock.now().getTime(), ...options });
  const url = 'http://cloud.test';
  return {
    ...inside,
    url,
    dispatcher: {
      async request({ path, method, query = {}, headers, body, signal }) {
        signal.throwIfAborted();
        const reply = await answer({
          method,
          target: `${path}?${new URLSearchParams(query)}`,
          authorization: headers.authorization,
          body: async () => body ?? '',
        });
        if (reply === 'never') return new Promise((_, reject) => whenAborted(signal, reject));
        if (reply === 'cut') throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
        return { statusCode: reply.status, headers: reply.headers, body: [Buffer.from(reply.text)] };
      },
    },
  };
}

function whenAborted(signal: AbortSignal, reject: (reason: unknown) => void): void {
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}
