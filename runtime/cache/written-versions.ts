import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';

/** Identifies a version of an object among those of all kinds. */
export const versionKey = ({ metadata: { uid = '', resourceVersion = '' } }: KubernetesObject): string =>
  `${uid}/${resourceVersion}`;

/** The versions that each run wrote. A run passes its signal to all its writes, so the signal stands for the run. */
const versions = new WeakMap<AbortSignal, Set<string>>();
const none: ReadonlySet<string> = new Set();

/** Notes the API server's answer to a write that was made with this signal. */
export function noteWritten(signal: AbortSignal | undefined, answer: KubernetesObject): void {
  if (signal === undefined) return;
  const written = versions.get(signal) ?? new Set();
  versions.set(signal, written.add(versionKey(answer)));
}

/** The versions that were written with this signal, each as its {@link versionKey}. */
export const versionsWrittenWith = (signal: AbortSignal): ReadonlySet<string> => versions.get(signal) ?? none;
