/* Log lines about changes of claims, managed resources and Secrets. Each has the field `claim: namespace/name`. */

import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../apis/core/v1alpha1/condition.ts';
import { isProgress } from '../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { externalName } from '../apis/core/v1alpha1/meta.ts';
import { controllerOf, referenceIsOfKind } from '../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../apis/core/v1alpha1/secret.ts';
import type { EventFacts } from '../runtime/events/event-facts.ts';
import type { Logger } from '../runtime/log/log.ts';
import { nameInUse } from './external-identity.ts';
import { claimKeyOf } from './indexes.ts';

/** The fields that a log line about an object has. */
export interface About extends Readonly<Record<string, unknown>> {
  /** The claim, for example `team/orders`: the object itself, or the claim that the object serves. */
  readonly claim?: string | undefined;
  /** The managed resource, for example `FavouriteDBInstance/team-orders-x78mc`. */
  readonly resource?: string | undefined;
  readonly externalName?: string | undefined;
}

export function aboutClaim(claim: Claim | undefined): About {
  if (claim === undefined) return {};
  // The CRD of an older release accepts an object without spec.
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

/** `claimKinds`: the kinds of the claims that can control the Secret. */
export function aboutSecret(secret: Secret | undefined, claimKinds: readonly Kind[]): About {
  const controller = secret && controllerOf(secret);
  if (controller === undefined || !claimKinds.some((kind) => referenceIsOfKind(controller, kind))) return {};
  return { claim: objectKeyText({ ...secret?.metadata, name: controller.name }) };
}

/** The reasons of Events that report a change. Other Events report a wait or a failure. */
const acts: ReadonlySet<string> = new Set([
  'BoundManagedResource',
  'ClaimNotFound',
  'CreatedExternalResource',
  'DeletedExpiredResource',
  'DeletedExternalResource',
  'KeptExternalResource',
  'KeptResourceOfOtherKind',
  'LostExternalResource',
  'PropagatedDataFrom',
  'RemovedConnectionSecret',
  'TookBackResource',
  'UnboundManagedResource',
  'UpdatedExternalResource',
]);

/** A change that has a log line but no Event. */
export type QuietAct =
  | 'CreatedManagedResource'
  | 'DefaultResourceClass'
  | 'GenerateCredential'
  | 'KeptResource'
  | 'PublishedConnectionDetails'
  | 'RemovedFinalizer'
  | 'ReplaceCredential'
  | 'RotateCredential'
  | 'SelectedResourceClass'
  | 'SetCredentials';

export function logAct(log: Pick<Logger, 'info'>, { reason, message }: EventFacts): void {
  if (acts.has(reason)) log.info('changed', { change: reason, message });
}

export const logQuietAct = (log: Pick<Logger, 'info'>, change: QuietAct, facts: object = {}): void =>
  log.info('changed', { change, ...facts });

export interface Conditions {
  readonly before: readonly Condition[] | undefined;
  readonly after: readonly Condition[] | undefined;
  /** The failure of the run, which is logged elsewhere. A Synced condition with this message is not logged again. */
  readonly failure?: string | undefined;
}

export function logConditions(
  log: Pick<Logger, 'info'>,
  { before = [], after = [], failure }: Conditions,
): void {
  for (const { type, status, reason, message } of after.filter((each) => !isProgress(each.type))) {
    const was = before.find((condition) => condition.type === type);
    if (was?.status === status && was.reason === reason && was.message === message) continue;
    if (failure !== undefined && type === 'Synced' && message === failure) continue;
    log.info('condition changed', { condition: type, status, reason, message });
  }
}
