import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionEntry } from '../../connection/connection-place.ts';
import { withReported } from '../../connection/connection-place.ts';
import type { CredentialNote } from '../../credential.ts';
import {
  credentialOf,
  generateCredential,
  heldCredentialOf,
  isApplied,
  isCredentialLost,
  isGiven,
  newNoteKey,
} from '../../credential.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { onlyObserves } from '../../management-policies.ts';
import type { CredentialDecision } from './decide-credential.ts';
import { decideCredential } from './decide-credential.ts';
import type { Run } from './outcome.ts';
import type { ExternalContext } from './steps.ts';
import { inPlace, step, write, writeStatus } from './steps.ts';

/** The highest number of decisions in one run, against an endless loop. No correct sequence is that long. */
const maxDecisions = 12;

/**
 * Carries out the decisions of `decideCredential` until the Secret holds the desired credential. Returns undefined if
 * the managed resource does not exist any more.
 */
export async function keepCredential(context: ExternalContext, found: Run): Promise<Run | undefined> {
  if (wasDeleted(found.current)) return found;
  const { env, places, secretDetails, signal } = context;
  let run = await inPlace(found, places.read(found.current, signal));
  for (let round = 0; round < maxDecisions; round += 1) {
    const { current, entry, unkept } = run;
    const [isUnknown, isObserveOnly] = [unkept !== undefined, env.isObserveOnly === true];
    const input = { managed: current, kept: entry, isUnknown, isObserveOnly, secretDetails };
    const decision = decideCredential(input);
    if (decision === undefined) return withCredential(context, run);
    if (decision.act === 'report')
      return { ...withCredential(context, run), credentialProblem: decision.message };
    const next = await carryOut(context, { ...run, decision: decision.name }, decision);
    if (next === undefined) return undefined;
    run = { ...next, decision: undefined };
  }
  throw new Error('the decisions about the credential of a managed resource do not end');
}

type Write = Exclude<CredentialDecision, { readonly act: 'report' }>;

async function carryOut(context: ExternalContext, run: Run, decision: Write): Promise<Run | undefined> {
  const { env, managedResources, signal, log } = context;
  switch (decision.act) {
    case 'update':
      return write(context, run, decision.desired);
    case 'updateStatus':
      return writeStatus(context, run, decision.desired);
    case 'generate': {
      if (env.isObserveOnly)
        return inPlace(run, Promise.reject(onlyObserves('generate another credential for')));
      const confirming = managedResources.confirm(run.current, signal);
      if ((await step(run, 'cannot get managed resource', confirming)) === undefined) return undefined;
      logQuietAct(log, decision.name, { ...aboutManaged(run.current), decision: decision.name });
      return inPlace(run, generate(context, run, decision.note));
    }
    case 'annotate': {
      const { entry } = run;
      if (entry === undefined) return run;
      const note = { key: entry.note?.key ?? newNoteKey(context.randomBytes), ...decision.note };
      return inPlace(run, entry.write(run.current, { details: entry.details, note }, signal));
    }
  }
}

/** Generates a credential, and writes it together with the details that contain it. */
async function generate(
  { external, places, secretDetails, randomBytes, signal }: ExternalContext,
  { current, entry }: Run,
  facts: Omit<CredentialNote, 'key'>,
): Promise<ConnectionEntry | undefined> {
  const credential = credentialOf(current, secretDetails);
  if (credential === undefined) return entry;
  const value = generateCredential(credential, randomBytes);
  const planned = external.plannedDetails?.(current, { value, isApplied: false }) ?? {};
  const details = {
    ...withReported(entry?.details ?? {}, planned),
    [credential.key]: value,
  };
  const note = { key: entry?.note?.key ?? newNoteKey(randomBytes), ...facts };
  return entry === undefined
    ? places.create(current, { details, note }, signal)
    : entry.write(current, { details, note }, signal);
}

function withCredential({ secretDetails }: ExternalContext, run: Run): Run {
  const { current, entry, unkept } = run;
  if (unkept !== undefined) return run;
  if (isCredentialLost(current, entry, secretDetails)) return { ...run, isCredentialLost: true };
  const credential = heldCredentialOf<Managed>(current, entry, secretDetails);
  const value = credential && entry?.details[credential.key];
  if (credential === undefined || entry === undefined || value === undefined) return run;
  const { username } = entry.details;
  return {
    ...run,
    credential: { value, isApplied: isApplied(current, entry, credential), ...(username && { username }) },
    ...(isGiven(current, entry) && { isCredentialGiven: true }),
  };
}
