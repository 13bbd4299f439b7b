import assert from 'node:assert/strict';
import isEqual from 'lodash/isEqual.js';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { SecretStores, StoredConnection } from '../../controllers/connection/secret-store.ts';
import { storePlace } from '../../controllers/connection/store-place.ts';
import { changedSinceRead } from '../../runtime/client/errors.ts';

/** A secret store in memory, which can be down. */
export class FakeStores implements SecretStores {
  readonly entries = new Map<string, StoredConnection>();
  /** Why the store cannot be reached. Undefined: it works. */
  outage: string | undefined;
  /** How often its triggers were asked for. */
  reads = 0;
  readonly place = storePlace(this);

  exists(): boolean {
    return true;
  }

  async open(): ReturnType<SecretStores['open']> {
    const { entries } = this;
    if (this.outage !== undefined) throw new Error(this.outage);
    return {
      describe: (name) => name,
      read: async (name) => entries.get(name),
      write: async (name, current, desired) => {
        if (!isEqual(entries.get(name), current)) throw changedSinceRead();
        entries.set(name, { ...desired, type: 'added by the store' });
        return entries.get(name) ?? assert.fail();
      },
      remove: async (name) => void entries.delete(name),
    };
  }

  async removePrevious(): Promise<readonly SecretKey[]> {
    return [];
  }

  triggers(): ReturnType<SecretStores['triggers']> {
    this.reads += 1;
    return [];
  }
}
