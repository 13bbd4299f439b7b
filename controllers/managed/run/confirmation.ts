import type { FailureFacts } from '../../step-failure.ts';
import type { Call, Step } from './decision.ts';
import { cannot } from './failures.ts';

/** The objects that a run reads from the API server before a call, so that the call does not follow a stale read. */
export interface Confirmation {
  readonly reads: readonly ('managed' | 'place')[];
  /** How to report that they cannot be read. */
  readonly failure: FailureFacts;
}

const confirmations: { readonly [step in Step]?: Confirmation } = {
  // Before a creation is announced: an announced creation that was not sent would wait for an administrator.
  announce: { reads: ['place'], failure: cannot.create },
  create: { reads: ['managed'], failure: cannot.create },
  clearRecord: { reads: ['managed', 'place'], failure: cannot.update },
  delete: { reads: ['managed', 'place'], failure: cannot.delete },
};

/** The confirmation that a call needs. A credential is generated only for an object that exists. */
export function confirmationOf(call: Call): Confirmation | undefined {
  if (typeof call === 'string') return confirmations[call];
  return call.act === 'generate' ? { reads: ['managed'], failure: cannot.write } : undefined;
}
