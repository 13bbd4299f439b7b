import 'google-auth-library';
import attempt from 'lodash/attempt.js';
import type { Carrier } from '../../clients/http.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { randomUuid, seededRandom } from '../../runtime/time/random.ts';
import type { GoogleCloud, GoogleCloudOptions } from '../../stacks/gcp/emulator/cloud.ts';
import { createGoogleCloud } from '../../stacks/gcp/emulator/cloud.ts';
import type { ServiceAccountKey } from '../../stacks/gcp/emulator/service-accounts.ts';
import { isServiceAccountKey } from '../../stacks/gcp/emulator/service-accounts.ts';
import type { LoopbackReply } from '../../testing/emulators/loopback-server.ts';
import type { CarryOutside } from './outside.ts';
import { carried, carriersTo, noAnswer } from './outside.ts';

/** Where it is. */
export const googleUrl = 'http://gcp.test';

/** Made once, for a new one takes a moment. */
const key = createGoogleCloud({ origin: () => googleUrl }).createKey();

/** A key file that each in this process accepts. */
export const googleCredentials = JSON.stringify(key);

/** The key that a text is; undefined: it is none. */
export function serviceAccountKeyIn(text = ''): ServiceAccountKey | undefined {
  const json: unknown = attempt(() => JSON.parse(text) as unknown);
  return typeof json === 'object' && json !== null && isServiceAccountKey(json) ? json : undefined;
}

/** Google Cloud, reached without a network, whose time is a test's. */
export interface InProcessGoogleCloud extends Omit<GoogleCloud, 'answer'> {
  /** For a ProviderConfig. */
  readonly parameters: { readonly projectID: string; readonly endpoint: string };
  /** A key file that it accepts. */
  readonly credentials: string;
  /** For the options of its clients. Only the cloud exists: other hosts refuse connections. */
  readonly dispatcher: Carrier;
  /** The same, whose requests go through a door that may throw what undici would, or give an answer of its own. */
  carrierFor(carryOut?: CarryOutside): Carrier;
  /**
   * The fate of requests from now on. `failing` answers with an error that has this message, and `answering` with success
   * and this text, except for the token.
   */
  way: 'open' | 'hanging' | { readonly failing: string } | { readonly answering: string };
}

/**
 * The emulator, for clients in this process. Its time is that of the clock, and starts on the same day each
 * time. Only assertions are checked against the system clock, because Google's library signs with it.
 */
export function inProcessGoogleCloud(
  clock: Pick<Clock, 'elapsedMs'>,
  { random = seededRandom(1), ...options }: GoogleCloudOptions = {},
): InProcessGoogleCloud {
  const offsetMs = Date.parse('2026-01-02T03:04:05Z') - clock.elapsedMs();
  const { answer, ...inside } = createGoogleCloud({
    origin: () => googleUrl,
    now: () => offsetMs + clock.elapsedMs(),
    signersNow: Date.now,
    newId: () => randomUuid(random),
    random,
    ...options,
  });
  inside.accounts.acceptKey(key);

  const carrierFor = carriersTo(
    googleUrl,
    ({ path, method: verb, query }) => ({
      system: 'gcp',
      verb,
      // A created resource has its name beside the path.
      target: [path, query?.instanceId].filter((part) => part !== undefined).join('/'),
      isWrite: verb !== 'GET' && path !== '/token',
    }),
    async ({ path, method, query = {}, headers, body, signal }) => {
      if (cloud.way === 'hanging') return noAnswer(signal);
      if (cloud.way !== 'open' && 'failing' in cloud.way) return carried(failure(cloud.way.failing));
      if (cloud.way !== 'open' && path !== '/token') return carried(success(cloud.way.answering));
      const target = `${path}?${new URLSearchParams(query)}`;
      return carried(await answer({ method, target, headers, body: async () => body ?? '' }), signal);
    },
  );

  const cloud: InProcessGoogleCloud = {
    ...inside,
    parameters: { projectID: key.project_id, endpoint: googleUrl },
    credentials: googleCredentials,
    carrierFor,
    dispatcher: carrierFor(),
    way: 'open',
  };
  return cloud;
}

const success = (text: string): Exclude<LoopbackReply, string> => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  text,
});

const failure = (message: string): Exclude<LoopbackReply, string> => ({
  status: 500,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify({ error: { code: 500, message, status: 'INTERNAL' } }),
});
