/* Reads and writes the place of the connection details: the Secret of the resource, or its entry in the secret store. */

import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { notReady } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails, ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { present, secretsAmong } from '../../../apis/core/v1alpha1/secret.ts';
import { containsSecret } from '../../../clients/without-secrets.ts';
import { changedSinceRead, isConflict } from '../../../runtime/client/errors.ts';
import type { ConnectionEntry } from '../../connection/connection-place.ts';
import { withReported } from '../../connection/connection-place.ts';
import type { StoredCredential } from '../../credential.ts';
import { credentialOf, generateCredential, holdsSecrets, isUnwanted, newNoteKey } from '../../credential.ts';
import { conditionErrorOf, reasonOfError } from '../../error-class.ts';
import type { QuietAct } from '../../log-changes.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { mayChange, onlyObserves } from '../../management-policies.ts';
import type { FailureFacts } from '../../step-failure.ts';
import { failing, StepFailure } from '../../step-failure.ts';
import type { Run } from './context.ts';
import { claimOfNewNote } from './decide-credential.ts';
import type { CredentialWrite } from './decision.ts';
import type { Facts } from './facts.ts';
import { clientOf } from './facts.ts';
import { cannot } from './failures.ts';
import { write, writeStatus } from './write.ts';

const maxAttempts = 5;

export const readPlace = ({ places, signal }: Run, facts: Facts): Promise<Facts> =>
  withEntry(facts, places.read(facts.managed, signal));

/** Makes a write of decide-credential.ts. */
export async function writeCredential(run: Run, facts: Facts, call: CredentialWrite): Promise<Facts> {
  if (call.act === 'update') return write(run, facts, call.desired);
  if (call.act === 'updateStatus') return writeStatus(run, facts, call.desired);
  const { managed, kind, did, place } = facts;
  const details = place.entry?.details ?? {};
  const note = { key: place.entry?.note?.key ?? newNoteKey(run.randomBytes), ...call.note };
  if (call.act === 'annotate')
    return withEntry(facts, writeEntry(run, managed, place.entry, { details, note }));
  const credential = credentialOf(managed, kind.secretDetails);
  if (credential === undefined) return facts;
  if (kind.isObserveOnly)
    return withEntry(facts, Promise.reject(onlyObserves('generate another credential for')));
  logQuietAct(run.log, did.decision as QuietAct, { ...aboutManaged(managed), decision: did.decision });
  const value = generateCredential(credential, run.randomBytes);
  // The details that contain it, such as a URI, are written with it.
  const planned = await failing('', plannedDetails(facts, value), cannot.publish);
  const generated = { ...withReported(details, planned), [credential.key]: value };
  return withEntry(facts, writeEntry(run, managed, place.entry, { details: generated, note }));
}

/** The details that are known before the creation. Without a name there are none. */
async function plannedDetails(facts: Facts, value: string): Promise<ReportedDetails> {
  const { kind, managed } = facts;
  if (kind.identity.isAssigned && externalName(managed) === undefined) return {};
  return clientOf(facts).plannedDetails?.(managed, { value, isApplied: false }) ?? {};
}

/**
 * Writes the reported details into the Secret and the secret store if they differ. Some details are reported only once,
 * so the write is retried after a conflict, unless the credential has changed. A failure is in the returned facts.
 */
export async function publish(run: Run, facts: Facts): Promise<Facts> {
  const { managed, place, did } = facts;
  if (!wantsDetails(managed) || (place.accessFailure !== undefined && place.entry === undefined))
    return facts;
  const published = await withEntry(facts, writeDetails(run, facts));
  const { entry } = published.place;
  if (entry === undefined) return published;
  if (!isEqual(entry.details, place.entry?.details ?? {})) {
    const keys = Object.keys(entry.details).toSorted();
    const about = { ...aboutManaged(managed), decision: did.decision, keys };
    logQuietAct(run.log, 'PublishedConnectionDetails', about);
  }
  const copying = run.places.copy(managed, entry, run.signal).then(() => published);
  return followUp(published, copying, cannot.publish);
}

