import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Kind, ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf, referenceIsOfKind } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import {
  disabledStorePublisher,
  publisherChain,
  secretPublisher,
} from '../connection/connection-publisher.ts';
import type { SecretStores } from '../connection/secret-store.ts';
import { storePublisher } from '../connection/store-publisher.ts';
import { connectionSecrets } from '../indexes.ts';
import { providerRecord } from '../provider/provider-choice.ts';
import type { ProviderKinds } from '../provider/provider-credentials.ts';
import { providerChooser, providerTriggers } from '../provider/provider-credentials.ts';
import { referenceResolver, referenceTriggers } from '../references/reference-triggers.ts';
import type { ReferenceField } from '../references/references.ts';
import { requestsOn } from '../trigger.ts';
import { createOperationTracker } from './async-operations.ts';
import { limitedConnector } from './call-limiter.ts';
import { externalCalls } from './external-calls.ts';
import type { ExternalConnector } from './external-client.ts';
import type { ManagedReconcilerOptions } from './reconciler.ts';
import { managedReconciler } from './reconciler.ts';

/** A managed kind and how its external system is reached. */
export interface ManagedService<M extends Managed = Managed>
  extends Pick<
    ManagedReconcilerOptions<M>,
    'externalNames' | 'resolveReferences' | 'creationGraceMs' | 'confirmAbsenceMs'
  > {
  readonly kind: Kind<M>;
  readonly connector: ExternalConnector<M>;
  /** The kinds that hold its credentials; their changes wake it. */
  readonly providers: ProviderKinds;
  /** Fields of `forProvider` whose values come from other managed resources. */
  readonly references?: readonly ReferenceField[];
  /** Where `publishConnectionDetailsTo` leads; absent: it is refused. */
  readonly secretStores?: SecretStores;
}

/** The annotations that this controller writes itself while it works. */
const ownAnnotations = [
  annotationKeys.externalCreatePending,
  annotationKeys.externalCreateFailed,
  annotationKeys.externalIdentity,
];

/**
 * Whether a change concerns the external resource: spec, labels, annotations, deletion. Status changes, most
 * of them our own, do not; an administrator's offer of a released resource comes as an annotation
 * (crossplane-runtime v1.16, DesiredStateChanged).
 */
export function isDesiredStateChanged(change: Change<Managed>): boolean {
  if (change.type !== 'modified') return change.type === 'added';
  const [before, after] = [change.previous.metadata, change.object.metadata];
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    isMarkRemoved(before, after) ||
    !isEqual(before.labels ?? {}, after.labels ?? {}) ||
    !isEqual(omit(before.annotations, ownAnnotations), omit(after.annotations, ownAnnotations))
  );
}

/** Somebody found out what became of a creation, and says so by taking its mark away. */
const isMarkRemoved = (before: ObjectMeta, after: ObjectMeta): boolean =>
  before.annotations?.[annotationKeys.externalCreatePending] !== undefined &&
  after.annotations?.[annotationKeys.externalCreatePending] === undefined;

/** Who controlled a secret before it changed. */
const formerOwner = (change: Change<Secret>) =>
  controllerOf(change.type === 'modified' ? change.previous : change.object);

/** A secret that is gone, or controlled by somebody else than before. */
const isLost = (change: Change<Secret>): boolean =>
  change.type === 'deleted' ||
  (change.type === 'modified' && controllerOf(change.object)?.uid !== formerOwner(change)?.uid);

const isEdited = (change: Change<Secret>): boolean =>
  change.type === 'modified' && !isEqual(change.previous.data, change.object.data);

/** Reconciles one managed kind with its external system. */
export function managedController<M extends Managed>(
  env: Environment,
  service: ManagedService<M>,
): ControllerSpec {
  const managed = env.resource(service.kind);
  const secrets = connectionSecrets(env);
  const { references = [], secretStores } = service;
  const operations = createOperationTracker();
  const calls = externalCalls(env);
  const choose = providerChooser(env, service.providers);

  /** The resource whose connection secret changed, unless it is on its way out. */
  const ownersOf = (change: Change<Secret>): readonly Request[] => {
    const owner = formerOwner(change);
    if (owner === undefined || !referenceIsOfKind(owner, service.kind)) return [];
    const resource = managed.get({ name: owner.name });
    return resource !== undefined && wasDeleted(resource) ? [] : [{ name: owner.name }];
  };

  return {
    name: controllerNames.managed(service.kind),
    objects: managed.store,
    triggers: [
      requestsOn(env, managed.store, (change) =>
        isDesiredStateChanged(change) ? [objectKey(change.object.metadata)] : [],
      ),
      // A connection secret that somebody deleted, edited or disowned is published again at once. One that goes with its
      // resource is not missed.
      requestsOn(env, secrets.store, (change) =>
        isLost(change) || isEdited(change) ? ownersOf(change) : [],
      ),
      operations.settled$,
      ...providerTriggers(env, service.providers, service.kind),
      ...referenceTriggers(env, managed, references),
      ...(secretStores === undefined ? [] : secretStores.triggers(managed)),
    ],
    reconcile: managedReconciler({
      identityFields: service.kind.immutableFields ?? [],
      ...service,
      env: { ...env, events: env.events.from(eventSources.managed(service.kind)) },
      managed,
      operations,
      providerRecord: (object) => providerRecord(object, choose(object)),
      connector: limitedConnector(service.connector, calls, calls.keyFor(service.providers)),
      publisher: publisherChain([
        secretPublisher(secrets),
        secretStores === undefined ? disabledStorePublisher : storePublisher(secretStores),
      ]),
      ...(references.length > 0 && {
        resolveReferences: referenceResolver(env, managed, references, service.resolveReferences),
      }),
    }),
    backoff: { baseMs: 1_000, maxMs: 60_000 },
  };
}
