import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import uniq from 'lodash/uniq.js';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { shapeOf } from '../../controllers/secret-shape.ts';
import { retainedIn } from '../../controllers/secret-shape-record.ts';
import type { FoundSecret } from './findings.ts';
import { thereOf } from './findings.ts';
import type { View } from './view.ts';

/** The claim's Secret beside the Secret of its resource. */
export interface ComparedCopy {
  /**
   * Whether the two have the same connection details. A template can leave all of them out. Undefined if the resource has no
   * Secret that may be read, for example because it publishes to a secret store alone.
   */
  readonly isSame: boolean | undefined;
  /** The keys of the entries that are rendered from a template. They cannot be compared without values. */
  readonly rendered: readonly string[];
}

/** Compares the digests of the two. Undefined if the claim's Secret does not exist, or may not be read. */
export function comparedCopy({ target, source, theClaim, theClass }: View): ComparedCopy | undefined {
  const [from, to] = [dataOf(source), dataOf(target)];
  if (to === undefined) return undefined;
  const written = target && thereOf(target.secret)?.secret;
  const retained = written && theClaim && retainedIn(written, theClaim, theClass);
  const shape = theClaim && shapeOf(theClaim, theClass, retained);
  const keys = [...Object.keys(shape?.template ?? {}), ...(retained?.entries ?? [])];
  const rendered = uniq(keys).toSorted(compareNames);
  const isSame = shape?.only === true || isEqual(omit(from, rendered), omit(to, rendered));
  return { rendered, isSame: from === undefined ? undefined : isSame };
}

const dataOf = (found: FoundSecret | undefined) => found && thereOf(found.secret)?.secret.data;
