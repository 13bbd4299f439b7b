import { createHash } from 'node:crypto';
import isMatch from 'lodash/isMatch.js';
import mapValues from 'lodash/mapValues.js';
import omit from 'lodash/omit.js';
import omitBy from 'lodash/omitBy.js';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/** On what holds connection details: a digest of each as it was published, by key. */
export const publishedDetails = 'crossplane.io/published-details';

/** On what holds connection details: of which revision they are. */
export const publishedRevision = 'crossplane.io/published-revision';

/** Connection details, as one place or all of them hold them. */
export interface Published {
  readonly details: ConnectionDetails;
  /**
   * Counted from 1 with each change of the secrets among the details of a managed resource; 0: nobody has counted. A
   * place that was left out when they changed, because the resource published elsewhere, has a lower one than its status.
   */
  readonly revision: number;
}

/** What had been published when a run over a managed resource began. */
export interface PublishedBefore extends Published {
  /** It is to be replaced, whatever has become of it since. */
  readonly givesWay?: boolean;
}

export const nothingPublished: Published = { details: {}, revision: 0 };

/** Nobody knows what there was before. */
export const whateverPublished: PublishedBefore = { ...nothingPublished, givesWay: true };

/** Details that anybody may read; all others are taken for secrets. */
const publicKeys = ['endpoint', 'host', 'port', 'username', 'database', 'type', 'provider', 'clusterCA'];

export const secretsAmong = (details: ConnectionDetails): ConnectionDetails => omit(details, publicKeys);

/** Nobody gets there but by an edit: from there on a revision tells nothing, and nothing is renewed for it. */
const lastRevision = 999_999_999;

/** The revision of these details. */
export const revisionOf = (details: ConnectionDetails, before: Published): number =>
  isMatch(before.details, secretsAmong(details)) ? before.revision : next(before.revision);

const next = (revision: number): number => Math.min(revision + 1, lastRevision);

/** What is no revision is as good as nothing. */
export function revisionIn(annotations: Annotations): number {
  const text = annotations?.[publishedRevision] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

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

/**
 * What the annotations of a place become where nobody can tell any more whether those details of it are right: they count
 * as lost, there and, by their revision, in every other place.
 */
export function disowning(
  annotations: Annotations,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  const lost = Object.fromEntries(keys.map((key) => [key, '']));
  return {
    [publishedDetails]: JSON.stringify({ ...digestsIn(annotations), ...lost }),
    [publishedRevision]: String(next(revisionIn(annotations))),
  };
}

/** A place that holds details. */
export interface Place {
  readonly data: ConnectionDetails;
  readonly annotations: Annotations;
  /** What of the data may be taken for what was published there. */
  readonly published: ConnectionDetails;
}

/** What a place of an older revision holds is lost, whatever it says. */
export const isOutdated = (annotations: Annotations, { revision }: Published): boolean =>
  revisionIn(annotations) < revision;

/**
 * What publishing details at a place changes: its data, and the annotations that tell of them. What is as it was `before`
 * replaces nothing that somebody has written since.
 */
export function publication(
  { data, annotations, published }: Place,
  details: ConnectionDetails,
  before: PublishedBefore,
): { readonly news: ConnectionDetails; readonly annotations: Readonly<Record<string, string>> } {
  const isOld = isOutdated(annotations, before);
  const news = omitBy(details, (value, key) => {
    const isKept =
      !before.givesWay && !isOld && before.details[key] === value && published[key] !== undefined;
    return data[key] === value || isKept;
  });
  const lost = isOld ? mapValues(data, () => '') : {};
  const digests = { ...lost, ...mapValues(isOld ? details : news, (value, key) => digestOf(key, value)) };
  const revision = Math.max(revisionIn(annotations), revisionOf(details, before));
  return {
    news,
    annotations: {
      ...(Object.keys(digests).length > 0 && {
        [publishedDetails]: JSON.stringify({ ...digestsIn(annotations), ...digests }),
      }),
      ...(revision > 0 && { [publishedRevision]: String(revision) }),
    },
  };
}
