import { hash } from 'node:crypto';
import isEmpty from 'lodash/isEmpty.js';
import isMatch from 'lodash/isMatch.js';
import isString from 'lodash/isString.js';
import mapValues from 'lodash/mapValues.js';
import omit from 'lodash/omit.js';
import omitBy from 'lodash/omitBy.js';
import pick from 'lodash/pick.js';
import pickBy from 'lodash/pickBy.js';
import type { ConnectionDetails, ReportedDetails, Secret } from '../../../apis/core/v1alpha1/secret.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/**
 * On what holds connection details: by key, a digest of each as it was published; null for what was removed since, so that
 * what somebody puts there afterwards is his.
 */
export const publishedDetails = 'crossplane.io/published-details';

/** On what holds connection details: of which revision they are. */
export const publishedRevision = 'crossplane.io/published-revision';

/** Without what tells of published details, which nobody else is to say. */
export const withoutWord = (annotations: Annotations): Readonly<Record<string, string>> =>
  omit(annotations, publishedDetails, publishedRevision);

/** Connection details, as one place or all of them hold them. */
export interface Published {
  readonly details: ConnectionDetails;
  /**
   * Counted from 1 with each change of the secrets among the details of a managed resource, and each removal of a detail;
   * 0: nobody has counted. A place that was left out when they changed, because the resource published elsewhere, has a
   * lower one than its status.
   */
  readonly revision: number;
  /** Keys of which there is something that is not to be believed. */
  readonly lost?: readonly string[];
  /** Keys that were removed there. */
  readonly removed?: readonly string[];
}

/** What had been published when a run over a managed resource began. */
export interface PublishedBefore extends Published {
  /** It is to be replaced; but not what another process has replaced it with since. */
  readonly givesWay?: boolean;
  /** Nobody knows what there was: whatever is there is replaced. */
  readonly isUnknown?: boolean;
  /** How many more may have been published by processes that told nobody, elsewhere: what comes next is counted past them. */
  readonly untold?: number;
  /** What the run itself has published since. */
  readonly ours?: ConnectionDetails;
}

export const nothingPublished: Published = { details: {}, revision: 0 };

/** Nobody knows what there was before. */
export const whateverPublished: PublishedBefore = { ...nothingPublished, givesWay: true, isUnknown: true };

/**
 * Details that anybody may read; all others are taken for secrets. What a message says of them stays in it, and a change of
 * them is no change of credentials.
 */
const publicKeys = [
  ...['endpoint', 'host', 'port', 'username', 'database', 'type', 'provider'],
  // Whom to trust, and whether to.
  ...['clusterCA', 'certificates', 'sslmode'],
  // What a topic of Pub/Sub is found by.
  ...['topic', 'projectName'],
];

export const secretsAmong = (details: ConnectionDetails): ConnectionDetails => omit(details, publicKeys);

/** Those that there are. */
export const present = (details: ReportedDetails): ConnectionDetails => pickBy(details, isString);

/** The keys of those that there are none of any more. */
export const absentAmong = (details: ReportedDetails): readonly string[] =>
  Object.keys(details).filter((key) => details[key] === null);

/** Nobody gets there but by an edit: from there on a revision tells nothing, and nothing is renewed for it. */
const lastRevision = 999_999_999;

/** The revision of these details. */
export function revisionOf(details: ReportedDetails, before: PublishedBefore): number {
  const isKnown = isMatch(before.details, secretsAmong(present(details)));
  const isSame = isKnown && removals(details, before).length === 0;
  return isSame ? before.revision : nextRevision(before.revision + (before.untold ?? 0));
}

/** The keys of what there was before, whatever it was worth, and is none of any more. */
export const removals = (
  details: ReportedDetails,
  { details: before, lost = [] }: Published,
): readonly string[] =>
  absentAmong(details).filter((key) => Object.hasOwn(before, key) || lost.includes(key));

/** The one after it. */
export const nextRevision = (revision: number): number => Math.min(revision + 1, lastRevision);

/** What is no revision is as good as nothing. */
export function revisionIn(annotations: Annotations): number {
  const text = annotations?.[publishedRevision] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Short, since a store may limit what its annotations hold. It tells an edit; it need not withstand a forger. */
const digestOf = (key: string, value: string): string =>
  hash('sha256', `${key}=${value}`, 'base64url').slice(0, 10);

/** What somebody else wrote into the annotation is as good as nothing. */
function digestsIn(annotations: Annotations): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(annotations?.[publishedDetails] ?? '{}') };
  } catch {
    return {};
  }
}

