import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../cache/resource.ts';
import type { KubernetesClient, Selection } from '../client/kubernetes-client.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { Host } from './host.ts';

/** All that controllers are given. Nothing in `controllers/` reaches for time, chance or the network. */
export interface Environment {
  readonly client: KubernetesClient;
  /**
   * The one resource (and so the one informer) of a kind in this process. `selection` is fixed by whoever
   * asks first; asking again with another one is an error.
   */
  resource<T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): Resource<T>;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Bytes for credentials, which no one must guess. Absent: the machine's. */
  readonly randomBytes?: (size: number) => Buffer;
  readonly pollIntervalMs: number;
  /** Calls per second to any one external provider, in the long run. */
  readonly maxExternalCallsPerSecond: number;
  /** Where credentials may come from that are in no secret; absent: such are refused. */
  readonly host?: Host;
  /**
   * How many milliseconds a call of an external system that begins now may take; asked before each. Throws ApiError if
   * this process led and its lease is too old to act under. Absent: there is no lease.
   */
  readonly checkLease?: () => number;
  /** Claims of other namespaces are left alone, and not watched; never none. Absent: all namespaces. */
  readonly claimNamespaces?: readonly string[];
}
