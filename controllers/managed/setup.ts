import omit from 'lodash/omit.js';
import type { Definition } from '../../apis/core/schema.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerUid, isControlledBy } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Predicate } from '../../runtime/controller/triggers.ts';
import {
  anyOf,
  appears,
  becomes,
  changed,
  disappears,
  triggerBy,
  triggersIn,
} from '../../runtime/controller/triggers.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { connectionPlaces } from '../connection/connection-places.ts';
import { secretPlace } from '../connection/secret-place.ts';
import type { SecretStores } from '../connection/secret-store.ts';
import { disabledStores, storePlace } from '../connection/store-place.ts';
import type { SecretDetails } from '../credential.ts';
import { credentialAnnotation } from '../credential.ts';
import { connectionSecrets, publisherOf } from '../indexes.ts';
import { aboutManaged } from '../log-changes.ts';
import { providerTriggers } from '../provider/provider-credentials.ts';
import { createProviderHealth } from '../provider/provider-health.ts';
import { lostReferenceFinder } from '../references/lost-references.ts';
import { referenceResolver, referenceTriggers } from '../references/reference-triggers.ts';
import type { ReferenceField } from '../references/references.ts';
import { unresolvedInitially } from '../references/references.ts';
import { isAtRest } from './at-rest.ts';
import { externalCalls } from './connecting/external-calls.ts';
import type { ConnectedService } from './connecting/guarded-connector.ts';
import { guardedConnector } from './connecting/guarded-connector.ts';
import { defaultCallMs } from './connecting/hanging-calls.ts';
import { requestsOfCreatedNamespaces } from './created-namespaces.ts';
import type { ManagedReconcilerOptions } from './options.ts';
import { managedReconciler } from './reconciler.ts';
import { firstPollDelayMs } from './run/next.ts';
import { stageOfManaged } from './stage.ts';

/** A managed kind and its external system. */
export interface ManagedService<M extends Managed = Managed>
  extends ConnectedService<M>,
    Pick<ManagedReconcilerOptions<M>, 'names' | 'creationGraceMs' | 'confirmAbsenceMs'> {
  /** Absent: no connection details are secret. */
  readonly secretDetails?: SecretDetails<M>;
  /** Fields of `forProvider` whose values come from other managed resources. */
  readonly references?: readonly ReferenceField[];
  /** Absent: a managed resource that sets `publishConnectionDetailsTo` gets an error. */
  readonly secretStores?: SecretStores;
}

/** Annotations that this controller writes during a run. A new value of one of them triggers no other run. */
const ownAnnotations = [
  annotationKeys.externalCreatePending,
  annotationKeys.externalCreateFailed,
  annotationKeys.externalIdentity,
  annotationKeys.observedIdentity,
  annotationKeys.externalCreation,
  annotationKeys.externalLost,
];

/**
 * Whether a change of a managed resource requires a run. Its spec, labels, annotations or deletion changed
 * (crossplane-runtime v1.16, DesiredStateChanged), an administrator removed the annotation of an incomplete creation
 * or of a loss, or a user removed the finalizer.
 */
export const isDesiredStateChanged: Predicate<Managed> = anyOf(
  appears,
  changed(
    ({ metadata }: Managed) => metadata.generation,
    ({ metadata }) => metadata.deletionTimestamp,
    ({ metadata }) => metadata.labels ?? {},
    ({ metadata }) => omit(metadata.annotations, ownAnnotations),
  ),
  becomes(
    ({ metadata }: Managed) => metadata.annotations?.[annotationKeys.externalCreatePending] === undefined,
  ),
  becomes(({ metadata }: Managed) => metadata.annotations?.[annotationKeys.externalLost] === undefined),
  becomes((object: Managed) => !hasFinalizer(object, finalizerNames.managed)),
);

/**
 * Whether an entry that the controllers may write was edited or removed. An added entry needs no run: the controller leaves
 * it there.
 */
const isEntryChanged =
  (mayWrite: (secret: Secret, key: string) => boolean): Predicate<Secret> =>
  (change) => {
    if (change.type !== 'modified') return false;
    const { data = {} } = change.object;
    const before = Object.entries(change.previous.data ?? {});
    return before.some(([key, value]) => data[key] !== value && mayWrite(change.previous, key));
  };

/** Whether the controller of a Secret must run. `mayWrite`: whether it may write this entry of the Secret. */
export const isSecretChanged = (mayWrite: (secret: Secret, key: string) => boolean): Predicate<Secret> =>
  anyOf(
    disappears,
    isEntryChanged(mayWrite),
    changed(controllerUid, ({ metadata }: Secret) => metadata.annotations?.[credentialAnnotation]),
  );

