import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { World } from './world.ts';

/** A promise that was not kept. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** Since the beginning. */
  readonly atMs: number;
  readonly what: string;
}

/** What became of one object. */
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

/** A request that was carried out, on the API server or outside. */
export interface Call {
  readonly by: string;
  /** `api`, or an external system. */
  readonly system: string;
  readonly verb: string;
  readonly target: string;
  readonly isWrite: boolean;
  /** The process asked once; something on the way repeats it. */
  readonly isRepeated?: boolean;
  /** Whether it changed anything on the API server; always true outside. */
  readonly isChange: boolean;
  /** The API server refused it. */
  readonly isRefused: boolean;
}

/** Something that must be so, whatever happens. What is said of it are sentences about what is wrong. */
export interface Invariant {
  /** A rule, as a sentence. */
  readonly name: string;
  /** What is wrong with a change, as it is made. */
  changed?(change: Change): readonly string[];
  /** What is wrong with a request, as it is carried out. */
  called?(call: Call): readonly string[];
  /** What is wrong once trouble is over and everything has come to rest. */
  atRest?(): readonly string[];
}

export type InvariantOf = (world: World) => Invariant;
