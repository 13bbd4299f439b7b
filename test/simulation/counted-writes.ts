import isEqual from 'lodash/isEqual.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { Call } from './invariant.ts';

/** A method of HTTP, or an action of AWS. */
const creates = /^(?:POST|Create[A-Z]\w*|RunInstances)$/;

/** A creation that is marked as begun, and whose result is not recorded yet. */
interface Attempt {
  readonly by: string;
  isRefused: boolean;
}

/** Whether a request writes this annotation, and nothing else. */
function writesAlone({ about }: Call, annotation: string): boolean {
  const { metadata = {}, ...rest } = (about?.body ?? {}) as { readonly metadata?: object };
  const {
    annotations,
    resourceVersion: _precondition,
    ...others
  } = metadata as {
    readonly annotations?: object;
    readonly resourceVersion?: string;
  };
  return isEqual(Object.keys({ ...rest, ...others, ...annotations }), [annotation]);
}

/**
 * Counts the writes that keep a world from being at rest. A creation under an assigned name is marked before
 * each attempt and after its failure, because otherwise it could not be tried again. While the external
 * system refuses the creation, these two writes of each attempt are not counted. An attempt that is followed
 * by another write is counted.
 */
export class CountedWrites {
  #count = 0;
  /** By the object they are for. */
  readonly #attempts = new Map<string, Attempt>();

  get count(): number {
    return this.#count;
  }

  /** A request as it was carried out. `isEffective`: it is a write, and was neither refused nor rolled back. */
  note(call: Call, isEffective: boolean): void {
    const { by, system, verb, target, isRefused } = call;
    if (system !== 'api') {
      if (isEffective) this.#count += 1;
      if (!creates.test(verb) || !isRefused) return;
      for (const attempt of this.#attempts.values()) attempt.isRefused ||= attempt.by === by;
      return;
    }
    if (!isEffective) return;
    const begun = this.#attempts.get(target);
    this.#attempts.delete(target);
    const isEnd = writesAlone(call, annotationKeys.externalCreateFailed);
    if (isEnd && begun?.by === by && begun.isRefused) return;
    if (begun !== undefined) this.#count += 1;
    if (writesAlone(call, annotationKeys.externalCreatePending)) {
      this.#attempts.set(target, { by, isRefused: false });
    } else {
      this.#count += 1;
    }
  }
}
