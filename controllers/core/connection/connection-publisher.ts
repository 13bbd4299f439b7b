/*
 *   connection details ──▶ publisherChain ─┬─▶ secretPublisher ────▶ the secret of writeConnectionSecretToRef
 *                                          └─▶ store-publisher.ts ─▶ secret-stores.ts: a StoreConfig says which
 *                                                                        ├─▶ kubernetes-store.ts
 *                                                                        └─▶ vault-store.ts
 */

import difference from 'lodash/difference.js';
import isEmpty from 'lodash/isEmpty.js';
import omit from 'lodash/omit.js';
import union from 'lodash/union.js';
import { labelledFor } from '../../../apis/core/v1alpha1/connection-labels.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, ReportedDetails, Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  annotationsWithoutClaims,
  controlOf,
  decodeDetails,
  encodeDetails,
  insteadOf,
  propagationAnnotations,
} from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isAlreadyExists, isConflict } from '../../../runtime/client/errors.ts';
import { secretsControlledBy } from '../indexes.ts';
import { shouldUpdate } from '../management-policies.ts';
import type { Place, Publication, Published, PublishedBefore } from './published-details.ts';
import {
  disowning,
  isOutdated,
  isRevisedSince,
  nothingPublished,
  present,
  publication,
  publishedAt,
  publishedDetails,
  whateverPublished,
  withoutEdited,
} from './published-details.ts';

/** Keeps the connection details of managed resources somewhere. */
export interface ConnectionPublisher {
  /**
   * What was published before and is still as it was; empty, and of revision 0, if nothing was. Throws NotOurs, as
   * `publish` would, for what belongs to somebody else, so that nothing is created whose details could not be kept; except
   * for a resource that is being deleted.
   */
  known(managed: Managed, signal: AbortSignal): Promise<Published>;
  /**
   * Adds details to what is there: same keys are overwritten, those of `null` removed, others kept. Writes only what
   * changes. What is still as `before`, which `known` said, is no news: it replaces nothing that somebody has written
   * since. What somebody put there after it was removed is his, and stays. Throws
   * PublishedElsewhere if news meet what another process has published since, of which nobody can tell any more whether
   * it is right: where policies allow to renew it, it counts as lost from then on. Without `before`, news replace it.
   */
  publish(
    managed: Managed,
    details: ReportedDetails,
    signal: AbortSignal,
    before?: PublishedBefore,
  ): Promise<void>;
  /** Removes what was published, wherever an edit has led since. */
  unpublish(managed: Managed, signal: AbortSignal): Promise<void>;
}

/**
 * Another process has published something else meanwhile. Which of the two the external system was told last nobody
 * knows: what is published stays until it is renewed.
 */
export class PublishedElsewhere extends Error {
  override readonly name = 'PublishedElsewhere';
  /** What is published says so itself by now, so that whichever process looks at it next renews it. */
  readonly isOnRecord: boolean;

  constructor(keys: readonly string[], isOnRecord: boolean) {
    super(`another process has published ${keys.toSorted().join(', ')} meanwhile; new credentials are set`);
    this.isOnRecord = isOnRecord;
  }
}

/** Where details are to be published belongs to somebody else. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** Of which keys news would replace what is neither theirs, nor what there was `before`, nor what the run published since. */
export function contestedKeys(
  { published: there, annotations }: Place,
  details: ReportedDetails,
  { details: before, givesWay = false, isUnknown = false, revision, ours = {} }: PublishedBefore,
): readonly string[] {
  if (isUnknown || isOutdated(annotations, { details: before, revision })) return [];
  if (givesWay && !isRevisedSince(annotations, revision)) return [];
  return Object.keys(details).filter((key) => {
    const [is, wanted] = [there[key], details[key]];
    if (is === undefined || is === wanted || is === ours[key]) return false;
    return wanted !== before[key] && is !== before[key];
  });
}

const maxAttempts = 5;

/**
 * Publishes to the secret that `writeConnectionSecretToRef` names; without one there is nothing to do but to remove
 * those that it named before. Needs {@link connectionSecrets}.
 */
