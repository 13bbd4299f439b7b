import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { StreamedStore } from '../../../runtime/cache/store.ts';
import { createStore } from '../../../runtime/cache/store.ts';
import { testClock } from '../../../testing/test-clock.ts';

let version = 0;

/** A store that is filled by hand. */
export class FilledStore<T extends KubernetesObject> {
  readonly store: StreamedStore<T>;

  constructor(kind: Kind<T>, objects: readonly T[] = []) {
    this.store = createStore(kind, { clock: testClock() });
    for (const object of objects) this.put(object);
  }

  put(object: T): void {
    this.store.apply({ type: 'applied', object: versioned(object) });
  }

  remove(object: T): void {
    this.store.apply({ type: 'deleted', object: versioned(object) });
  }
}

function versioned<T extends KubernetesObject>(object: T): T {
  version += 1;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
