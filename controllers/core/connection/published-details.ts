import { createHash } from 'node:crypto';
import omitBy from 'lodash/omitBy.js';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/** On what holds connection details: a digest of each as it was published, by key. */
export const publishedDetails = 'crossplane.io/published-details';

/** Short, since a store may limit what its annotations hold. It tells an edit; it need not withstand a forger. */
const digestOf = (key: string, value: string): string =>
  createHash('sha256').update(`${key}=${value}`).digest('base64url').slice(0, 10);

/** What somebody else wrote into the annotation is as good as nothing. */
function digestsIn(annotations: Annotations): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(annotations?.[publishedDetails] ?? '{}') };
  } catch {
    return {};
  }
}

/**
 * Those details that are as they were published, or were never ours. One that somebody edited counts as lost: most
 * external systems tell no password, so that nobody could see that the edited one does not work.
 */
export function withoutEdited(details: ConnectionDetails, annotations: Annotations): ConnectionDetails {
  const digests = digestsIn(annotations);
  return omitBy(
    details,
    (value, key) => Object.hasOwn(digests, key) && digests[key] !== digestOf(key, value),
  );
}

/** The annotation once `news` are published. */
export function publishedAnnotation(
  annotations: Annotations,
  news: ConnectionDetails,
): Readonly<Record<string, string>> {
  const digests = Object.fromEntries(Object.entries(news).map(([key, value]) => [key, digestOf(key, value)]));
  if (Object.keys(digests).length === 0) return {};
  return { [publishedDetails]: JSON.stringify({ ...digestsIn(annotations), ...digests }) };
}