export function secretPublisher(secrets: Resource<Secret>): ConnectionPublisher {
  const find = async (managed: Managed, signal: AbortSignal): Promise<Secret | undefined> => {
    const key = managed.spec.writeConnectionSecretToRef;
    return key && secrets.find(key, signal);
  };

  return {
    async known(managed, signal) {
      const secret = await annotate('cannot get connection secret', find(managed, signal));
      if (secret === undefined) return nothingPublished;
      const control = controlOf(secret, managed);
      if (typeof control === 'string') {
        return publishedAt(placeOf(secret, managed));
      }
      if (wasDeleted(managed)) return nothingPublished;
      throw refusalOf(control, secret, managed);
    },
    async publish(managed, details, signal, before = whateverPublished) {
      const written = write(managed, details, before, signal);
      await annotate('cannot create or update connection secret', written);
    },
    async unpublish(managed, signal) {
      // The garbage collector would do it; but it leaves nothing behind where none runs either.
      const named = await annotate('cannot get connection secret', find(managed, signal));
      const former = secretsControlledBy(secrets.store, managed.metadata.uid);
      for (const secret of new Set(named === undefined ? former : [named, ...former])) {
        if (!isControlledBy(secret, managed)) continue;
        await annotate('cannot delete connection secret', secrets.delete(secret, signal));
      }
    },
  };

  /** A conflict or a creation that comes too late is tried again on what is there by then: details must not be lost. */
  async function write(
    managed: Managed,
    details: ReportedDetails,
    before: PublishedBefore,
    signal: AbortSignal,
  ): Promise<void> {
    const key = managed.spec.writeConnectionSecretToRef;
    if (key === undefined) return;
    // One of another type, which only who has been here before has published to, is not in the store.
    const isFirst = managed.status?.conditions === undefined;
    let existing = isFirst ? secrets.get(key) : await find(managed, signal);
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === maxAttempts;
      if (existing === undefined && isEmpty(present(details))) return;
      try {
        if (existing === undefined) {
          await secrets.create(freshSecret(managed, key, details, before), signal);
          return;
        }
        const place = placeOf(existing, managed);
        const contested = isControlledBy(existing, managed) ? contestedKeys(place, details, before) : [];
        if (contested.length > 0) await disown(existing, managed, contested, { isLast, signal });
        const published = publication(place, details, before);
        await secrets.update(existing, withPublication(existing, managed, published), signal);
        return;
      } catch (error) {
        const isOutdated = isConflict(error) || isAlreadyExists(error);
        if (!isOutdated || isLast) throw error;
        existing = await secrets.fetch(key, signal);
      }
    }
  }

  /** Throws PublishedElsewhere; a conflict, if it is to be tried again. */
  async function disown(
    secret: Secret,
    managed: Managed,
    keys: readonly string[],
    { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
  ): Promise<never> {
    const annotations = { ...secret.metadata.annotations, ...disowning(secret.metadata.annotations, keys) };
    const isOnRecord =
      shouldUpdate(managed.spec) &&
      (await secrets
        .update(secret, { ...secret, metadata: { ...secret.metadata, annotations } }, signal)
        .then(
          () => true,
          (error: unknown) => {
            if (isConflict(error) && !isLast) throw error;
            return false;
          },
        ));
    throw new PublishedElsewhere(keys, isOnRecord);
  }
}

function freshSecret(
  managed: Managed,
  key: { readonly namespace: string; readonly name: string },
  details: ReportedDetails,
  before: PublishedBefore,
): Secret {
  const { annotations } = publication({ data: {}, annotations: {}, published: {} }, details, before);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: key.namespace,
      name: key.name,
      labels: labelledFor(undefined, managed),
      ownerReferences: [controllerReference(managed)],
      annotations: { ...propagationAnnotations(managed), ...annotations },
    },
    type: connectionSecretType,
    data: encodeDetails(present(details)),
  };
}

/**
 * What of a secret's details may be taken for what was published there. One that nobody controls, and that does not say
 * what was published, is not the one that we wrote, if we ever did.
 */
function publishedIn(secret: Secret, { status }: Managed): ConnectionDetails {
  const { annotations } = secret.metadata;
  const wasReady = status?.bindingPhase !== undefined;
  const isAnother = controllerOf(secret) === undefined && annotations?.[publishedDetails] === undefined;
  return wasReady && isAnother ? {} : withoutEdited(decodeDetails(secret), annotations);
}

