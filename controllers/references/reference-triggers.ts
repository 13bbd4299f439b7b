import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../apis/core/v1alpha1/reference.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Trigger } from '../../runtime/controller/triggers.ts';
import { anyOf, appears, becomes, changed, those, triggersIn } from '../../runtime/controller/triggers.ts';
import { shouldOnlyObserve } from '../management-policies.ts';
import type { ReferenceField, ReferenceLookup } from './references.ts';
import { isResolvable, isSelectedBy, referencesIn, selectorOf, withReferences } from './references.ts';

const byName = (name: string): string => `name/${name}`;
const bySelector = 'selector';

const isReady = ({ status }: Managed): boolean => isConditionTrue(status?.conditions, 'Ready');

const labels = ({ metadata }: Managed) => metadata.labels;

/** Triggers managed resources (`referrers`) when a resource to which they refer changes. */
export function referenceTriggers<M extends Managed>(
  env: Environment,
  referrers: Resource<M>,
  fields: readonly ReferenceField[],
): readonly Trigger[] {
  const wokenBy = triggersIn(env);
  const byKind = Map.groupBy(fields, ({ to }) => kindKey(to));
  return [...byKind].map(([key, references]) => {
    const index = `references to ${key}`;
    referrers.store.addIndex(index, (object) => [
      ...new Set(
        references.flatMap((field) => [
          ...referencesIn(object, field).map(({ name }) => byName(name)),
          ...(selectorOf(object, field) === undefined ? [] : [bySelector]),
        ]),
      ),
    ]);
    const isWoken = (referrer: M, object: Managed): boolean =>
      !wasDeleted(referrer) &&
      references.some((field) => {
        const selector = selectorOf(referrer, field);
        const isMeant =
          referencesIn(referrer, field).some(({ name }) => name === object.metadata.name) ||
          (selector !== undefined && isSelectedBy(object, referrer, selector));
        return isMeant && (isResolvable(referrer, field) || !isReady(referrer));
      });
    const values = references.map(({ extract = externalName }) => extract);
    return wokenBy(env.resource(references[0]!.to).store)
      .when(anyOf(appears, becomes(isReady), changed(labels, controllerUid, ...values)))
      .through((object) => {
        const named = referrers.store.byIndex(index, byName(object.metadata.name));
        const selecting = referrers.store.byIndex(index, bySelector);
        return those([...new Set([...named, ...selecting])], (referrer) => isWoken(referrer, object));
      }, 'a resource that it refers to appeared, became ready or changed');
  });
}

/**
 * Resolves references from the informer caches, and writes the values in at most one write. For a resource that is only
 * observed, the values are not written, and only this run uses them.
 */
export function referenceResolver<M extends Managed>(
  env: Environment,
  referrers: Resource<M>,
  fields: readonly ReferenceField[],
): (managed: M, signal: AbortSignal) => Promise<M> {
  const storeOf = (kind: Kind<Managed>) => env.resource(kind).store;
  const lookup: ReferenceLookup = {
    get: (kind, name) => storeOf(kind).get({ name }),
    all: (kind) => storeOf(kind).all(),
  };
  return async (managed, signal) => {
    const found = withReferences(managed, fields, lookup);
    return shouldOnlyObserve(managed.spec) ? found : referrers.update(managed, found, signal);
  };
}
