/*
 * Decides the next call of a run for one managed resource. The list of checks is the table in docs/decision-tables.md: the
 * first check that matches decides. After the call, the reconciler decides again on the new facts. A decision without a
 * call ends the run, and the conditions of the managed resource show it (report.ts).
 */

import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Check } from '../../first-match.ts';
import { firstMatch } from '../../first-match.ts';
import { StepFailure } from '../../step-failure.ts';
import { wasCreationBegun } from '../recording/creation-tracking.ts';
import { recordedIdentity, refusedName } from '../recording/identity.ts';
import { decideCredential } from './decide-credential.ts';
import { decideFirst } from './decide-first.ts';
import { decideObserved } from './decide-observed.ts';
import type { Decision, Step } from './decision.ts';
import type { Facts } from './facts.ts';
import { found, hasDone, isObserved } from './facts.ts';
import { cannot } from './failures.ts';
import { isBegun, next, nextOf } from './steps.ts';

/** Pure. Checks every condition again, because each call may have changed the facts. */
export function decideManaged(facts: Facts): Decision {
  const decision = firstMatch(facts, managedChecks) ?? (isObserved(facts) ? decideObserved(facts) : {});
  if ((decision.call ?? decision.failure) !== undefined) return decision;
  return { ...decision, call: nextOf(facts, decision.name) };
}

const managedChecks: readonly Check<Facts, Decision>[] = [
  stepFailed,
  begun,
  beforeAccess,
  // The access to the external system
  nameRefused,
  connect,
  otherSystem,
  // The credential in the Secret
  readPlace,
  credential,
  // The operation that the status names
  poll,
  operationFailed,
  // The external resource: decide-observed.ts has the other checks
  observe,
];

/** A call that no decision of a table names. */
function calling(facts: Facts, ...steps: readonly Step[]): Decision | undefined {
  const call = next(facts, steps);
  return call && { call };
}

/** A deletion does not need the provider if no creation was started. */
function stepFailed(facts: Facts): Decision | undefined {
  const { failure, managed, did } = facts;
  if (failure === undefined) return undefined;
  const { reason } = failure.facts;
  const isUnreachable = reason === cannot.connect.reason || reason === cannot.observe.reason;
  const isNeeded = found(facts) !== undefined || !wasDeleted(managed) || wasCreationBegun(managed);
  if (isUnreachable && !failure.isSilent && !isNeeded) return { name: 'RemoveFinalizer' };
  // guard: otherwise details that a call reported are lost if the observation after it fails
  const isUnobserved = hasDone(facts, 'create', 'update') && hasDone(facts, 'observe');
  const call = next(facts, isUnobserved ? ['publish'] : ['recordFailure']);
  return { name: did.decision, call, failure };
}

/** A decision of which a step was made (steps.ts) is completed, before the run decides otherwise. */
function begun(facts: Facts): Decision | undefined {
  const name = facts.did.decision;
  return isBegun(facts, name) ? { name } : undefined;
}

function beforeAccess(facts: Facts): Decision | undefined {
  return facts.access === undefined ? decideFirst(facts) : undefined;
}

function nameRefused({ kind, managed }: Facts): Decision | undefined {
  const problem = refusedName(kind.identity, managed);
  return problem && { failure: new StepFailure('', problem, cannot.name) };
}

function connect(facts: Facts): Decision | undefined {
  return calling(facts, 'resolveReferences', 'connect');
}

/** The provider connects to another system than the recorded one. A system without an ID is accepted. */
function otherSystem({ kind, managed, access }: Facts): Decision | undefined {
  const { system: before, name = '' } = recordedIdentity(managed, kind.identity.marks) ?? {};
  const { system, external } = access ?? {};
  if (before === undefined || system === undefined || before === system) return undefined;
  const todo = [external?.otherSystemAdvice ?? [], advice.correctProvider].flat().join('; ');
  const message = `the provider connects to ${system}, but external resource "${name}" is in ${before}; ${todo}`;
  return { name: 'OtherSystem', message };
}

function readPlace(facts: Facts): Decision | undefined {
  return calling(facts, 'readPlace');
}

/** The Secret must hold the desired credential before the external resource is observed. */
function credential(facts: Facts): Decision | undefined {
  return wasDeleted(facts.managed) || facts.latest !== undefined ? undefined : decideCredential(facts);
}

function poll(facts: Facts): Decision | undefined {
  return calling(facts, 'poll');
}

/** A deleted resource needs only the result of its deletion. */
function operationFailed(facts: Facts): Decision | undefined {
  const { failed } = facts.operation;
  if (failed === undefined) return undefined;
  const call = next(facts, ['recordFailure', 'clearPending']);
  if (call === undefined && wasDeleted(facts.managed) && failed.type !== 'delete') return undefined;
  return { name: 'OperationFailed', call, failure: failed.failure };
}

/** The result of a creation is recorded once it is known: when its operation has ended, or when the resource is found. */
function observe(facts: Facts): Decision | undefined {
  return calling(facts, 'recordCreation', 'observe');
}