function placeOf(secret: Secret, managed: Managed): Place {
  const { annotations } = secret.metadata;
  return { data: decodeDetails(secret), annotations, published: publishedIn(secret, managed) };
}

/**
 * The type stays as it is, because it is immutable (hazard H11); so does consent, which is binding's to give and to
 * withdraw once the secret is there; but a claim may go while its resource is being created, and then the secret came
 * with leave that was withdrawn before it was there. Throws if the secret is somebody else's.
 */
function withPublication(
  secret: Secret,
  managed: Managed,
  { news, removed, annotations }: Publication,
): Secret {
  const control = controlOf(secret, managed);
  if (typeof control === 'object') throw refusalOf(control, secret, managed);
  const kept = isLeft(managed) ? annotationsWithoutClaims(secret) : secret.metadata.annotations;
  const others = (secret.metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      labels: labelledFor(secret.metadata.labels, managed),
      annotations: { ...kept, ...annotations },
      ...(control === 'controlled' ? {} : { ownerReferences: [...others, controllerReference(managed)] }),
    },
    data: { ...omit(secret.data, removed), ...encodeDetails(news) },
  };
}

/** A claim had it, and has it no more: publishing withdraws the leave to copy its secret. */
export const isLeft = ({ spec, status }: Managed): boolean =>
  spec.claimRef === undefined && status?.bindingPhase === 'Released';

/**
 * Stands for secret stores where a service has none: `publishConnectionDetailsTo` is an error, not silence
 * (crossplane-runtime v1.16, DisabledSecretStoreManager).
 */
export const disabledStorePublisher: ConnectionPublisher = {
  known: async () => nothingPublished,
  publish: async (managed) => refuseStore(managed),
  unpublish: async (managed) => refuseStore(managed),
};

function refuseStore({ spec }: Managed): void {
  if (spec.publishConnectionDetailsTo !== undefined) {
    throw new Error('cannot publish to secret store, feature is not enabled');
  }
}

/** A claim passes it on to who has a field of that name himself. */
function refusalOf({ refusal }: { readonly refusal: string }, secret: Secret, managed: Managed): NotOurs {
  const field = `spec.writeConnectionSecretToRef of ${managed.kind} ${managed.metadata.name}`;
  return new NotOurs(
    `${refusal} (${secret.metadata.namespace}/${secret.metadata.name}); ${insteadOf(secret, field)}`,
  );
}

/** All publishers of a managed resource. */
export interface PublisherChain extends Pick<ConnectionPublisher, 'publish' | 'unpublish'> {
  /** What the newest of them hold. Where they do not agree, nobody can tell whose is right, and all of it gives way. */
  published(managed: Managed, signal: AbortSignal): Promise<PublishedBefore>;
}

/** Publishes to each in order; the first error stops. */
export function publisherChain(publishers: readonly ConnectionPublisher[]): PublisherChain {
  return {
    async published(managed, signal) {
      const all: Published[] = [];
      for (const publisher of publishers) all.push(await publisher.known(managed, signal));
      const revision = Math.max(0, ...all.map((each) => each.revision));
      const newest = all.filter((each) => each.revision === revision);
      const places = newest.map((each) => each.details);
      let details: ConnectionDetails = {};
      for (const place of places) details = { ...details, ...place };
      const disputed = Object.keys(details).filter((key) =>
        places.some((place) => Object.hasOwn(place, key) && place[key] !== details[key]),
      );
      const lost = union(disputed, ...newest.map((each) => each.lost ?? []));
      const removed = difference(union(...newest.map((each) => each.removed ?? [])), Object.keys(details));
      return {
        details: omit(details, disputed),
        revision,
        givesWay: disputed.length > 0,
        ...(lost.length > 0 && { lost }),
        ...(removed.length > 0 && { removed }),
      };
    },
    async publish(managed, details, signal, before) {
      for (const publisher of publishers) await publisher.publish(managed, details, signal, before);
    },
    async unpublish(managed, signal) {
      for (const publisher of publishers) await publisher.unpublish(managed, signal);
    },
  };
}