/** How long a run may take for the controllers' own requests, besides one call of the external system. */
const ownRequestsMs = 30_000;

const createdNamespace = 'the namespace of its secret was created';
const bySecret = 'secret of writeConnectionSecretToRef';

/** The controller of a managed kind. `calls` limits the rate of external calls. `health` knows which providers work. */
export function managedController<M extends Managed>(
  env: Environment,
  service: ManagedService<M>,
  calls = externalCalls(env),
  health = createProviderHealth(),
): ControllerSpec {
  const managedResources = env.resource(service.kind);
  const secrets = connectionSecrets(env);
  const { references = [], secretStores = disabledStores } = service;
  const lostReference = lostReferenceFinder(env, references);
  const resourceEvents = env.events.from(eventSources.managed(service.kind));

  const ownerOf = (secret: Secret): readonly Managed[] => {
    const resource = publisherOf(secret, managedResources);
    return resource === undefined || wasDeleted(resource) ? [] : [resource];
  };
  const { connectionDetails } = service.kind as Partial<Definition>;
  /** Whether a run writes this entry, into the Secret or from there into the secret store. Others are of users. */
  const mayWrite = (secret: Secret, key: string): boolean =>
    connectionDetails === undefined ||
    Object.hasOwn(connectionDetails, key) ||
    ownerOf(secret).some(({ spec }) => spec.publishConnectionDetailsTo !== undefined);
  managedResources.store.addIndex(bySecret, ({ spec: { writeConnectionSecretToRef: to } }) =>
    to === undefined ? [] : [objectKeyText(to)],
  );
  /** The managed resources that name this Secret and do not control it. */
  const waitingFor = (secret: Secret): readonly Managed[] =>
    managedResources.store
      .byIndex(bySecret, objectKeyText(secret.metadata))
      .filter((resource) => !wasDeleted(resource) && !isControlledBy(secret, resource));
  const wokenBy = triggersIn(env);

  return {
    name: controllerNames.managed(service.kind),
    sort: 'managed',
    objects: managedResources.store,
    about: (request) => aboutManaged(managedResources.get(request)),
    stageOf: (request) => stageOfManaged(managedResources.get(request)),
    groupOf: (request) => managedResources.get(request)?.spec.claimRef?.namespace ?? '',
    restMsOf(request) {
      const managed = managedResources.get(request);
      const key = managed?.spec.writeConnectionSecretToRef;
      const isResting =
        managed !== undefined && isAtRest(managed, key && secrets.get(key), service.secretDetails);
      return isResting ? firstPollDelayMs(managed, env) : undefined;
    },
    triggers: [
      wokenBy<Managed>(managedResources.store)
        .when(isDesiredStateChanged)
        .itself('its desired state changed'),
      // An edited credential is applied at once, and a deleted Secret is written again.
      wokenBy(secrets.store)
        .when(isSecretChanged(mayWrite))
        .writtenByOthers()
        .throughPrevious(ownerOf, 'its connection secret was edited or deleted'),
      wokenBy(secrets.store)
        .when(anyOf(disappears, changed(controllerUid)))
        .through(waitingFor, 'the secret that it names was deleted, or has another owner'),
      triggerBy(createdNamespace, requestsOfCreatedNamespaces(env, managedResources.store), 'shared change'),
      ...providerTriggers(env, service.providers, service.kind, health),
      ...referenceTriggers(env, managedResources, references),
      ...secretStores.triggers(managedResources),
    ],
    reconcile: managedReconciler({
      ...(service.kind.marks && { marks: service.kind.marks }),
      ...(service.kind.holdsData && { holdsData: true }),
      ...service,
      ...(env.randomBytes && { randomBytes: env.randomBytes }),
      env: { ...env, events: resourceEvents },
      managedResources,
      connector: guardedConnector(env, service, calls, health),
      places: connectionPlaces(secretPlace(secrets), storePlace(secretStores)),
      // guard: otherwise a resolved name creates something with what another user has under that name now
      uncreatable: (managed) => unresolvedInitially(managed, references) ?? lostReference(managed),
      resolveReferences: referenceResolver(env, managedResources, references),
    }),
    // guard: otherwise a call that takes too long is only in the log
    timeoutMs: (service.limits?.callMs ?? defaultCallMs) + ownRequestsMs,
    backoff: { baseMs: 1_000, maxMs: 60_000 },
  };
}
