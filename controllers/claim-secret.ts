/*
 *   the resource's Secret ──data──────┐
 *   the class: claimSecret ──shape────┼──▶ copyFor ──▶ the claim's Secret, which is compared and written as a whole
 *   the claim: its own ──────shape────┘
 */

import difference from 'lodash/difference.js';
import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import { advice } from '../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import { firstNames } from '../apis/core/v1alpha1/printable.ts';
import {
  controllerOf,
  controllerReference,
  describeReference,
  isControlledBy,
} from '../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../apis/core/v1alpha1/secret.ts';
import {
  annotationsWithoutSource,
  controlOf,
  copiedFor,
  insteadOf,
  isCopiedFor,
  propagatesFrom,
  propagationSource,
  secretKeyOf,
} from '../apis/core/v1alpha1/secret.ts';
import type { Shape } from './secret-shape.ts';
import { contentOf, shapeOf } from './secret-shape.ts';
import type { Shaped } from './secret-shape-record.ts';
import { recordOf, retainedIn, shapedIn, withoutShaped } from './secret-shape-record.ts';

/** The Secret of a claim's resource. Or its entry in a secret store, which has no metadata. */
export type CopySource = Pick<Secret, 'data'> & Partial<Pick<Secret, 'metadata'>>;

const keyOf = ({ metadata }: CopySource): SecretKey | undefined =>
  metadata && { namespace: metadata.namespace ?? '', name: metadata.name };

/** A claim's Secret (`target`), and the objects that determine what is in it. */
export interface CopyFacts {
  readonly target: Secret;
  readonly source: CopySource;
  readonly claim: Claim;
  /** The class of the claim. Undefined if it names none, or if that does not exist. */
  readonly resourceClass: Class | undefined;
}

/** A claim's Secret as it should be. */
export interface Copy {
  readonly secret: Secret;
  /** The parts of its shape that the Secret lacks, with the reason and the advice. Undefined: none. */
  readonly incomplete: string | undefined;
  /** Whether it has the connection details, and not only entries of a template. */
  readonly hasDetails: boolean;
}

/**
 * The claim's Secret with the data of its source in the shape of claim and class, annotations that name source and claim,
 * and the claim as controller. Pure.
 */
export function copyFor({ target, source, claim, resourceClass }: CopyFacts): Copy {
  const retained = retainedIn(target, claim, resourceClass);
  const removed = retained === undefined ? shapedIn(target) : undefined;
  const shape = shapeOf(claim, resourceClass, retained);
  const content = contentOf(source, shape, resourceClass);
  const { labels: present, ownerReferences = [] } = target.metadata;
  const labels = { ...withoutShaped(present, removed?.labels), ...content.labels };
  const key = keyOf(source);
  const isNew = !isControlledBy(target, claim);
  const others = ownerReferences.filter(({ controller }) => controller !== true);
  const staying = stayingEntries(target, shape, retained);
  const secret: Secret = {
    ...target,
    metadata: {
      ...target.metadata,
      ...((present !== undefined || !isEmpty(labels)) && { labels }),
      annotations: {
        ...withoutShaped(annotationsWithoutSource(target), removed?.annotations),
        ...content.annotations,
        ...recordOf({ ...shape, labels: content.labels, annotations: content.annotations }, retained),
        ...(key && propagatesFrom(key)),
        ...(isNew && copiedFor(claim)),
      },
      ownerReferences: [...others, controllerReference(claim)],
    },
    data: { ...content.data, ...staying },
  };
  return {
    secret,
    incomplete: content.incomplete ?? whyNotRendered(claim, Object.keys(staying)),
    hasDetails: !shape.only,
  };
}

/** The entries whose template was in a class that does not exist any more. They stay as they are, and may be out of date. */
function stayingEntries({ data = {} }: Secret, { own }: Shape, retained: Shaped | undefined) {
  const keys = difference(retained?.entries ?? [], Object.keys(own.template ?? {}));
  return Object.fromEntries(Object.entries(data).filter(([key]) => keys.includes(key)));
}

function whyNotRendered({ spec }: Claim, entries: readonly string[]): string | undefined {
  if (entries.length === 0) return undefined;
  const named = firstNames(entries.toSorted(compareNames), 3).join(', ');
  return `${describeReference(spec.classRef ?? {})} does not exist, and the entries from its template stay as they are, also with a former password: ${named}; ${advice.createClassAgain}`;
}

/** Whether the claim's Secret is as it should be. */
export const isCopy = (target: Secret, { secret }: Pick<Copy, 'secret'>): boolean =>
  isEqual(secret, { ...target, data: target.data ?? {} });

/** Why the Secret that a claim names cannot become a copy, and what to do; undefined if it can. */
export function whyNotCopied(facts: CopyFacts, copy: Copy): string | undefined {
  const { target, claim } = facts;
  const control = controlOf(target, claim);
  const { namespace, name } = secretKeyOf(target);
  const refusal = typeof control === 'object' ? control.refusal : whyNotTaken(facts, copy);
  if (refusal !== undefined)
    return `${refusal} (${namespace}/${name}); ${insteadOf(target, 'spec.writeConnectionSecretToRef')}`;
  return isFrozen(target, copy)
    ? `secret ${namespace}/${name} is immutable and differs from the connection secret of the resource; ${advice.deleteFrozenCopy}`
    : undefined;
}

/**
 * Why the claim's Secret may not be overwritten; undefined if it may be. A Secret that no object controls is
 * overwritten only if it is a copy of `source`, was copied for this claim, or has no data that `source` and the copy lack.
 * Otherwise a user or a restore created it, and its data may exist nowhere else.
 */
function whyNotTaken({ target, source, claim }: CopyFacts, { secret }: Copy): string | undefined {
  const key = keyOf(source);
  // guard: otherwise the details of a store replace a Secret of a user
  const isCopyOfIt = key !== undefined && isEqual(propagationSource(target), key);
  const isOurs = controllerOf(target) !== undefined || isCopyOfIt || isCopiedFor(target, claim);
  if (isOurs || isMatch({ ...source.data, ...secret.data }, target.data ?? {})) return undefined;
  return 'a secret with other data exists that these controllers did not write';
}

/** Whether the claim's Secret is immutable and has other data than it should: the API server would reject the copy. */
export const isFrozen = (target: Secret, { secret }: Copy): boolean =>
  target.immutable === true && !isEqual(target.data ?? {}, secret.data);
