import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, withFinalizer, withoutFinalizer } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { isAlreadyExists } from '../../runtime/client/errors.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { normal, warning } from '../../runtime/events/event-facts.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { noteOnStart } from '../claim/previous-resources.ts';
import { logQuietAct } from '../log-changes.ts';
import { isReturnable, retentionText } from '../retention.ts';
import type { BindingContext, RunMemory } from './context.ts';
import type { BindingCall, BindingFacts, SecretWrite } from './decision.ts';
import { withBound, withClaimRef, withoutClaimRef, withReleased, withResource } from './desired.ts';
import { secretKeyOfClaim } from './observe-secrets.ts';
import { retainedText } from './retained-text.ts';

/** Performs the API call of a decision, with a resourceVersion precondition. Returns the Events for the claim. */
export function acting({ env, claims, secrets, resourcesOf }: BindingContext) {
  return async function act(
    decision: BindingCall,
    observed: BindingFacts,
    run: RunMemory,
    signal: AbortSignal,
    log: Logger,
  ): Promise<readonly EventFacts[]> {
    const { claim, namespaceUid, otherReturnable, provisioning, resourceClass } = observed;
    const update = (one: Managed, desired: Managed) => resourcesOf(one).update(one, desired, signal);
    const updateStatus = (one: Managed, desired: Managed) =>
      resourcesOf(one).updateStatus(one, desired, signal);
    switch (decision.name) {
      case 'RecordName': {
        const plan = provisioning?.plan;
        const recorded = plan === undefined || plan instanceof Error ? undefined : plan.claim;
        await claims.update(claim, recorded ?? withResource(claim, decision.managed, resourceClass), signal);
        return recorded === undefined || otherReturnable === undefined
          ? []
          : [returnableElsewhere(otherReturnable)];
      }
      case 'Create':
        return create(decision, signal, log);
      case 'AddFinalizer':
        await claims.update(claim, withFinalizer(claim, finalizerNames.claim), signal);
        return [];
      case 'TakeBack':
        await update(decision.managed, withClaimRef(decision.managed, claim));
        return [tookBack(decision.managed, claim)];
      case 'SetClaimRef':
      case 'CorrectClaimRef':
        await update(decision.managed, withClaimRef(decision.managed, claim));
        return [];
      case 'CorrectResource':
        await update(decision.managed, decision.desired);
        return [correctedResource(decision.managed)];
      case 'Bind':
        await updateStatus(decision.managed, withBound(decision.managed));
        return [];
      case 'CopySecret':
        await writeSecret(decision.write, claim, run, signal);
        return [];
      case 'DeleteSecret':
        await secrets.delete(decision.secret, signal);
        run.deleted.add(decision.secret.metadata.uid);
        return claim.metadata.deletionTimestamp === undefined ? [removedSecret(decision.secret, claim)] : [];
      case 'DeleteResource':
        await resourcesOf(decision.managed).delete(decision.managed, signal);
        run.deleted.add(decision.managed.metadata.uid);
        return [deletedWith(decision.managed)];
      case 'Release': {
        const released = withReleased(decision.managed, { now: env.clock.now(), namespaceUid });
        await updateStatus(decision.managed, released);
        return [unbound(decision.managed, `is Released${returnText(released)}`)];
      }
      case 'RemoveClaimRef':
        await update(decision.managed, withoutClaimRef(decision.managed));
        return [unbound(decision.managed, 'is available again; it was never bound to this claim')];
      case 'RemoveFinalizer':
        await claims.update(claim, withoutFinalizer(claim, finalizerNames.claim), signal);
        return [];
    }
  };

  /**
   * Creates the managed resource. If an object of that name exists, fetches it into the cache for the next decision.
   * That object is the claim's own resource if the response to an earlier creation was lost.
   */
  async function create(
    { managed, resourceClass: { kind, metadata } }: Extract<BindingCall, { readonly name: 'Create' }>,
    signal: AbortSignal,
    log: Logger,
  ): Promise<readonly EventFacts[]> {
    try {
      await resourcesOf(managed).create(managed, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await resourcesOf(managed).fetch({ name: managed.metadata.name }, signal);
      return [];
    }
    const message = `created ${managed.kind} ${managed.metadata.name} from ${kind} ${metadata.name}`;
    logQuietAct(log, 'CreatedManagedResource', { message });
    return [];
  }

  /** Writes a Secret. If a Secret of that name exists, fetches it: the cache has only Secrets of the connection type. */
  async function writeSecret(
    { current, desired }: SecretWrite,
    claim: Claim,
    run: RunMemory,
    signal: AbortSignal,
  ): Promise<void> {
    if (current !== undefined) {
      const written = await secrets.update(current, desired, signal);
      if (run.target === current) run.target = written;
      return;
    }
    try {
      await secrets.create(desired, signal);
    } catch (error) {
      const key = secretKeyOfClaim(claim);
      if (!isAlreadyExists(error) || key === undefined) throw error;
      run.target = await secrets.fetch(key, signal);
    }
  }
}

const unbound = ({ kind, metadata }: Managed, result: string): EventFacts =>
  normal('UnboundManagedResource', `unbound from ${kind} ${metadata.name}, which ${result}`);

/** The claims that get a kept resource back, and its date. */
function returnText(released: Managed): string {
  if (!isReturnable(released)) return '';
  const first = released.spec.giveBack === 'Administrator' ? ' after an administrator gave it back' : '';
  return `, and is ${retentionText(released)}. A claim of the same kind, namespace and name gets it back${first}`;
}

const tookBack = ({ kind, metadata }: Managed, claim: Claim): EventFacts =>
  normal(
    'TookBackResource',
    `took back ${kind} ${metadata.name}, which a claim of this name had before${noteOnStart(claim)}`,
  );

const returnableElsewhere = (managed: Managed): EventFacts =>
  warning(
    'KeptResourceOfOtherKind',
    `${managed.kind} ${managed.metadata.name} of a previous claim of this name is ${retentionText(managed)}, and is of another kind than the class provisions. This claim gets a new resource`,
  );

/** Not written to the API server if the external resource is deleted, too: its own Event reports that. */
function deletedWith(managed: Managed): EventFacts {
  const retained = retainedText(managed);
  const isReportedElsewhere = retained === '' && managed.status?.externalIdentity !== undefined;
  return { ...unbound(managed, `is deleted${retained}`), ...(isReportedElsewhere && { isWritten: false }) };
}

const correctedResource = ({ kind, metadata }: Managed): EventFacts =>
  normal('CorrectedManagedResource', `${kind} ${metadata.name} has the edited parameters of this claim now`);

function removedSecret({ metadata }: Secret, { spec }: Claim): EventFacts {
  const wanted = spec.writeConnectionSecretToRef?.name;
  const instead = wanted === undefined ? 'no secret' : `secret ${wanted}`;
  const what = `deleted connection secret ${metadata.name}`;
  return normal('RemovedConnectionSecret', `${what}: the claim names ${instead} now`);
}