/**
 * Those details that are as they were published, or that were there before anything was. One that somebody edited counts as
 * lost: most external systems tell no password, so that nobody could see that the edited one does not work. So does one of
 * which there is no word where there is a revision: each of ours has its digest there, unless somebody took it away.
 */
export function withoutEdited(details: ConnectionDetails, annotations: Annotations): ConnectionDetails {
  const digests = digestsIn(annotations);
  const isCounted = revisionIn(annotations) > 0;
  return omitBy(details, (value, key) =>
    Object.hasOwn(digests, key) ? digests[key] !== digestOf(key, value) : isCounted,
  );
}

/**
 * What a secret holds of what was published in it, and what it tells of that, to be compared; all that it holds where it
 * tells of nothing. Keys that somebody adds beside are his.
 */
export function publicationIn({ metadata: { annotations }, data }: Secret): unknown {
  const keys = Object.keys(digestsIn(annotations));
  return keys.length === 0
    ? data
    : [annotations?.[publishedDetails], annotations?.[publishedRevision], pick(data, keys)];
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
    [publishedRevision]: String(nextRevision(revisionIn(annotations))),
  };
}

/** A place that holds details. */
export interface Place {
  readonly data: ConnectionDetails;
  readonly annotations: Annotations;
  /** What of the data may be taken for what was published there. */
  readonly published: ConnectionDetails;
}

/** What a place tells of what was published there. */
export function publishedAt({ data, annotations, published }: Place): Published {
  const digests = digestsIn(annotations);
  const removed = Object.keys(digests).filter((key) => digests[key] === null);
  const lost = Object.keys(data).filter((key) => published[key] === undefined && !removed.includes(key));
  return {
    details: published,
    revision: revisionIn(annotations),
    ...(lost.length > 0 && { lost }),
    ...(removed.length > 0 && { removed }),
  };
}

/** What a place of an older revision holds is lost, whatever it says. */
export const isOutdated = (annotations: Annotations, { revision }: Published): boolean =>
  revisionIn(annotations) < revision;

/** Whether somebody has published at a place, or disowned what is there, since it was of that revision. */
export const isRevisedSince = (annotations: Annotations, revision: number): boolean =>
  revisionIn(annotations) > revision;

/** What publishing details at a place changes. */
export interface Publication {
  /** What is written of them. */
  readonly news: ConnectionDetails;
  /** The keys of what is removed. */
  readonly removed: readonly string[];
  /** What is to be told of the data from then on. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * What publishing details at a place changes: its data, and the annotations that tell of them. What is as it was `before`
 * replaces nothing that somebody has written since, and does not bring back what was removed since. What is removed there
 * already is removed no more: if there is something of that key, somebody has put it there since.
 */
export function publication(
  { data, annotations, published }: Place,
  details: ReportedDetails,
  before: PublishedBefore,
): Publication {
  const isOld = isOutdated(annotations, before);
  const former = digestsIn(annotations);
  const wanted = present(details);
  const isRevised = isRevisedSince(annotations, before.revision);
  const isGoneSince = (key: string): boolean => former[key] === null && isRevised;
  const news = omitBy(wanted, (value, key) => {
    const isThere = published[key] !== undefined || isGoneSince(key);
    const isKept = !before.givesWay && !isOld && before.details[key] === value && isThere;
    return data[key] === value || isKept;
  });
  const revision = Math.max(revisionIn(annotations), revisionOf(details, before));
  // There already, and not believed until now: without a word of it each run would take it for another revision. Nor is
  // one of which there is no word, once there is a revision. What was disowned since the run began stays so.
  const isDisownedSince = !before.isUnknown && isRevised;
  const isUntold = (key: string): boolean => revision > 0 && !Object.hasOwn(former, key);
  const believed = pickBy(
    isDisownedSince ? {} : wanted,
    (value, key) =>
      data[key] === value && (published[key] === undefined || isUntold(key)) && !isGoneSince(key),
  );
  const absent = absentAmong(details);
  const removed = absent.filter((key) => Object.hasOwn(data, key) && former[key] !== null);
  const lost = isOld
    ? mapValues(
        omitBy(data, (_, key) => former[key] === null),
        () => '',
      )
    : {};
  const isWritten = !isEmpty(news) || removed.length > 0;
  const digests = {
    ...lost,
    ...mapValues(isOld ? wanted : { ...believed, ...news }, (value, key) => digestOf(key, value)),
    ...(isWritten && Object.fromEntries(absent.map((key) => [key, null]))),
  };
  return {
    news,
    removed,
    annotations: {
      ...(!isEmpty(digests) && { [publishedDetails]: JSON.stringify({ ...former, ...digests }) }),
      ...(revision > 0 && { [publishedRevision]: String(revision) }),
    },
  };
}
