import { hash } from 'node:crypto';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import mapValues from 'lodash/mapValues.js';
import omit from 'lodash/omit.js';
import pickBy from 'lodash/pickBy.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails, ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { wasTakenAway } from '../claim-marks.ts';
import { present, secretsAmong } from '../connection/published-details.ts';

/**
 * The credentials that a claim was told last, by their keys: a digest of each. It is in the status of its managed resource,
 * for whoever can edit the secrets that held them may take it for no word of that (docs/decisions/0053).
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
const digestOf = ({ metadata: { name } }: Managed, key: string, value: string): string =>
  hash('sha256', `${name}/${key}=${value}`, 'base64url').slice(0, 2);

/** Digests of the secrets among these; a URI follows from the others. */
const digestsOf = (managed: Managed, details: ConnectionDetails): ToldCredentials =>
  mapValues(omit(secretsAmong(details), 'uri'), (value, key) => digestOf(managed, key, value));

/** What is on record; undefined: nothing that can be read. */
function onRecord({ status }: Managed): ToldCredentials | undefined {
  try {
    const record: unknown = JSON.parse(status?.toldCredentials ?? '');
    return isPlainObject(record) ? pickBy(record as ToldCredentials, isString) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a claim had it, or may have: what that was told stays on record until it is somebody else's. */
const isFormers = (managed: Managed): boolean =>
  managed.status?.bindingPhase === 'Released' || wasTakenAway(managed);

/** What a run knows of the credentials of its managed resource. */
export interface KnownCredentials {
  readonly current: Managed;
  /** Those that are to be published, and keys of those that there are none of any more. */
  readonly known: ConnectionDetails;
  readonly absent: readonly string[];
  /** What had been published. */
  readonly before?: { readonly details: ConnectionDetails };
  /** What the last look told. */
  readonly seen?: { readonly details?: ReportedDetails } | undefined;
}

/** What the former claim was told. Where nothing is on record, that is what was published, and whatever there is. */
function toldTo({ current, before, seen }: KnownCredentials): ToldCredentials {
  return onRecord(current) ?? digestsOf(current, { ...present(seen?.details ?? {}), ...before?.details });
}

/** How what the last look told compares with what the former claim of the managed resource was told. */
export function standingOf(run: KnownCredentials): Standing {
  const { current, seen } = run;
  const told = Object.entries(toldTo(run));
  if (told.length === 0) return 'none';
  const found = told.flatMap(([key, digest]): readonly Standing[] => {
    const value = seen?.details?.[key];
    if (value === undefined) return [];
    if (value === null) return ['open'];
    return [digestOf(current, key, value) === digest ? 'former' : 'others'];
  });
  return (['others', 'former', 'open'] as const).find((each) => found.includes(each)) ?? 'untold';
}

/**
 * What the status is to say of what claims are told: JSON; undefined: as before. What a former claim was told stays, unless
 * the resource is somebody else's from now on (`isTakenUp`).
 */
export function toldCredentials(run: KnownCredentials, isTakenUp: boolean): string | undefined {
  const { current, known, absent, before } = run;
  const record = onRecord(current);
  if (before === undefined || (record === undefined && !wantsDetails(current))) return undefined;
  if (isFormers(current) && !isTakenUp) return record ? undefined : encoded(toldTo(run));
  const kept = isTakenUp ? {} : omit(record, absent);
  return encoded({ ...kept, ...digestsOf(current, known) });
}

const encoded = (told: ToldCredentials): string =>
  JSON.stringify(Object.fromEntries(Object.entries(told).toSorted(([a], [b]) => (a < b ? -1 : 1))));
