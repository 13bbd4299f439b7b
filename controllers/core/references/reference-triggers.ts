import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { shouldOnlyObserve } from '../management-policies.ts';
import { requestsFor, requestsOn } from '../trigger.ts';
import type { ReferenceField, ReferenceLookup } from './references.ts';
import { isResolvable, isSelectedBy, referencesIn, selectorOf, withReferences } from './references.ts';

/** What an index of referrers holds for a reference by name, and for any selector. */
const byName = (name: string): string => `name/${name}`;
const bySelector = 'selector';

const isReady = ({ status }: Managed): boolean => isConditionTrue(status?.conditions, 'Ready');

/**
 * Whether a change of a referenced resource may resolve a reference: it appeared, became ready, or has another
 * value, labels or controller.
 */
function isNewsFor(change: Change<Managed>, read: (object: Managed) => string | undefined): boolean {
  if (change.type !== 'modified') return change.type === 'added';
  const { previous: before, object: after } = change;
  return (
    read(before) !== read(after) ||
    (!isReady(before) && isReady(after)) ||
    !isEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) ||
    controllerOf(before)?.uid !== controllerOf(after)?.uid
  );
}

/** The referrers of one kind that a change of what they refer to wakes at once, by index. */
export function referenceTriggers<M extends Managed>(
  env: Environment,
  referrers: Resource<M>,
  fields: readonly ReferenceField[],
): readonly Observable<Request>[] {
  const byKind = Map.groupBy(fields, ({ to }) => kindKey(to));
  return [...byKind].map(([key, ofKind]) => {
    const index = `references to ${key}`;
    referrers.store.addIndex(index, (object) => [
      ...new Set(
        ofKind.flatMap((field) => [
          ...referencesIn(object, field).map(({ name }) => byName(name)),
          ...(selectorOf(object, field) === undefined ? [] : [bySelector]),
        ]),
      ),
    ]);
    const isWoken = (referrer: M, object: Managed): boolean =>
      !wasDeleted(referrer) &&
      ofKind.some((field) => {
        const selector = selectorOf(referrer, field);
        const isMeant =
          referencesIn(referrer, field).some(({ name }) => name === object.metadata.name) ||
          (selector !== undefined && isSelectedBy(object, referrer, selector));
        return isMeant && (isResolvable(referrer, field) || !isReady(referrer));
      });
    const values = ofKind.map(({ extract = externalName }) => extract);
    return requestsOn(env, env.resource(ofKind[0]!.to).store, (change) => {
      if (!values.some((read) => isNewsFor(change, read))) return [];
      const named = referrers.store.byIndex(index, byName(change.object.metadata.name));
      const selecting = referrers.store.byIndex(index, bySelector);
      return requestsFor([...new Set([...named, ...selecting])], (referrer) =>
        isWoken(referrer, change.object),
      );
    });
  });
}

/**
 * Resolves references from the stores and writes what changed, in one write at most; of a resource that may only be
 * observed nothing is written, and what it refers to is known for the pass alone. `then` resolves what a service
 * resolves in its own way.
 */
export function referenceResolver<M extends Managed>(
  env: Environment,
  referrers: Resource<M>,
  fields: readonly ReferenceField[],
  then?: (managed: M, signal: AbortSignal) => Promise<M>,
): (managed: M, signal: AbortSignal) => Promise<M> {
  const storeOf = (kind: Kind<Managed>) => env.resource(kind).store;
  const lookup: ReferenceLookup = {
    get: (kind, name) => storeOf(kind).get({ name }),
    all: (kind) => storeOf(kind).all(),
  };
  return async (managed, signal) => {
    const found = withReferences(managed, fields, lookup);
    const resolved = shouldOnlyObserve(managed.spec) ? found : await referrers.update(managed, found, signal);
    return then === undefined ? resolved : then(resolved, signal);
  };
}
