/*
 *   connection details ──▶ publisherChain ─┬─▶ secretPublisher ────▶ the secret of writeConnectionSecretToRef
 *                                          └─▶ store-publisher.ts ─▶ secret-stores.ts: a StoreConfig says which
 *                                                                        ├─▶ kubernetes-store.ts
 *                                                                        └─▶ vault-store.ts
 */

import omitBy from 'lodash/omitBy.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  annotationsWithoutClaims,
  controlOf,
  decodeDetails,
  encodeDetails,
  propagationAnnotations,
} from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isAlreadyExists, isConflict } from '../../../runtime/client/errors.ts';
import { publishedAnnotation, publishedDetails, withoutEdited } from './published-details.ts';

/** Keeps the connection details of managed resources somewhere. */
export interface ConnectionPublisher {
  /**
   * What was published before and is still as it was; empty if nothing was. Refuses, as `publish` would, what belongs
   * to somebody else, so that nothing is created whose details could not be kept; except for a resource that is being deleted.
   */
  known(managed: Managed, signal: AbortSignal): Promise<ConnectionDetails>;
  /**
   * Adds details to what is there: same keys are overwritten, others kept. Writes only what changes. What is still as
   * `before`, which `known` said, is no news: it replaces nothing that somebody has written since. Throws
   * PublishedElsewhere if news meet what another process has published since `published`, which `known` said, too;
   * without that, they replace it.
   */
  publish(
    managed: Managed,
    details: ConnectionDetails,
    signal: AbortSignal,
    before?: ConnectionDetails,
    published?: ConnectionDetails,
  ): Promise<void>;
  unpublish(managed: Managed, signal: AbortSignal): Promise<void>;
}

/**
 * Another process has published something else meanwhile. Which of the two the external system was told last nobody
 * knows: what is published stays until it is renewed.
 */
export class PublishedElsewhere extends Error {
  override readonly name = 'PublishedElsewhere';
}

/** Throws PublishedElsewhere if news would replace what is neither theirs nor what was `published` before. */
export function checkUncontested(
  present: ConnectionDetails,
  details: ConnectionDetails,
  before: ConnectionDetails,
  published: ConnectionDetails | undefined,
): void {
  if (published === undefined) return;
  const contested = Object.keys(details).filter((key) => {
    const [is, wanted] = [present[key], details[key]];
    return is !== undefined && is !== wanted && wanted !== before[key] && is !== published[key];
  });
  if (contested.length === 0) return;
  throw new PublishedElsewhere(
    `another process has published ${contested.toSorted().join(', ')} meanwhile; new credentials are set`,
  );
}

const maxAttempts = 5;

/** Publishes to the secret that `writeConnectionSecretToRef` names; does nothing without one. */
export function secretPublisher(secrets: Resource<Secret>): ConnectionPublisher {
  const find = async (managed: Managed, signal: AbortSignal): Promise<Secret | undefined> => {
    const key = managed.spec.writeConnectionSecretToRef;
    return key === undefined ? undefined : (secrets.get(key) ?? (await secrets.fetch(key, signal)));
  };

  return {
    async known(managed, signal) {
      const secret = await annotate('cannot get connection secret', find(managed, signal));
      if (secret === undefined) return {};
      const control = controlOf(secret, managed);
      if (typeof control === 'string') return publishedIn(secret, managed);
      if (wasDeleted(managed)) return {};
      throw refusalOf(control, secret);
    },
    async publish(managed, details, signal, before = {}, published) {
      const written = write(managed, details, { before, published }, signal);
      await annotate('cannot create or update connection secret', written);
    },
    async unpublish(managed, signal) {
      // The garbage collector would do it; but it leaves nothing behind where none runs either.
      const secret = await annotate('cannot get connection secret', find(managed, signal));
      if (secret !== undefined && isControlledBy(secret, managed)) {
        await annotate('cannot delete connection secret', secrets.delete(secret, signal));
      }
    },
  };

  /** A conflict or a creation that comes too late is tried again on what is there by then: details must not be lost. */
  async function write(
    managed: Managed,
    details: ConnectionDetails,
    {
      before,
      published,
    }: { readonly before: ConnectionDetails; readonly published: ConnectionDetails | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const key = managed.spec.writeConnectionSecretToRef;
    if (key === undefined) return;
    // One of another type, which only who has been here before has published to, is not in the store.
    const isFirst = managed.status?.conditions === undefined;
    let existing = isFirst ? secrets.get(key) : await find(managed, signal);
    for (let attempt = 1; ; attempt += 1) {
      if (existing !== undefined && isControlledBy(existing, managed)) {
        checkUncontested(publishedIn(existing, managed), details, before, published);
      }
      try {
        if (existing === undefined) await secrets.create(freshSecret(managed, key, details), signal);
        else await secrets.update(existing, withDetails(existing, managed, details, before), signal);
        return;
      } catch (error) {
        const isOutdated = isConflict(error) || isAlreadyExists(error);
        if (!isOutdated || attempt === maxAttempts) throw error;
        existing = await secrets.fetch(key, signal);
      }
    }
  }
}

function freshSecret(
  managed: Managed,
  key: { readonly namespace: string; readonly name: string },
  details: ConnectionDetails,
): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: key.namespace,
      name: key.name,
      ownerReferences: [controllerReference(managed)],
      annotations: { ...propagationAnnotations(managed), ...publishedAnnotation(undefined, details) },
    },
    type: connectionSecretType,
    data: encodeDetails(details),
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

