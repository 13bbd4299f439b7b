import type { Agent } from 'undici';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../cache/resource.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { Host } from './host.ts';

/** Everything that controllers receive. Code in `controllers/` has no other access to time, randomness or the network. */
export interface Environment {
  readonly client: KubernetesClient;
  /**
   * The one resource (and so the one informer) of a kind in this process. The first caller fixes `selection`; a call with
   * another one is an error.
   */
  resource<T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): Resource<T>;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Random bytes for credentials, which must not be guessable. Absent: the machine's. */
  readonly randomBytes?: (size: number) => Buffer;
  readonly pollIntervalMs: number;
  /** Calls per second to any one external provider, in the long run. */
  readonly maxExternalCallsPerSecond: number;
  /** The source of credentials that are not in a Secret; absent: such credentials are refused. */
  readonly host?: Host;
  /**
   * The milliseconds that an external call which starts now may take; called before each one. Throws ApiError if this
   * process led and its Lease is too old. Absent: there is no Lease.
   */
  readonly checkLease?: () => number;
  /** Creates connections to clouds and Vault that use the proxies of the environment. Absent: they use no proxy. */
  readonly createAgent?: (options: Agent.Options) => Agent;
  /** Whether this process changes nothing in external systems and in Vault. Absent: it does its work. */
  readonly isObserveOnly?: boolean;
  /** The only namespaces whose claims are served and watched; never empty. Absent: all namespaces. */
  readonly claimNamespaces?: readonly string[];
}
