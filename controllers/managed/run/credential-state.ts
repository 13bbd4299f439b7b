import isEmpty from 'lodash/isEmpty.js';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { isCredentialLost, isGiven } from '../../credential.ts';
import type { Facts } from './facts.ts';
import { appliedCredential, credentialIn, found, hasDone } from './facts.ts';

/** The credential of the Secret, beside the one that the external system has. */
export type CredentialState =
  /** The external resource carries the mark of another owner, so that the Secret gets no details. */
  | 'withheld'
  /** The Secret lacks the credential that was set before, and the policies forbid another one. */
  | 'lost'
  /** It is not set in the external system. */
  | 'due'
  /** A person gave it, and the external system refuses it. */
  | 'refused'
  /** The external system has accepted it, and uses it later. Or the Secret cannot be read or written. */
  | 'awaited'
  /** The external system uses it, as far as is known, or the resource has none. */
  | 'inForce';

export function credentialState(facts: Facts): CredentialState {
  const { kind, managed, place } = facts;
  const { entry, accessFailure } = place;
  const { isOfAnother, credential: observed } = found(facts) ?? {};
  if (isOfAnother === true && wantsDetails(managed) && isEmpty(entry?.details)) return 'withheld';
  if (accessFailure !== undefined) return 'awaited';
  if (hasDone(facts, 'readPlace') && isCredentialLost(managed, entry, kind.secretDetails)) return 'lost';
  const credential = credentialIn(facts);
  if (credential === undefined || entry === undefined) return 'inForce';
  if (credential.isApplied) return appliedCredential(facts)?.pending === false ? 'inForce' : 'awaited';
  if (!isGiven(managed, entry)) return 'due';
  return observed === 'wrong' ? 'refused' : 'inForce';
}
