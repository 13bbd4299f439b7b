import { hash } from 'node:crypto';
import mapValues from 'lodash/mapValues.js';
import pickBy from 'lodash/pickBy.js';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';

/** A Secret without its values: what can be said about it, and nothing that opens anything. */
export interface HiddenSecret {
  /** In `data`, digests take the place of values, so that two Secrets can be compared. Only our annotations remain. */
  readonly secret: Secret;
  readonly keys: readonly string[];
  /** The keys whose values are empty. */
  readonly emptyKeys: readonly string[];
}

/** The annotations that say from where and to where a Secret is copied. They hold names only. */
const isOfCopies = (_value: string, key: string): boolean =>
  /^(to|from)\.propagate\.crossplane\.io\//.test(key);

/**
 * Hides the values of a Secret where it is read, so that nothing behind can show them. `kubectl apply` leaves the whole
 * manifest in an annotation, and our note about the credential holds the key of an HMAC.
 */
export function hidden(secret: Secret): HiddenSecret {
  const { apiVersion, kind, metadata, type, immutable, data = {} } = secret;
  const keys = Object.keys(data).toSorted(compareNames);
  return {
    secret: {
      ...{ apiVersion, kind },
      metadata: { ...metadata, annotations: pickBy(metadata.annotations, isOfCopies) },
      ...(type !== undefined && { type }),
      ...(immutable !== undefined && { immutable }),
      data: mapValues(data, (value, key) => hash('sha256', `${key}=${value}`, 'hex')),
    },
    keys,
    emptyKeys: keys.filter((key) => data[key] === ''),
  };
}
