import { hash } from 'node:crypto';
import isEqual from 'lodash/isEqual.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import mapValues from 'lodash/mapValues.js';
import omit from 'lodash/omit.js';
import pickBy from 'lodash/pickBy.js';
import range from 'lodash/range.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails, ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { wasTakenAway } from '../claim-marks.ts';
import { absentAmong, present, secretsAmong } from '../connection/published-details.ts';

/**
 * The credentials that a claim was told last, by their keys: a digest of each, or several in a row, where another was about
 * to be published and nobody knows whether it was. It is in the status of its managed resource, since what the secrets hold
 * is for others to edit (docs/decisions/0053).
 */
export type ToldCredentials = Readonly<Record<string, string>>;

/**
 * How what the external system tells compares with what a claim was told.
 * - `none`: it was told none.
 * - `others`: one of them is another by now.
 * - `former`: they are still so.
 * - `open`: there are none, which lets everybody in, with whatever he was told.
 * - `untold`: the external system does not tell.
 */
export type Standing = 'none' | 'others' | 'former' | 'open' | 'untold';

/** Too short to find a password by, long enough to tell that it is another: one of 4,096 goes unnoticed. */
const digestLength = 2;
const digestOf = ({ metadata: { name } }: Managed, key: string, value: string): string =>
  hash('sha256', `${name}/${key}=${value}`, 'base64url').slice(0, digestLength);

const isAmong = (digests: string, digest: string): boolean =>
  range(0, digests.length, digestLength).some((at) => digests.startsWith(digest, at));

/** A record that says this, too. */
const withNews = (record: ToldCredentials, news: ToldCredentials): ToldCredentials => ({
  ...record,
  ...mapValues(news, (digest, key) => {
    const told = record[key] ?? '';
    return isAmong(told, digest) ? told : told + digest;
  }),
});

/** Digests of the secrets among these; a URI follows from the others. */
const digestsOf = (managed: Managed, details: ConnectionDetails): ToldCredentials =>
  mapValues(omit(secretsAmong(details), 'uri'), (value, key) => digestOf(managed, key, value));

/** What is on record; undefined: nothing that can be read. */
function onRecord({ status }: Managed): ToldCredentials | undefined {
  try {
    const record: unknown = JSON.parse(status?.toldCredentials ?? '');
    const isOurs = isPlainObject(record) && Object.values(record as object).every(isString);
    return isOurs ? (record as ToldCredentials) : undefined;
  } catch {
    return undefined;
  }
}

/** What a claim was told last; where nothing is on record, what had been published. */
const lastTold = ({ current, before }: KnownCredentials): ToldCredentials =>
  onRecord(current) ?? digestsOf(current, before?.details ?? {});

/** Whether a claim had it, or may have: what that was told stays on record until it is somebody else's. */
const isFormers = (managed: Managed): boolean =>
  managed.status?.bindingPhase === 'Released' || wasTakenAway(managed);

/** What a run knows of the credentials of its managed resource. */
export interface KnownCredentials {
  readonly current: Managed;
  /** Those that are to be published. */
  readonly known: ConnectionDetails;
  /** Keys of those that there are none of any more. */
  readonly absent: readonly string[];
  /** What the run has published last. */
  readonly published?: ConnectionDetails;
  /** What had been published when it began. */
  readonly before?: { readonly details: ConnectionDetails };
  /** What the last look told. */
  readonly seen?: { readonly details?: ReportedDetails } | undefined;
}

/**
 * What the former claim was told. Where nothing is on record, that is what was published, and whatever there is: of what
 * there is none of, nobody knows whether there was.
 */
function toldTo({ current, before, seen }: KnownCredentials): ToldCredentials {
  const reported = seen?.details ?? {};
  const gone = Object.fromEntries(absentAmong(reported).map((key) => [key, '']));
  return (
    onRecord(current) ?? {
      ...omit(secretsAmong(gone), 'uri'),
      ...digestsOf(current, { ...present(reported), ...before?.details }),
    }
  );
}

/** How what the last look told compares with what the former claim of the managed resource was told. */
export function standingOf(run: KnownCredentials): Standing {
  const { current, seen } = run;
  const told = Object.entries(toldTo(run));
  if (told.length === 0) return 'none';
  const found = told.flatMap(([key, digests]): readonly Standing[] => {
    const value = seen?.details?.[key];
    if (value === undefined) return [];
    if (value === null) return ['open'];
    return [isAmong(digests, digestOf(current, key, value)) ? 'former' : 'others'];
  });
  return (['others', 'former', 'open'] as const).find((each) => found.includes(each)) ?? 'untold';
}

/**
 * What the status is to say of what claims are told: JSON; undefined: as before. What a former claim was told stays, unless
 * the resource is somebody else's from now on (`isTakenUp`). What a claim was told that there is none of by now, it has been
 * told all the same, and what could not be published it may have been told.
 */
export function toldCredentials(run: KnownCredentials, isTakenUp: boolean): string | undefined {
  const { current, known, absent, published = {}, before } = run;
  const record = onRecord(current);
  if (before === undefined || (record === undefined && !wantsDetails(current))) return undefined;
  if (isFormers(current) && !isTakenUp) return record ? undefined : encoded(toldTo(run));
  const formerly = lastTold(run);
  const kept = current.spec.claimRef ? formerly : omit(formerly, absent);
  const told = { ...(isTakenUp ? {} : kept), ...digestsOf(current, published) };
  return encoded(withNews(told, digestsOf(current, known)));
}

/**
 * What the status has to say before what a look has told a run (`known`) is published, since a claim may be told at once, and
 * be gone before the run ends: what was told before, and this. Undefined: it says so, or there is nothing new. What is set
 * from here, which a look may echo, is published first of all, and set anew before it is somebody else's.
 */
export function aboutToBeTold(run: KnownCredentials, known: ConnectionDetails): string | undefined {
  const { current, before, seen } = run;
  if (current.status?.bindingPhase === undefined || isFormers(current)) return undefined;
  const news = pickBy(known, (value, key) => {
    const wasKnown = [run.known[key], before?.details[key]].includes(value);
    return value === seen?.details?.[key] && !wasKnown;
  });
  const record = lastTold(run);
  const told = withNews(record, digestsOf(current, news));
  return isEqual(told, record) ? undefined : encoded(told);
}

const encoded = (told: ToldCredentials): string =>
  JSON.stringify(Object.fromEntries(Object.entries(told).toSorted(([a], [b]) => (a < b ? -1 : 1))));
