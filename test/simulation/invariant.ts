import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { wellFormed } from '../../apis/core/v1alpha1/well-formed.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import { knownKindOf } from './kinds.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { World } from './world.ts';

/** A promise that was not kept. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** Since the beginning. */
  readonly atMs: number;
  readonly what: string;
}

/** The history of one object. */
export interface Change {
  /** `p1` is a process; `somebody`, a person; `gc`, the garbage collector. */
  readonly by: string;
  readonly kind: Kind;
  /** Undefined: it did not exist. */
  readonly before: StoredObject | undefined;
  /** Undefined: it exists no more. */
  readonly after: StoredObject | undefined;
}

export type StoredObject = KubernetesObject & { readonly spec?: unknown; readonly status?: unknown };

/** A request that reached where it should. */
export interface RecordedCall {
  /** `api`, or an external system. */
  readonly system: string;
  readonly verb: string;
  /** `FancySQLInstance team/orders`, or a path. */
  readonly target: string;
  readonly isWrite: boolean;
  /** It changes nothing before the COMMIT of its transaction, which is a write itself. */
  readonly isTentative?: boolean;
  /** To the API server: the object it is about, and what it says. */
  readonly about?: About;
  /** When it left the process: for doors, in the elapsed milliseconds of the clock; for invariants, since the beginning. */
  readonly sentAtMs: number;
  /** The process asked once; something on the way repeats it. */
  readonly isRepeated?: boolean;
}

/** A request that was carried out, on the API server or in the external system. */
export interface Call extends RecordedCall {
  readonly by: string;
  /** Whether it changed anything on the API server; always true in the external system. */
  readonly isChange: boolean;
  /** The API server, or a cloud, refused it. */
  readonly isRefused: boolean;
}

/** The part of a request to the API server that is about one object. */
export interface About {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** A merge patch, or the object whole. */
  readonly body?: object;
  readonly preconditions?: {
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** A request as a process makes it, whatever becomes of it. */
interface Attempt {
  readonly by: string;
  /** As `update FancySQLInstance team/orders`. */
  readonly call: string;
}

/** A rule that must hold, whatever happens. It reports violations as sentences. */
export interface Invariant {
  /** A rule, as a sentence. */
  readonly name: string;
  /** The faults of a change, reported when it happens. */
  changed?(change: Change): readonly string[];
  /** The faults of a request, reported when it is sent. */
  requested?(attempt: Attempt): readonly string[];
  /** The faults of a line of the log, reported when it is written. */
  logged?(line: string): readonly string[];
  /** The faults of a page of metrics. */
  scraped?(page: string): readonly string[];
  /** The faults of a request, reported when it is carried out. */
  called?(call: Call): readonly string[];
  /** The faults at the moment when a process is about to read an external answer. */
  shown?(): readonly string[];
  /** The faults once all trouble is over and everything is at rest. */
  atRest?(): readonly string[];
}

/** The view that invariants have of the world. */
export type ObservedWorld = Pick<
  World,
  'aws' | 'gcp' | 'postgresql' | 'vault' | 'wishes' | 'restored' | 'planted' | 'elapsedMs' | 'scenario'
> & {
  readonly cluster: Pick<SimulatedCluster, 'all' | 'find' | 'objects' | 'lackedBy'>;
  readonly clouds: Readonly<Record<'favourite' | 'other', Pick<InProcessCloud, 'instances' | 'networks'>>>;
};

/** An object in the shape of its kind, as the controllers read it. `malformationOf` tells whether it had another. */
const shaped = <T extends KubernetesObject | undefined>(kind: Kind, object: T): T =>
  object && (wellFormed(kind, object) as T);

export const shapedChange = ({ before, after, ...change }: Change): Change => ({
  ...change,
  before: shaped(change.kind, before),
  after: shaped(change.kind, after),
});

/** The objects of a cluster in the shape of their kinds. */
export const shapedView = (cluster: SimulatedCluster): ObservedWorld['cluster'] => ({
  all: (kind) => cluster.all(kind).map((object) => shaped(kind, object)),
  find: (kind, key) => shaped(kind, cluster.find(kind, key)),
  objects: () =>
    cluster.objects().map((object) => {
      const kind = knownKindOf(object);
      return kind === undefined ? object : shaped(kind, object);
    }),
  lackedBy: (name) => cluster.lackedBy(name),
});

export function observed(world: World): ObservedWorld {
  const { aws, gcp, clouds, postgresql, vault, wishes, restored, planted, scenario, cluster } = world;
  return {
    aws,
    gcp,
    clouds,
    postgresql,
    vault,
    wishes,
    restored,
    planted,
    scenario,
    cluster: shapedView(cluster),
    get elapsedMs() {
      return world.elapsedMs;
    },
  };
}

export type InvariantOf = (world: ObservedWorld) => Invariant;

/** Whether a process did it, and not a person or a machine. */
export const isProcess = (by: string): boolean => /^p\d/.test(by);
