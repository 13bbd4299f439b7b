import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { StoredCredential } from '../credential.ts';
import type { ConnectionPlace } from './connection-place.ts';

/** The Secret and the secret store of a managed resource. Reads and creates in one of them, and deletes in both. */
export interface ConnectionPlaces extends Omit<ConnectionPlace, 'isNamed'> {
  /** Makes the secret store a copy of the Secret if both are named. Writes only if they differ. */
  copy(managed: Managed, stored: StoredCredential, signal: AbortSignal): Promise<void>;
}

/** If a managed resource names both, reads and creates the Secret, and copies its content to the secret store. */
export function connectionPlaces(secret: ConnectionPlace, store: ConnectionPlace): ConnectionPlaces {
  const deciding = (managed: Managed): ConnectionPlace =>
    secret.isNamed(managed) || !store.isNamed(managed) ? secret : store;
  return {
    read: (managed, signal) => deciding(managed).read(managed, signal),
    create: (managed, desired, signal) => deciding(managed).create(managed, desired, signal),
    async copy(managed, { details, note }, signal) {
      if (!secret.isNamed(managed) || !store.isNamed(managed)) return;
      const copying = async (): Promise<void> => {
        const entry = await store.read(managed, signal);
        if (entry === undefined) {
          if (!isEmpty(details)) await store.create(managed, { details, note }, signal);
        } else if (!isEqual([entry.details, entry.note], [details, note])) {
          await entry.write(managed, { details, note }, signal);
        }
      };
      await annotate('cannot copy the connection details to the secret store', copying());
    },
    async removePrevious(managed, signal) {
      const removed = await secret.removePrevious(managed, signal);
      return [...removed, ...(await store.removePrevious(managed, signal))];
    },
    async remove(managed, signal) {
      await secret.remove(managed, signal);
      await store.remove(managed, signal);
    },
  };
}
