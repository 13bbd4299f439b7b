import omit from 'lodash/omit.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret, SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import { annotationsWithoutConsent } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isNotFound } from '../../../runtime/client/errors.ts';

/**
 * These secrets no longer allow propagation to anywhere in the namespace of the claim that the managed resource
 * names. One that is gone by then allows nothing. Who was never given what they hold takes the mark of it away, too
 * (`isUnused`); else that outlives the leave.
 */
export async function withdrawConsent(
  secrets: Resource<Secret>,
  sources: readonly Secret[],
  { spec: { claimRef } }: Managed,
  signal: AbortSignal,
  { isUnused = false }: { readonly isUnused?: boolean } = {},
): Promise<void> {
  for (const source of sources) {
    const left = annotationsWithoutConsent(source, claimRef?.namespace);
    const annotations = isUnused ? omit(left, annotationKeys.handedTo) : left;
    const withdrawn = { ...source, metadata: { ...source.metadata, annotations } };
    try {
      await secrets.update(source, withdrawn, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Whether a secret is the one of that key. */
export const isOfKey = ({ metadata }: Secret, key: SecretKey | undefined): boolean =>
  metadata.namespace === key?.namespace && metadata.name === key?.name;
