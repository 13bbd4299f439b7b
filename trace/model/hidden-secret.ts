import { hash } from 'node:crypto';
import mapValues from 'lodash/mapValues.js';
import pickBy from 'lodash/pickBy.js';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { withoutEdited } from '../../controllers/core/connection/published-details.ts';

/** A secret without its values: what can be said of it, and nothing that opens anything. */
export interface HiddenSecret {
  /** In `data`, digests take the place of values, so that two secrets can be compared. Annotations are ours alone. */
  readonly secret: Secret;
  readonly keys: readonly string[];
  /** The keys whose values are empty. */
  readonly emptyKeys: readonly string[];
  /** The keys that somebody edited since they were published. */
  readonly editedKeys: readonly string[];
}

/** `kubectl apply` leaves the whole manifest, values included, in an annotation. */
const isOurs = (_value: string, key: string): boolean =>
  /^(to\.propagate\.|from\.propagate\.)?crossplane\.io\//.test(key);

/** Hides the values of a secret at the door, so that nothing behind it can tell them. */
export function hidden(secret: Secret): HiddenSecret {
  const { apiVersion, kind, metadata, type, immutable, data = {} } = secret;
  const details = decodeDetails(secret);
  const published = withoutEdited(details, metadata.annotations);
  const keys = Object.keys(data).toSorted(compareNames);
  return {
    secret: {
      ...{ apiVersion, kind },
      metadata: { ...metadata, annotations: pickBy(metadata.annotations, isOurs) },
      ...(type !== undefined && { type }),
      ...(immutable !== undefined && { immutable }),
      data: mapValues(data, (value, key) => hash('sha256', `${key}=${value}`, 'hex')),
    },
    keys,
    emptyKeys: keys.filter((key) => details[key] === ''),
    editedKeys: keys.filter((key) => published[key] === undefined),
  };
}
