import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
import type { ForProviderOf } from '../controllers/core/managed/external-client.ts';
import type { Stack } from '../controllers/core/stack.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Random } from '../runtime/time/random.ts';

/** What a world is made of: its time and its chance are those of the rule that it is opened for. */
export interface Given {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * An external system as one rule finds it, and the stack that reaches it. Only `stack`, `credentials` and `things` are
 * needed; a rule that needs one of the others is skipped without, and says so.
 */
export interface World {
  readonly stack: Stack;
  /** What the secret of the ProviderConfig holds: its entries, or the one text of its entry `credentials`. */
  readonly credentials: string | ConnectionDetails;
  /** What the ProviderConfig's spec holds beside the credentials. */
  readonly parameters?: object;
  /**
   * Everything of the kind that exists outside, whosever it is, in a form in which every change shows. Asked past the
   * stack: the system itself, not the external client.
   */
  things(): readonly unknown[] | Promise<readonly unknown[]>;
  /**
   * Makes a thing that belongs to somebody else. Its name is this, or what is answered where the system assigns names.
   */
  foreign?(name: string): unknown;
  /**
   * From now on the system answers every request with an error that says nothing about what exists, as a 500. Where it
   * can, with this text.
   */
  fail?(text: string): void;
  /** The next request that creates something is carried out, and its answer is lost. */
  loseAnswer?(): void;
  /** From now on no request is answered. */
  hang?(): void;
  /** Whether these connection details are good for a thing of ours. */
  opens?(details: ConnectionDetails): boolean | Promise<boolean>;
  /** Ends what `open` began. */
  close?(): unknown;
}

/** `forProvider` of a kind, as an object of it has it. */
export type ForProvider<M extends Managed> = NonNullable<M['spec']['forProvider']>;

/** A change, laid over `forProvider`, and the keys of the connection details that go with it. */
export interface WithoutDetails<M extends Managed> {
  readonly change: ForProviderOf<M>;
  readonly keys: readonly string[];
}

/** What the author of a stack tells of one managed kind, so that the kit can try its external client. */
export interface Conformance<M extends Managed = Managed> {
  readonly managed: Kind<M>;
  /** Of a thing that can be made. */
  readonly forProvider: NoInfer<ForProvider<M>>;
  /**
   * Of one that can be made beside it. Default: the same. By their numbers, from 1, where each takes a place that no other
   * may take, as a range of addresses.
   */
  readonly another?: NoInfer<ForProvider<M>> | ((number: number) => NoInfer<ForProvider<M>>);
  /** Changes that can be made to what is there: each is laid over `forProvider`, and must show in the world's `things`. */
  readonly changes?: readonly NoInfer<ForProviderOf<M>>[];
  /** Changes that cannot be made, and may make nothing new: of what is immutable, or identifies the thing. */
  readonly refusedChanges?: readonly NoInfer<ForProviderOf<M>>[];
  /** Fields of `forProvider` for which the system chooses a value where nobody gives one, and which are taken over then. */
  readonly late?: readonly (keyof NoInfer<ForProvider<M>> & string)[];
  /**
   * Fields of `forProvider` that `observe` cannot do without, as it finds the thing by them: they cannot be left out of what
   * is only observed, nor be said for the creation only. Default: those marked `identity`.
   */
  readonly foundBy?: readonly (keyof NoInfer<ForProvider<M>> & string)[];
  /** How `forProvider` asks for tags, or labels, where it can: `(tags) => ({ tags })`. */
  tags?(tags: Readonly<Record<string, string>>): NoInfer<ForProviderOf<M>>;
  /** The keys that connection details have once the thing is there. */
  readonly details?: readonly string[];
  /** Changes after which there are connection details no more, such as the password of what asks for none. */
  readonly withoutDetails?: readonly WithoutDetails<NoInfer<M>>[];
  /**
   * How long things take.
   * - `virtual` (default): the world is in this process and has no time but that of the clock it is given.
   * - `network`: the same, but requests are on their way for real, as to a fake that listens on loopback.
   * - `real`: the world takes real time, as a cloud does. Then so do the rules: minutes each.
   */
  readonly time?: 'virtual' | 'network' | 'real';
  /** Opens an empty world. Called anew for each rule. */
  open(given: Given): World | Promise<World>;
}
