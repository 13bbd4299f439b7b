import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Garble } from './garbled.ts';
import type { AttackSort } from './workload/attacks.ts';

/** An object, as people name it: JSON, so that a scenario can be written down. */
export interface ObjectName extends ObjectKey {
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * Not this claim itself, but an object that belongs to it at that time: its managed resource, or the
   * Secret of that.
   */
  readonly given?: 'resource' | 'source secret';
}

/** The actions of users and machines at one moment. Everything is JSON. */
export type Act =
  /** As `kubectl create`: nothing if it is there already, or the API refuses it. */
  | { readonly type: 'create'; readonly object: KubernetesObject }
  /** A JSON merge patch by a person: nothing if it is not there, or the API refuses it. */
  | { readonly type: 'edit'; readonly of: ObjectName; readonly patch: object }
  | { readonly type: 'delete'; readonly of: ObjectName }
  /** An object with any fields and any status, as a definition without a schema let it through; nothing if another one is there. */
  | { readonly type: 'plant'; readonly object: KubernetesObject }
  /** A tenant tries the `nth` of the attacks of a sort on what others have at that time. */
  | { readonly type: 'attack'; readonly sort: AttackSort; readonly nth: number }
  /**
   * An administrator has checked a creation with an unknown result, and removes its mark; nothing if it has
   * none.
   */
  | { readonly type: 'clear mark'; readonly of: ObjectName }
  /** A user changes or removes an instance in the cloud itself; `nth` of the existing ones. */
  | { readonly type: 'drift'; readonly system: string; readonly nth: number; readonly level: number }
  | { readonly type: 'lose'; readonly system: string; readonly nth: number }
  /** The process dies and another begins later. */
  | { readonly type: 'crash'; readonly downMs: number }
  /** SIGTERM: it may finish what it does. */
  | { readonly type: 'terminate'; readonly downMs: number }
  /** SIGSTOP and SIGCONT: of the process that has run for the longest time but `nth`. */
  | { readonly type: 'freeze'; readonly nth: number; readonly forMs: number }
  /** etcd forgets what was: who resumes from before must list again. */
  | { readonly type: 'compact' }
  /** Watch connections of a kind, or of all, end. */
  | { readonly type: 'end watches'; readonly kind?: string }
  /** The watches of a kind, or of all kinds, are delayed for this time. */
  | { readonly type: 'hold watches'; readonly kind?: string; readonly forMs: number }
  /** The same until a process has written something the next time, and for so long at most. */
  | { readonly type: 'hold watches until a write'; readonly kind?: string; readonly forMs: number }
  /**
   * The watches of a kind end, and are listed again only after this many more changes of it, or this time.
   */
  | { readonly type: 'miss changes'; readonly kind: string; readonly count: number; readonly forMs: number }
  /** Watches of a kind, or all, stay open and tell nothing ever again, until they end. */
  | { readonly type: 'silence watches'; readonly kind?: string }
  /** An older release installs its definition of a kind, which lacks a field; so much later, the definition is back. */
  | {
      readonly type: 'older definition';
      readonly kind: string;
      readonly field: string;
      readonly forMs: number;
    }
  /** The API server cannot be reached for so long. */
  | { readonly type: 'api outage'; readonly forMs: number }
  /** An external system cannot be reached for so long. */
  | { readonly type: 'outage'; readonly system: string; readonly forMs: number }
  /** An administrator backs up all objects, for a `restore` later. */
  | { readonly type: 'back up' }
  /**
   * Disaster: the process dies, all objects are lost, and come back out of the last backup, of new UIDs and without
   * status, one by one in any order within so long. The process begins when it has been down for its time.
   */
  | { readonly type: 'restore'; readonly overMs: number; readonly downMs: number }
  /** An administrator sets the system clock. */
  | { readonly type: 'set wall clock'; readonly byMs: number };

export interface Step {
  /** Since the beginning. */
  readonly atMs: number;
  readonly act: Act;
}

/** An action that happens at once when an object changes, before any watch reports the change. */
export interface Reaction {
  /** The number of the change, from 1 on; Events are not counted. */
  readonly atChange: number;
  readonly act: Act;
}

/** The fault of one request, to the API server or to an external system. */
export type CallFault =
  /** Answered so, and not carried out. */
  | { readonly type: 'refused'; readonly code: 409 | 429 | 500 | 503 | 504 }
  /**
   * Not carried out: a gateway answers instead, with a page. A 404 from it is no statement about the object,
   * nor is a 200.
   */
  | { readonly type: 'page'; readonly code: 200 | 404 }
  /** Neither carried out nor answered: the connection ends. */
  | { readonly type: 'unreachable' }
  /** Carried out, and the answer is lost. */
  | { readonly type: 'answer lost' }
  /** A write that the API server carries out twice: the second answer is returned. */
  | { readonly type: 'twice' }
  /** Carried out, and a cloud, or a gateway before it, gives another answer. */
  | { readonly type: 'garbled'; readonly garble: Garble }
  /** Under way for so much longer, there and back. */
  | { readonly type: 'slow'; readonly thereMs: number; readonly backMs: number }
  /** The process dies before the request leaves, or when it has been carried out. */
  | { readonly type: 'crash'; readonly when: 'before' | 'after'; readonly downMs: number };

export type FaultType = CallFault['type'];

/** One fault, and the request it happens to, as `p1 create FancySQLInstance team/orders 2`. */
export interface ListedFault {
  readonly call: string;
  readonly fault: CallFault;
}

/** How often each type of fault happens to a request, from 0 to 1, while there is trouble. */
export type FaultRates = Readonly<Partial<Record<FaultType, number>>>;

/** How long things take at most, in ms; how much of it is up to chance. */
export interface Pace {
  readonly requestMs: number;
  readonly watchMs: number;
  readonly outsideMs: number;
  readonly provisioningMs: number;
  readonly deletionMs: number;
  readonly readDelayMs: number;
}

/** The stacks that a simulated process may run. */
export type StackName = 'fcp' | 'ocp' | 'postgresql' | 'aws' | 'gcp';

/** One run, as data: the same scenario is played the same way each time. */
export interface Scenario {
  /** Decides how long everything is on its way, and which faults happen where they are drawn. */
  readonly seed: number;
  readonly pace: Pace;
  /** The objects at the beginning. */
  readonly objects: readonly KubernetesObject[];
  /** In order of time. */
  readonly steps: readonly Step[];
  readonly reactions?: readonly Reaction[];
  /** Nothing is left to chance: all that takes time takes half of the longest it may. */
  readonly isSteady?: boolean;
  /** Definitions are those of an older release, without schemas and rules. */
  readonly isLoose?: boolean;
  /** When trouble ends: no fault begins after it. */
  readonly troubleMs: number;
  readonly faults: FaultRates | readonly ListedFault[];
  /** Faults that are drawn happen to writes only. */
  readonly areWritesAlone?: boolean;
  /** 2: with leader election. Absent: one process, without. */
  readonly replicas?: 2;
  /** The stacks that each process runs; absent: `usualStacks`. */
  readonly stacks?: readonly StackName[];
  /** Whether what belongs to an owner that is gone goes, too, as in a cluster with its controller manager. */
  readonly collectsGarbage: boolean;
}

/** Those of the demo. The official clients of AWS and Google Cloud take most of the time of a run that has them. */
export const usualStacks: readonly StackName[] = ['fcp', 'ocp', 'postgresql'];
