import assert from 'node:assert/strict';
import isEqual from 'lodash/isEqual.js';
import type { SecretStores, StoredConnection } from '../../../controllers/core/connection/secret-store.ts';
import { storePlace } from '../../../controllers/core/connection/store-place.ts';
import { changedSinceRead } from '../../../runtime/client/errors.ts';

/** A secret store in memory, which can be down. */
export class FakeStores implements SecretStores {
  readonly kept = new Map<string, StoredConnection>();
  /** Why the store cannot be reached. Undefined: it works. */
  outage: string | undefined;
  /** How often its triggers were asked for. */
  asked = 0;
  readonly place = storePlace(this);

  exists(): boolean {
    return true;
  }

  async open(): ReturnType<SecretStores['open']> {
    const { kept } = this;
    if (this.outage !== undefined) throw new Error(this.outage);
    return {
      describe: (name) => name,
      read: async (name) => kept.get(name),
      write: async (name, current, desired) => {
        if (!isEqual(kept.get(name), current)) throw changedSinceRead();
        kept.set(name, { ...desired, type: 'added by the store' });
        return kept.get(name) ?? assert.fail();
      },
      remove: async (name) => void kept.delete(name),
    };
  }

  async removeFormer(): Promise<void> {}

  triggers(): ReturnType<SecretStores['triggers']> {
    this.asked += 1;
    return [];
  }
}
