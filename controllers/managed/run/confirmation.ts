import type { FailureFacts } from '../../step-failure.ts';
import type { Call, CredentialWrite, Step } from './decision.ts';
import { cannot } from './failures.ts';

/** The objects that a run reads from the API server before a call, so that the call does not follow a stale read. */
export interface Confirmation {
  readonly reads: readonly ('managed' | 'place')[];
  /** How to report that they cannot be read. */
  readonly failure: FailureFacts;
  /** The change that a process with --observe-only refuses, for its message. */
  readonly change: string;
}

const confirmations: { readonly [call in Step | CredentialWrite['act']]?: Confirmation } = {
  // Before a creation is announced: an announced creation that was not sent would wait for an administrator.
  announce: { reads: ['place'], failure: cannot.create, change: 'create' },
  create: { reads: ['managed'], failure: cannot.create, change: 'create' },
  clearRecord: { reads: ['managed', 'place'], failure: cannot.update, change: 'set the credential of' },
  delete: { reads: ['managed', 'place'], failure: cannot.delete, change: 'delete' },
  // A credential is generated only for an object that exists.
  generate: { reads: ['managed'], failure: cannot.write, change: 'generate another credential for' },
};

/** The confirmation that a call needs. Each of these calls leads to a change in the external system. */
export const confirmationOf = (call: Call): Confirmation | undefined =>
  confirmations[typeof call === 'string' ? call : call.act];
