import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { notReady } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { present, secretsAmong } from '../../../apis/core/v1alpha1/secret.ts';
import { containsSecret } from '../../../clients/without-secrets.ts';
import { changedSinceRead, isConflict } from '../../../runtime/client/errors.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { ConnectionEntry } from '../../connection/connection-place.ts';
import { withReported } from '../../connection/connection-place.ts';
import type { StoredCredential } from '../../credential.ts';
import { credentialOf, holdsSecrets, isUnwanted, newNoteKey } from '../../credential.ts';
import { conditionErrorOf, reasonOfError } from '../../error-class.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { mayChange } from '../../management-policies.ts';
import type { FailureFacts } from '../../step-failure.ts';
import { StepFailure } from '../../step-failure.ts';
import type { RunContext } from './context.ts';
import { claimOfNewNote } from './decide-credential.ts';
import type { Facts } from './facts.ts';
import { cannot } from './failures.ts';

const maxAttempts = 5;

/** Reads and writes the place of the connection details: the Secret of the resource, or its entry in the secret store. */
export function publishing(
  { places, randomBytes }: RunContext,
  signal: AbortSignal,
  log: Pick<Logger, 'info'>,
) {
  return { publish, withEntry, followUp, writeEntry };

  /**
   * Writes the reported details into the Secret and the secret store if they differ. Some details are reported only once,
   * so the write is retried after a conflict, unless the credential has changed. A failure is in the returned facts.
   */
  async function publish(facts: Facts): Promise<Facts> {
    const { managed, place, did } = facts;
    if (!wantsDetails(managed) || (place.accessFailure !== undefined && place.entry === undefined))
      return facts;
    const published = await withEntry(facts, writeDetails(facts));
    const { entry } = published.place;
    if (entry === undefined) return published;
    if (!isEqual(entry.details, place.entry?.details ?? {})) {
      const about = { ...aboutManaged(managed), decision: did.decision };
      logQuietAct(log, 'PublishedConnectionDetails', {
        ...about,
        keys: Object.keys(entry.details).toSorted(),
      });
    }
    const copying = places.copy(managed, entry, signal).then(() => published);
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
  async function followUp(facts: Facts, doing: Promise<Facts>, failure: FailureFacts): Promise<Facts> {
    try {
      return await doing;
    } catch (error) {
      return { ...facts, place: { ...facts.place, followUpFailure: failureOf(error, failure) } };
    }
  }

  function writeEntry(managed: Managed, entry: ConnectionEntry | undefined, desired: StoredCredential) {
    return entry === undefined
      ? places.create(managed, desired, signal)
      : entry.write(managed, desired, signal);
  }

  async function writeDetails(facts: Facts): Promise<ConnectionEntry> {
    const { managed, place } = facts;
    let { entry } = place;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await writeEntry(managed, entry, desiredEntry(facts, entry));
      } catch (error) {
        if (!isConflict(error) || attempt === maxAttempts) throw error;
        const now = await places.read(managed, signal);
        if (!isSameCredential(facts, now)) throw changedSinceRead();
        entry = now;
      }
    }
  }

  function desiredEntry(
    { kind: { secretDetails }, managed, reported }: Facts,
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
