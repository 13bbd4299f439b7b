/* The steps about operations of an external system: it names one, and continues it after the call. */

import type { ExternalOperation } from '../../../apis/core/v1alpha1/managed.ts';
import { timestamp } from '../../../apis/core/v1alpha1/timestamp.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import { failing, StepFailure } from '../../step-failure.ts';
import type { Progress } from '../connecting/external-client.ts';
import {
  operationEnded,
  operationFailed,
  operationOngoing,
  operationSucceeded,
} from '../recording/operation-conditions.ts';
import type { Run } from './context.ts';
import type { Facts } from './facts.ts';
import { clientOf, withReport } from './facts.ts';
import { cannot } from './failures.ts';
import { unrecordedCreation } from './steps.ts';

/** Remembers a started operation until the status records it. */
export function begin(
  { env, memory }: Run,
  facts: Facts,
  type: ExternalOperation['type'],
  name: string | undefined,
): Facts {
  if (name === undefined) return facts;
  const { managed, operation } = facts;
  const begun = { type, name, startedAt: timestamp(env.clock.now()) };
  memory.noteOperation(managed, begun); // guard: otherwise an operation is lost if the status is not written
  const conditions = operationOngoing(type, { name });
  return { ...facts, operation: { ...operation, underWay: begun, conditions } };
}

/** Polls the ongoing operation. It stays noted until the creation of an assigned name is recorded. */
export async function poll({ memory, signal }: Run, facts: Facts): Promise<Facts> {
  const { managed, operation } = facts;
  if (operation.underWay === undefined) return facts;
  const { type, name } = operation.underWay;
  const asking: Promise<Progress> =
    clientOf(facts).poll?.(name, signal) ?? Promise.resolve({ state: 'unknown' });
  const progress = await failing('', asking, cannot.observe);
  switch (progress.state) {
    case 'running': {
      const conditions = operationOngoing(type, { name, message: progress.message });
      return { ...facts, operation: { ...operation, conditions } };
    }
    case 'done': {
      const { externalName } = progress;
      const succeeded = operation.underWay;
      const ended = { ended: type, succeeded, externalName, conditions: operationSucceeded };
      const after = withReport({ ...facts, operation: ended }, progress);
      // guard: otherwise an assigned name is lost if its write fails
      if (unrecordedCreation(after) === undefined) memory.noteOperation(managed, undefined);
      return after;
    }
    case 'unknown':
      memory.noteOperation(managed, undefined);
      return { ...facts, operation: { ended: type, conditions: operationEnded } };
    case 'failed': {
      memory.noteOperation(managed, undefined);
      const { error } = progress;
      const failure = new StepFailure('', error, cannot[type]);
      const conditions = operationFailed(type, messageOf(error));
      return { ...facts, operation: { failed: { type, failure }, conditions } };
    }
  }
}

/** Forgets an ongoing update, because a requested deletion replaces it. */
export function supersede({ memory }: Run, facts: Facts): Facts {
  if (facts.operation.underWay === undefined) return facts;
  memory.noteOperation(facts.managed, undefined);
  return { ...facts, operation: { conditions: operationEnded } };
}
