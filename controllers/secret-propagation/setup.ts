/*
 *   managed resource ── claimRef.uid, Bound ──▶ claim
 *        │ controls                               │ controls
 *   its Secret ───────────── data ──────────▶ the claim's Secret     if the Secrets name each other: decide.ts
 */

import uniqBy from 'lodash/uniqBy.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { kindKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { controllerOf, referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { propagationSource, propagationTargets, secretKeyOf } from '../../apis/core/v1alpha1/secret.ts';
import { annotate, isRefused, messageOf } from '../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { done } from '../../runtime/controller/reconcile.ts';
import { changed, exists, foundFor, is, triggersIn } from '../../runtime/controller/triggers.ts';
import { normal, warning } from '../../runtime/events/event-facts.ts';
import { classFinder } from '../claim/class-finder.ts';
import { copyFor, isCopy } from '../claim-secret.ts';
import type { ClaimServices } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { connectionSecrets, publisherOf } from '../indexes.ts';
import { aboutSecret, logAct } from '../log-changes.ts';
import { stackReadyTrigger } from '../stack-ready.ts';
import { decidePropagation } from './decide.ts';

/**
 * Keeps the Secrets of claims equal to the connection Secrets of their managed resources, for all kinds of both. A request
 * names the claim's Secret. A change of the resource's Secret, `bindingPhase` or `status.credential` triggers a run for each
 * copy that differs.
 */
export function secretPropagation(env: Environment, services: ClaimServices): ControllerSpec {
  const secrets = connectionSecrets(env);
  const claimKinds = uniqBy(services.all, ({ claim }) => kindKey(claim)).map(({ claim }) => claim);
  const managedKinds = uniqBy(services.all, ({ managed }) => kindKey(managed)).map(({ managed }) => managed);
  const managedResources = managedKinds.map((kind) => env.resource(kind));
  const classOf = classFinder(env, services.all);

  const isSource = (secret: Secret) => publisherOf(secret, ...managedResources) !== undefined;
  const isTarget = (secret: Secret) =>
    claimKinds.some((kind) => referenceIsOfKind(controllerOf(secret), kind));
  const targetsOf = ({ spec }: Managed): readonly SecretKey[] => {
    const key = spec.writeConnectionSecretToRef;
    const source = key && secrets.get(key);
    return source === undefined || !isSource(source) ? [] : copiesOf(source);
  };
  /** The existing copies of a source that differ from it. The binding controller creates missing ones. */
  const copiesOf = (source: Secret): readonly SecretKey[] =>
    propagationTargets(source).filter((key) => {
      const target = secrets.get(key);
      return target !== undefined && !isInSync(target);
    });
  const claimOf = (target: Secret): Claim | undefined => {
    const { name = '' } = controllerOf(target) ?? {};
    const kind = claimKinds.find((each) => referenceIsOfKind(controllerOf(target), each));
    return kind && env.resource(kind).get({ ...secretKeyOf(target), name });
  };
  /** Whether the cache shows a correct copy, so that a run would change nothing. */
  const isInSync = (target: Secret): boolean => {
    const named = propagationSource(target);
    const [source, claim] = [named && secrets.get(named), claimOf(target)];
    if (source === undefined || claim === undefined) return false;
    return isCopy(target, copyFor({ target, source, claim, resourceClass: classOf(claim) }));
  };
  /** Another process copies the details. The namespace of their source may be closed to this one. */
  const isOfAnotherProcess = (target: Secret): boolean => {
    const { resourceRef } = claimOf(target)?.spec ?? {};
    return resourceRef !== undefined && !managedKinds.some((kind) => referenceIsOfKind(resourceRef, kind));
  };
  const wokenBy = triggersIn(env);

  return {
    name: controllerNames.propagation,
    sort: 'secret propagation',
    objects: secrets.store,
    about: (request) => aboutSecret(secrets.get(request), claimKinds),
    triggers: [
      wokenBy(secrets.store)
        .when(exists, is(isSource))
        .through(copiesOf, 'the secret it is a copy of changed'),
      wokenBy(secrets.store)
        .when(
          exists,
          is((secret) => isTarget(secret) && !isOfAnotherProcess(secret) && !isInSync(secret)),
        )
        .itself("the claim's secret changed"),
      wokenBy(...managedResources.map(({ store }) => store))
        .when(
          changed(
            ({ status }: Managed) => status?.credential,
            ({ status }: Managed) => status?.bindingPhase,
          ),
        )
        .through(targetsOf, 'the record or the phase of the managed resource changed'),
      stackReadyTrigger(services, (stack) =>
        stack.services.flatMap(({ managed }) => foundFor(env.resource(managed).store.all(), targetsOf)),
      ),
    ],
    reconcile: async (request, signal, log) => {
      const target = secrets.get(request);
      if (target !== undefined && isOfAnotherProcess(target)) return { ...done, decision: 'NotServed' };
      const named = target && propagationSource(target);
      const source = named && (await annotate('cannot get connection secret', secrets.find(named, signal)));
      const owners = { claim: target && controllerOf(target), managed: source && controllerOf(source) };
      const sourceServices = services
        .ready()
        .filter(({ managed }) => referenceIsOfKind(owners.managed, managed));
      const service = sourceServices.find(({ claim }) => referenceIsOfKind(owners.claim, claim));
      const claim =
        service && env.resource(service.claim).get({ ...request, name: owners.claim?.name ?? '' });
      const managedKind = sourceServices[0]?.managed;
      const managed = managedKind && env.resource(managedKind).get({ name: owners.managed?.name ?? '' });
      const decision = decidePropagation({
        isServed: managedKind !== undefined,
        secretDetails: service?.secretDetails,
        target,
        source,
        claim,
        resourceClass: claim && classOf(claim),
        managed,
      });
      const ended = { ...done, decision: decision.name };
      if (target === undefined || source === undefined || managedKind === undefined) return ended;
      const events = env.events.from(eventSources.propagation(managedKind));
      const warn = (message: string) =>
        events.record(target, warning('CannotPropagateConnectionDetails', message));
      if (decision.name !== 'CopySecret' && decision.message) {
        const message = `not copied: ${decision.message}`;
        warn(message);
        log.info('not propagated', { decision: decision.name, message });
      }
      if (decision.name === 'CopySecret') {
        const writing = secrets.update(target, decision.desired, signal).catch((error: unknown) => {
          if (isRefused(error)) warn(`not copied: ${messageOf(error)}; ${advice.allowRequest}`);
          throw error;
        });
        await annotate('cannot update connection secret', writing);
        const { apiVersion = '', kind, name } = owners.managed ?? {};
        const from = `secret ${objectKeyText(source.metadata)} of ${apiVersion} ${kind} ${name}`;
        const message = `connection details propagated from ${from}`;
        const received = normal('PropagatedDataFrom', message);
        events.record(target, received);
        const about = () => ({ ...aboutSecret(target, claimKinds), decision: decision.name });
        logAct(log.child(about), received);
      }
      return ended;
    },
  };
}
