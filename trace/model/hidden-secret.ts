import { hash } from 'node:crypto';
import mapValues from 'lodash/mapValues.js';
import pickBy from 'lodash/pickBy.js';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { shapedAnnotation } from '../../controllers/secret-shape-record.ts';

/** A Secret without its values. */
export interface HiddenSecret {
  /** `data` has digests instead of values, so that two Secrets can be compared. Only our annotations remain. */
  readonly secret: Secret;
  /** The keys that have a value. */
  readonly keys: readonly string[];
  /** The keys whose value has several lines, such as a certificate. */
  readonly longKeys: readonly string[];
}

/** The annotations with the source, the target and the shape of a copied Secret. They have only names and keys. */
const isOfCopies = (_value: string, key: string): boolean =>
  /^(to|from)\.propagate\.crossplane\.io\//.test(key) || key === shapedAnnotation;

/**
 * Hides the values of a Secret as soon as it is read. Annotations can have values too: `kubectl apply` writes the whole
 * manifest into one, and our note about the credential has the key of an HMAC.
 */
export function hidden(secret: Secret): HiddenSecret {
  const { apiVersion, kind, metadata, type, immutable, data = {} } = secret;
  return {
    secret: {
      apiVersion,
      kind,
      metadata: { ...metadata, annotations: pickBy(metadata.annotations, isOfCopies) },
      ...(type !== undefined && { type }),
      ...(immutable !== undefined && { immutable }),
      data: mapValues(data, (value, key) => hash('sha256', `${key}=${value}`, 'hex')),
    },
    keys: keysOf(data, (value) => value !== '').toSorted(compareNames),
    longKeys: keysOf(decodeDetails(secret), (value) => value.trim().includes('\n')),
  };
}

/** The keys whose values are wanted. */
const keysOf = (values: Readonly<Record<string, string>>, isWanted: (value: string) => boolean) =>
  Object.entries(values).flatMap(([key, value]) => (isWanted(value) ? [key] : []));
