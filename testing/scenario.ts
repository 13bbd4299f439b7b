import type { Definition } from '../apis/core/schema.ts';
import type { DetailKey } from '../apis/core/v1alpha1/connection-details.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
import type { ForProviderOf } from '../controllers/managed/connecting/external-client.ts';
import type { Stack } from '../controllers/stack.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Random } from '../runtime/time/random.ts';

/** The time and randomness of a world; each rule has its own. */
export interface Given {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The external system of one rule, and the stack that uses it. Only `stack`, `credentials` and `externals` are
 * required. A rule that needs another hook is skipped without it, with a message.
 */
export interface World {
  readonly stack: Stack;
  /** The contents of the ProviderConfig's Secret: all entries, or the text of its only entry `credentials`. */
  readonly credentials: string | ConnectionDetails;
  /** The fields of the ProviderConfig's spec besides the credentials. */
  readonly parameters?: object;
  /**
   * All external resources of the kind in the external system, of any owner, in a form that shows every change. Read
   * them from the system itself, not through the external client.
   */
  externals(): readonly unknown[] | Promise<readonly unknown[]>;
  /**
   * Creates an external resource of another owner, with this name. If the system assigns names, returns the assigned
   * name; otherwise the result is ignored.
   */
  foreign?(name: string): unknown;
  /**
   * Makes the system answer every request from now on with an error that does not tell whether external resources
   * exist, for example 500, with this text if possible.
   */
  fail?(text: string): void;
  /**
   * Makes the system answer every request from now on with success and this text, which holds nothing: an empty one, or
   * `{}`.
   */
  answer?(text: string): void;
  /** Executes the next creation, but loses its answer. */
  loseAnswer?(): void;
  /** Leaves every request unanswered from now on. */
  hang?(): void;
  /** Whether these connection details work for one of the external resources. */
  opens?(details: ConnectionDetails): boolean | Promise<boolean>;
  /** Closes the world. */
  close?(): unknown;
}

/** The type of `forProvider` in objects of a kind. */
export type ForProvider<M extends Managed> = NonNullable<M['spec']['forProvider']>;

/** A change of `forProvider`, and the keys of the connection details that it removes. */
export interface WithoutDetails<M extends Managed> {
  readonly change: ForProviderOf<M>;
  readonly keys: readonly DetailKey<M>[];
}

/**
 * The facts about one managed kind that the rules need. The author of a stack provides them. `Another`: what
 * the function `another` returns, with its literals.
 */
export interface Conformance<M extends Managed = Managed, Another extends ForProvider<M> = ForProvider<M>> {
  readonly managed: Definition<M>;
  /** The `forProvider` of an external resource that can be created. */
  readonly forProvider: NoInfer<ForProvider<M>>;
  /**
   * The `forProvider` of another external resource besides it. Default: the same. A function of a number, from 1, if
   * each external resource needs something unique, for example a range of addresses.
   */
  readonly another?: NoInfer<ForProvider<M>> | ((number: number) => Another);
  /** Allowed changes: each is merged into `forProvider`, and must show in the world's `externals`. */
  readonly changes?: readonly NoInfer<ForProviderOf<M>>[];
  /** Changes that are refused and must not create a new external resource: of immutable or identifying fields. */
  readonly refusedChanges?: readonly NoInfer<ForProviderOf<M>>[];
  /** Fields of `forProvider` that get the system's value if the user gives none. */
  readonly late?: readonly (keyof NoInfer<ForProvider<M>> & string)[];
  /**
   * Fields of `forProvider` that `observe` needs to find the external resource. A resource that is only observed must
   * have them, and they cannot be in `initProvider` only. Default: the fields marked `identity`.
   */
  readonly foundBy?: readonly (keyof NoInfer<ForProvider<M>> & string)[];
  /** The `forProvider` with these tags or labels, if the kind has them: `(tags) => ({ tags })`. */
  tags?(tags: Readonly<Record<string, string>>): NoInfer<ForProviderOf<M>>;
  /** The keys of the connection details of an existing external resource. Default: all that the kind declares. */
  readonly details?: readonly DetailKey<NoInfer<M>>[];
  /** Changes that remove connection details, for example by turning the password off. */
  readonly withoutDetails?: readonly WithoutDetails<NoInfer<M>>[];
  /**
   * How long external resources take.
   * - `virtual` (default): the world is in this process and uses only the given clock.
   * - `network`: the same, but requests use a real network, for example a fake that listens on loopback.
   * - `real`: the world takes real time, like a cloud. Each rule then takes minutes.
   */
  readonly time?: 'virtual' | 'network' | 'real';
  /** How long one rule may take by the clock on the wall, in ms. Default: 2 min, and 20 min if `time` is `real`. */
  readonly limitMs?: number;
  /** Opens an empty world. Called for each rule. */
  open(given: Given): World | Promise<World>;
}