/** The facts with the entry that a promise reads or writes. If it fails, the run continues without the credential. */
async function withEntry(facts: Facts, doing: Promise<ConnectionEntry | undefined>): Promise<Facts> {
  try {
    const entry = await doing;
    return entry === undefined ? facts : { ...facts, place: { ...facts.place, entry } };
  } catch (error) {
    const reason = reasonOfError(conditionErrorOf(error, undefined)) ?? 'Unavailable';
    const ready = (message: string) => notReady(reason, message);
    const accessFailure = failureOf(error, { ...cannot.publish, ready });
    return { ...facts, place: { ...facts.place, accessFailure } };
  }
}

/** Awaits a step after the write of the Secret, such as its copy to a store. If the step fails, the run continues. */
export async function followUp(facts: Facts, doing: Promise<Facts>, failure: FailureFacts): Promise<Facts> {
  try {
    return await doing;
  } catch (error) {
    return { ...facts, place: { ...facts.place, followUpFailure: failureOf(error, failure) } };
  }
}

const writeEntry = (
  { places, signal }: Run,
  managed: Managed,
  entry: ConnectionEntry | undefined,
  desired: StoredCredential,
): Promise<ConnectionEntry> =>
  entry === undefined ? places.create(managed, desired, signal) : entry.write(managed, desired, signal);

async function writeDetails(run: Run, facts: Facts): Promise<ConnectionEntry> {
  const { managed, place } = facts;
  let { entry } = place;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeEntry(run, managed, entry, desiredEntry(run, facts, entry));
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
      const now = await run.places.read(managed, run.signal);
      if (!isSameCredential(facts, now)) throw changedSinceRead();
      entry = now;
    }
  }
}

function desiredEntry(
  { secretDetails, randomBytes }: Run,
  { managed, reported }: Facts,
  entry: ConnectionEntry | undefined,
): StoredCredential {
  const key = secretDetails.credential?.key ?? '';
  const before = entry?.details ?? {};
  const isRemoved = isUnwanted(managed, secretDetails);
  // A resource that sets no credential publishes no entry with one. Under Observe a person writes these entries.
  const withheld =
    isRemoved || !mayChange(managed.spec)
      ? [key, ...keysContaining({ ...before, ...present(reported.details) }, before[key])]
      : [key];
  const removed = isRemoved ? Object.fromEntries(withheld.map((each) => [each, null])) : {};
  const details = withReported(before, { ...omit(reported.details, withheld), ...removed });
  const note = isRemoved ? undefined : entry?.note;
  const isNoteNeeded = note === undefined && holdsSecrets(managed, { details, note }, secretDetails);
  if (!isNoteNeeded) return { details, note };
  const claim = claimOfNewNote(managed, secretDetails);
  return { details, note: { key: newNoteKey(randomBytes), ...(claim && { for: claim }) } };
}

/** The keys of the secret details that contain a secret, such as `uri`. Empty without a secret. */
const keysContaining = (details: ConnectionDetails, secret: string | undefined): readonly string[] =>
  secret === undefined
    ? []
    : Object.entries(secretsAmong(details)).flatMap(([key, value]) =>
        containsSecret(value, secret) ? [key] : [],
      );

function isSameCredential(
  { kind, managed, place: { entry } }: Facts,
  now: ConnectionEntry | undefined,
): boolean {
  const { key = '' } = credentialOf(managed, kind.secretDetails) ?? {};
  return isEqual(now?.note, entry?.note) && now?.details[key] === entry?.details[key];
}

/** The failure for the report of the run. Throws a failure that must not be reported, such as a conflict. */
function failureOf(error: unknown, facts: FailureFacts): StepFailure {
  const failure = new StepFailure('', error, facts);
  if (failure.isSilent) throw failure;
  return failure;
}
