import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';

/** The resourceVersion of an object; '' if it was never written. */
export const versionOf = ({ metadata: { resourceVersion = '' } }: KubernetesObject): string =>
  resourceVersion;

/**
 * Orders two resourceVersions of one kind: negative, 0 or positive. They are decimal numbers of up to 64 bits without
 * leading zeros, so the longer one is greater; '' is the least. Kubernetes guarantees the order since 1.35 (KEP-5504);
 * older versions behave the same.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Orders two versions of objects of one kind, as {@link compareResourceVersions}. */
export const compareVersionsOf = (a: KubernetesObject, b: KubernetesObject): number =>
  compareResourceVersions(versionOf(a), versionOf(b));
