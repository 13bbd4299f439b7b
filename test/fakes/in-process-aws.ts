import type { Carrier } from '../../clients/http.ts';
import type { Aws, AwsOptions } from '../../local/aws/aws.ts';
import { createAws } from '../../local/aws/aws.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { seededRandom } from '../../runtime/time/random.ts';
import type { CarriedReply, CarryOutside } from './outside.ts';
import { atOnce, connectionCut, connectionRefused, noAnswer, unlessAborted } from './outside.ts';

export interface InProcessAwsOptions extends AwsOptions {
  /** Where requests find it; default `http://aws.test`. */
  readonly url?: string;
}

/** A local AWS that is reached without a network, whose time is a test's. */
export interface InProcessAws extends Omit<Aws, 'answer'> {
  readonly url: string;
  /** For the options of its client. There is nobody but it: other hosts refuse connections. */
  readonly dispatcher: Carrier;
  /** The same, whose requests go through a door that may throw what undici would, or give an answer of its own. */
  carrierFor(carryOut: CarryOutside): Carrier;
}

/**
 * The local AWS, for clients in this process: a request is served at once, and its answer comes in a later microtask. Its
 * time is that which goes by, but for signatures, which the official clients date by the machine's.
 */
export function inProcessAws(
  clock: Pick<Clock, 'elapsedMs'>,
  { url = 'http://aws.test', ...options }: InProcessAwsOptions = {},
): InProcessAws {
  const { random = seededRandom(1), ...rest } = options;
  const { answer, ...inside } = createAws({ now: clock.elapsedMs, random, ...rest });

  type Request = Parameters<Carrier['request']>[0];
  async function serve({ path, method, headers, body, signal }: Request): Promise<CarriedReply> {
    const plain = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const reply = await answer({ method, target: path, headers: plain, body: async () => body ?? '' });
    if (reply === 'never') return noAnswer(signal);
    if (reply === 'cut') throw connectionCut();
    return { statusCode: reply.status, headers: reply.headers, body: [Buffer.from(reply.text)] };
  }

  const carrierFor = (carryOut: CarryOutside): Carrier => ({
    async request(request) {
      const { origin, path: target, method: verb, signal } = request;
      signal.throwIfAborted();
      if (origin !== url) throw connectionRefused(origin);
      const call = { system: 'aws', verb, target, isWrite: true, signal };
      return unlessAborted(signal, carryOut(call, () => serve(request)) as Promise<CarriedReply>);
    },
  });
  return { ...inside, url, carrierFor, dispatcher: carrierFor(atOnce) };
}
