import type { LRUCache } from 'lru-cache';
import type { Secret, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { boundedCache } from '../bounded-cache.ts';
import { isNotFound } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Clock } from '../time/clock.ts';

/** The time for which a Secret is cached, in ms, so that a burst of reconciles reads the Secret once. */
const freshMs = 2_000;
const maxSecrets = 1_000;

/** `undefined`: the API server reported that the Secret does not exist. */
type RecentSecrets = LRUCache<string, Promise<Secret | undefined>>;
const caches = new WeakMap<KubernetesClient, RecentSecrets>();

interface Source {
  readonly client: KubernetesClient;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

/**
 * Returns a function that reads a Secret, at most once in 2 s. All readers of a client share one cache, so that
 * {@link forgetSecret} works for all of them.
 */
export function recentSecrets(env: Source): (key: SecretKey) => Promise<Secret | undefined> {
  const recent = cacheOf(env);
  return ({ namespace, name }) => {
    const secret = `${namespace}/${name}`;
    recent.purgeStale(); // keep no clear text longer than needed
    const held = recent.get(secret);
    if (held !== undefined) return held;
    const reading = env.client.get(SecretKind, { namespace, name }).catch((error: unknown) => {
      // The absence of a Secret is cached, too, because every resource of the provider reads the Secret.
      if (isNotFound(error)) return undefined;
      if (recent.get(secret) === reading) recent.delete(secret);
      throw error;
    });
    recent.set(secret, reading);
    return reading;
  };
}

function cacheOf({ client, clock }: Source): RecentSecrets {
  const known = caches.get(client);
  if (known !== undefined) return known;
  const created: RecentSecrets = boundedCache(maxSecrets, {
    ttl: freshMs,
    ttlResolution: 0,
    perf: { now: () => clock.elapsedMs() },
  });
  caches.set(client, created);
  return created;
}

/** Removes a changed Secret from the cache, so that the next reader gets it from the API server. */
export const forgetSecret = (env: Source, { namespace, name }: SecretKey): void =>
  void cacheOf(env).delete(`${namespace}/${name}`);