/**
 * The type stays as it is, because it is immutable (hazard H11); so does consent, which is binding's to give and to
 * withdraw once the secret is there; but a claim may go while its resource is being created, and then the secret came
 * with leave that was withdrawn before it was there. Throws if the secret is somebody else's.
 */
function withDetails(
  secret: Secret,
  managed: Managed,
  details: ConnectionDetails,
  before: ConnectionDetails,
): Secret {
  const control = controlOf(secret, managed);
  if (typeof control === 'object') throw refusalOf(control, secret);
  const annotations = isLeft(managed) ? annotationsWithoutClaims(secret) : secret.metadata.annotations;
  const [present, published] = [decodeDetails(secret), publishedIn(secret, managed)];
  const news = omitBy(
    details,
    (value, key) => present[key] === value || (before[key] === value && published[key] !== undefined),
  );
  const others = (secret.metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: {
        ...annotations,
        ...publishedAnnotation(annotations, news),
      },
      ...(control === 'controlled' ? {} : { ownerReferences: [...others, controllerReference(managed)] }),
    },
    data: { ...secret.data, ...encodeDetails(news) },
  };
}

/** A claim had it, and has it no more. */
const isLeft = ({ spec, status }: Managed): boolean =>
  spec.claimRef === undefined && status?.bindingPhase === 'Released';

/**
 * Stands for secret stores where a service has none: `publishConnectionDetailsTo` is an error, not silence
 * (crossplane-runtime v1.16, DisabledSecretStoreManager).
 */
export const disabledStorePublisher: ConnectionPublisher = {
  known: async () => ({}),
  publish: async (managed) => refuseStore(managed),
  unpublish: async (managed) => refuseStore(managed),
};

function refuseStore({ spec }: Managed): void {
  if (spec.publishConnectionDetailsTo !== undefined) {
    throw new Error('cannot publish to secret store, feature is not enabled');
  }
}

const refusalOf = ({ refusal }: { readonly refusal: string }, { metadata }: Secret): Error =>
  new Error(`${refusal} (${metadata.namespace}/${metadata.name})`);

/** Publishes to each in order; the first error stops. */
export function publisherChain(publishers: readonly ConnectionPublisher[]): ConnectionPublisher {
  return {
    async known(managed, signal) {
      let details: ConnectionDetails = {};
      for (const publisher of publishers)
        details = { ...details, ...(await publisher.known(managed, signal)) };
      return details;
    },
    async publish(managed, details, signal, before, published) {
      for (const publisher of publishers) {
        await publisher.publish(managed, details, signal, before, published);
      }
    },
    async unpublish(managed, signal) {
      for (const publisher of publishers) await publisher.unpublish(managed, signal);
    },
  };
}
