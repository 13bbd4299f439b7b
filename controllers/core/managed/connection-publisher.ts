import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference, isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  controlOf,
  decodeDetails,
  encodeDetails,
  propagationAnnotations,
} from '../../../apis/core/v1alpha1/secret.ts';
import { annotate, isAlreadyExists } from '../../../runtime/errors.ts';
import type { Resource } from '../../../runtime/resource.ts';

/** Keeps the connection details of managed resources somewhere. */
export interface ConnectionPublisher {
  /** What was published before; empty if nothing was. */
  known(managed: Managed, signal: AbortSignal): Promise<ConnectionDetails>;
  /** Adds details to what is there: same keys are overwritten, others kept. Writes only what changes. */
  publish(managed: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<void>;
  unpublish(managed: Managed, signal: AbortSignal): Promise<void>;
}

/** Publishes to the secret that `writeConnectionSecretToRef` names; does nothing without one. */
export function secretPublisher(secrets: Resource<Secret>): ConnectionPublisher {
  const find = async (managed: Managed, signal: AbortSignal): Promise<Secret | undefined> => {
    const key = managed.spec.writeConnectionSecretToRef;
    return key === undefined ? undefined : (secrets.get(key) ?? (await secrets.fetch(key, signal)));
  };

  return {
    async known(managed, signal) {
      const secret = await annotate('cannot get connection secret', find(managed, signal));
      return secret !== undefined && controlOf(secret, managed) === 'controlled' ? decodeDetails(secret) : {};
    },
    async publish(managed, details, signal) {
      await annotate('cannot create or update connection secret', write(managed, details, signal));
    },
    async unpublish(managed, signal) {
      // The garbage collector would do it; but it leaves nothing behind where none runs either.
      const secret = await annotate('cannot get connection secret', find(managed, signal));
      if (secret !== undefined && isControlledBy(secret, managed)) {
        await annotate('cannot delete connection secret', secrets.delete(secret, signal));
      }
    },
  };

  async function write(managed: Managed, details: ConnectionDetails, signal: AbortSignal): Promise<void> {
    const key = managed.spec.writeConnectionSecretToRef;
    if (key === undefined) return;
    let existing = secrets.get(key);
    if (existing === undefined) {
      try {
        await secrets.create(freshSecret(managed, key, details), signal);
        return;
      } catch (error) {
        if (!isAlreadyExists(error)) throw error; // a secret of another type, or one the store has not seen
        existing = await secrets.fetch(key, signal);
      }
    }
    if (existing === undefined) throw new Error(`secret ${key.namespace}/${key.name} came and went`);
    const control = controlOf(existing, managed);
    if (typeof control === 'object') throw new Error(`${control.refusal} (${key.namespace}/${key.name})`);
    await secrets.update(existing, withDetails(existing, managed, details), signal);
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
      annotations: propagationAnnotations(managed),
    },
    type: connectionSecretType,
    data: encodeDetails(details),
  };
}

/** The type stays as it is, because it is immutable (H11). */
function withDetails(secret: Secret, managed: Managed, details: ConnectionDetails): Secret {
  const others = (secret.metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: { ...secret.metadata.annotations, ...propagationAnnotations(managed) },
      ...(isControlledBy(secret, managed)
        ? {}
        : { ownerReferences: [...others, controllerReference(managed)] }),
    },
    data: { ...secret.data, ...encodeDetails(details) },
  };
}

/**
 * Stands for secret stores while none is configured: `publishConnectionDetailsTo` is an error, not silence
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

/** Publishes to each in order; the first error stops. */
export function publisherChain(publishers: readonly ConnectionPublisher[]): ConnectionPublisher {
  return {
    async known(managed, signal) {
      let details: ConnectionDetails = {};
      for (const publisher of publishers)
        details = { ...details, ...(await publisher.known(managed, signal)) };
      return details;
    },
    async publish(managed, details, signal) {
      for (const publisher of publishers) await publisher.publish(managed, details, signal);
    },
    async unpublish(managed, signal) {
      for (const publisher of publishers) await publisher.unpublish(managed, signal);
    },
  };
}
