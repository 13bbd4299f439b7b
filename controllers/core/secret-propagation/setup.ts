/*
 *   managed resource ── claimRef.uid, Bound ──▶ claim
 *        │ controls                               │ controls
 *   its Secret ───────────── data ──────────▶ the claim's Secret     if the Secrets name each other: decide.ts
 */

import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerOf, referenceIsOfKind } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationSource, propagationTargets } from '../../../apis/core/v1alpha1/secret.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import { changed, exists, is, triggersIn } from '../../../runtime/controller/triggers.ts';
import type { ClaimService } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { connectionSecrets, publisherOf } from '../indexes.ts';
import { aboutSecret, logAct } from '../log-changes.ts';
import { decidePropagation } from './decide.ts';

/**
 * Keeps the Secret of a claim equal to the connection Secret of its managed resource. A request names the claim's
 * Secret. A change of the resource's Secret, `bindingPhase` or `status.credential` triggers a run for each copy.
 * `besides`: the other claim kinds that this managed kind serves.
 */
export function secretPropagation(
  env: Environment,
  service: ClaimService,
  besides: readonly Kind<Claim>[] = [],
): ControllerSpec {
  const events = env.events.from(eventSources.secret(service));
  const secrets = connectionSecrets(env);
  const claims = env.resource(service.claim);
  const managedResources = env.resource(service.managed);

  const isSource = (secret: Secret) => publisherOf(secret, managedResources) !== undefined;
  const isTarget = (secret: Secret) => referenceIsOfKind(controllerOf(secret), service.claim);
  const targetsOf = ({ spec }: Managed): readonly SecretKey[] => {
    const key = spec.writeConnectionSecretToRef;
    const source = key && secrets.get(key);
    return source === undefined || !isSource(source) ? [] : copiesOf(source);
  };
  /** The existing copies of a source. The binding controller creates missing ones. */
  const copiesOf = (source: Secret): readonly SecretKey[] =>
    propagationTargets(source).filter((key) => secrets.get(key) !== undefined);
  const wokenBy = triggersIn(env);

  return {
    name: controllerNames.secret(service),
    objects: secrets.store,
    about: (request) => aboutSecret(secrets.get(request), service.claim),
    triggers: [
      wokenBy(secrets.store)
        .when(exists, is(isSource))
        .through(copiesOf, 'the secret it is a copy of changed'),
      wokenBy(secrets.store).when(exists, is(isTarget)).itself("the claim's secret changed"),
      wokenBy(managedResources.store)
        .when(
          changed(
            ({ status }: Managed) => status?.credential,
            ({ status }: Managed) => status?.bindingPhase,
          ),
        )
        .through(targetsOf, 'the record or the phase of the managed resource changed'),
    ],
    reconcile: async (request, signal, log) => {
      const target = secrets.get(request);
      const named = target && propagationSource(target);
      const source = named && (await annotate('cannot get connection secret', secrets.find(named, signal)));
      const claimName = (target && controllerOf(target)?.name) ?? '';
      const managedName = (source && controllerOf(source)?.name) ?? '';
      const decision = decidePropagation({
        kind: service.managed,
        secretDetails: service.secretDetails,
        besides,
        target,
        source,
        claim: claims.get({ ...request, name: claimName }),
        managed: managedResources.get({ name: managedName }),
      });
      const ended = { ...done, decision: decision.name };
      if (target === undefined || source === undefined) return ended;
      if (decision.name !== 'CopySecret' && decision.message !== undefined) {
        const message = `not copied: ${decision.message}`;
        events.record(target, { type: 'Warning', reason: 'CannotPropagateConnectionDetails', message });
        log.info('not propagated', { decision: decision.name, message });
      }
      if (decision.name === 'CopySecret') {
        await annotate('cannot update connection secret', secrets.update(target, decision.desired, signal));
        const from = `secret ${objectKeyText(source.metadata)} of ${apiVersionOf(service.managed)} ${service.managed.kind} ${managedName}`;
        const to = `secret ${objectKeyText(request)} of ${service.claim.kind} ${claimName}`;
        const event = (reason: string, message: string) => ({ type: 'Normal', reason, message }) as const;
        const received = event('PropagatedDataFrom', `connection details propagated from ${from}`);
        events.record(source, event('PropagatedDataTo', `connection details propagated to ${to}`));
        events.record(target, received);
        const about = () => ({ ...aboutSecret(target, service.claim), decision: decision.name });
        logAct(log.child(about), received);
      }
      return ended;
    },
  };
}
