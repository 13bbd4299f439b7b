/*
 *   a claim's story in the log: every line of a run that did something has `claim: namespace/name`, whatever object
 *   the run was over
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { nameInUse } from './external-identity.ts';
import { claimKeyOf } from './indexes.ts';

/** What the log says of an object beside its kind and key. What it does not know it leaves out. */
export type About = {
  /** `team/orders`: whom it serves, or itself. */
  readonly claim?: string | undefined;
  /** `FavouriteDBInstance/team-orders-x78mc`. */
  readonly resource?: string | undefined;
  readonly externalName?: string | undefined;
};

export function aboutClaim(claim: Claim | undefined): About {
  if (claim === undefined) return {};
  // An older definition, or none, lets an object through that has no spec.
  const { kind, name } = claim.spec?.resourceRef ?? {};
  return {
    claim: objectKeyText(claim.metadata),
    resource: name === undefined ? undefined : `${kind}/${name}`,
    externalName: externalName(claim),
  };
}

export function aboutManaged(managed: Managed | undefined): About {
  if (managed === undefined) return {};
  const claim = claimKeyOf(managed.spec?.claimRef);
  return {
    claim: claim && objectKeyText(claim),
    resource: `${managed.kind}/${managed.metadata.name}`,
    externalName: nameInUse(managed),
  };
}

/** Of the secret of a claim of this kind; what another object controls is no claim's. */
export function aboutSecret(secret: Secret | undefined, claimKind: Pick<Kind, 'kind'>): About {
  const controller = secret && controllerOf(secret);
  if (controller?.kind !== claimKind.kind) return {};
  return { claim: objectKeyText({ ...secret?.metadata, name: controller.name }) };
}

/** The Events that tell what was done to an object; others tell what is waited for, or failed. */
const acts: ReadonlySet<string> = new Set([
  'BoundManagedResource',
  'ClaimNotFound',
  'CreatedExternalResource',
  'CreatedManagedResource',
  'DefaultResourceClass',
  'DeletedExternalResource',
  'LostExternalResource',
  'PropagatedDataFrom',
  'RemovedConnectionSecret',
  'SelectedResourceClass',
  'UnboundManagedResource',
  'UpdatedExternalResource',
]);

/** Acts that no Event tells of. */
export type QuietAct =
  | 'GenerateCredential'
  | 'PublishedConnectionDetails'
  | 'RemovedFinalizer'
  | 'ReplaceCredential'
  | 'RotateCredential'
  | 'SetCredentials';

/** Writes the line of an Event, if that tells of an act. The log is that of the run, with what it is about. */
export function logAct(log: Pick<Logger, 'info'>, { reason, message }: EventFacts): void {
  if (acts.has(reason)) log.info('changed', { change: reason, message });
}

/** Writes the line of an act that no Event tells of. */
export function logQuietAct(
  log: Pick<Logger, 'info'>,
  change: QuietAct,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  log.info('changed', { change, ...facts });
}

export interface Conditions {
  readonly before: readonly Condition[] | undefined;
  readonly after: readonly Condition[] | undefined;
  /** What the run failed with: the line of that failure says it. */
  readonly failure?: string | undefined;
}

/** Writes a line for each condition that says something else than before. */
export function logConditions(log: Pick<Logger, 'info'>, { before, after, failure }: Conditions): void {
  if (before === after) return;
  for (const { type, status, reason, message } of after ?? []) {
    const was = before?.find((condition) => condition.type === type);
    if (was?.status === status && was.reason === reason && was.message === message) continue;
    if (failure !== undefined && type === 'Synced' && message === failure) continue;
    log.info('condition changed', { condition: type, status, reason, message });
  }
}
