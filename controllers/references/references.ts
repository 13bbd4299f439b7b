/*
 *   networkIdRef, networkIdSelector ──▶ another managed resource, from the cache ──▶ its external name
 *   networkId ◀──────────────────────────────────────────────────────────────────────────┘
 */

import castArray from 'lodash/castArray.js';
import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import orderBy from 'lodash/orderBy.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { ReferencePolicy } from '../../apis/core/v1alpha1/reference.ts';
import { haveSameController } from '../../apis/core/v1alpha1/reference.ts';
import { describeSelector } from '../../apis/core/v1alpha1/selector.ts';

export interface Reference {
  readonly name: string;
  readonly policy?: ReferencePolicy;
}

/** Selects managed resources of a kind. Without `matchLabels`, every resource of the kind matches. */
export interface ReferenceSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Whether a resource matches only if it has the same controller (owner reference) as the referrer. */
  readonly matchControllerRef?: boolean;
  readonly policy?: ReferencePolicy;
}

/** A field of `forProvider` that gets its value from other managed resources. */
export interface ReferenceField {
  /** The key of the value in `forProvider`. The value is a string, or a list of strings with `multiple`. */
  readonly field: string;
  /** The key of the {@link Reference} in `forProvider`, or of a list of references with `multiple`. */
  readonly ref: string;
  /** The key of the {@link ReferenceSelector} in `forProvider`. Absent: the field has none. */
  readonly selector?: string;
  readonly to: Kind<Managed>;
  /** Returns the value of the referenced resource; undefined if it has none yet. Default: the external name. */
  readonly extract?: (referenced: Managed) => string | undefined;
  readonly multiple?: boolean;
}

export interface ReferenceLookup {
  get(kind: Kind<Managed>, name: string): Managed | undefined;
  all(kind: Kind<Managed>): readonly Managed[];
}

type Json = Readonly<Record<string, unknown>>;

const isAlways = (policy: ReferencePolicy | undefined): boolean => policy?.resolve === 'Always';
const isRequired = (policy: ReferencePolicy | undefined): boolean => policy?.resolution !== 'Optional';

const forProviderOf = (managed: Managed): Json => (managed.spec.forProvider ?? {}) as Json;

export const referencesIn = (managed: Managed, { ref }: ReferenceField): readonly Reference[] =>
  castArray((forProviderOf(managed)[ref] ?? []) as Reference | Reference[]);

export const selectorOf = (managed: Managed, { selector }: ReferenceField): ReferenceSelector | undefined =>
  (forProviderOf(managed)[selector ?? ''] as ReferenceSelector | null | undefined) ?? undefined;

/** The values that a field has. An empty text counts as absent. */
export const valuesOf = (managed: Managed, { field }: ReferenceField): readonly string[] =>
  castArray((forProviderOf(managed)[field] || []) as string | string[]);

/** Whether a reference or selector is looked up now: the field is empty, or the policy is Always. */
export function isResolvable(managed: Managed, field: ReferenceField): boolean {
  if (valuesOf(managed, field).length === 0) return true;
  // The policy of a selector has priority (crossplane-runtime v1.16).
  const selector = selectorOf(managed, field);
  return (selector ? [selector] : referencesIn(managed, field)).some(({ policy }) => isAlways(policy));
}

/** Why the external resource is not created: a reference in `initProvider` is not resolved, so a field is missing. */
export function unresolvedInitially(managed: Managed, fields: readonly ReferenceField[]): string | undefined {
  const { initProvider = {} } = managed.spec;
  const initial = initProvider as Json;
  const unresolved = fields.find(
    (field) =>
      (initial[field.ref] ?? initial[field.selector ?? '']) !== undefined &&
      castArray(initial[field.field] || []).length === 0 &&
      valuesOf(managed, field).length === 0,
  );
  return (
    unresolved &&
    `references in spec.initProvider are not resolved; ${advice.referInForProvider(unresolved.field)}`
  );
}

/**
 * The managed resource with its references resolved (crossplane-runtime v1.16, Resolve and ResolveMultiple), or itself if
 * nothing changes. Throws an Error that names the field, the object and what to do.
 *
 * It differs from Crossplane in four ways. An Optional reference that finds nothing changes nothing. Only its own policy
 * applies to a reference. The matches of a selector are ordered by name, and explicit references keep their order. A
 * selector for one value prefers the previous choice, then a resource that has a value.
 */
export function withReferences<M extends Managed>(
  managed: M,
  fields: readonly ReferenceField[],
  lookup: ReferenceLookup,
): M {
  const forProvider = forProviderOf(managed);
  const found = fields
    .filter((field) => isResolvable(managed, field))
    .map((field) => resolve(managed, field, lookup));
  const resolved = Object.assign({}, forProvider, ...found) as Json;
  const isChanged = Object.keys(resolved).some((key) => resolved[key] !== forProvider[key]);
  return isChanged ? { ...managed, spec: { ...managed.spec, forProvider: resolved } } : managed;
}

/** The changed fields: the value, and the reference if a selector chose it. */
function resolve(managed: Managed, field: ReferenceField, lookup: ReferenceLookup): Json {
  const references = referencesIn(managed, field);
  const selector = selectorOf(managed, field);
  // An explicit reference has priority over a selector, unless the selector's policy is Always.
  const isSelected = selector !== undefined && (references.length === 0 || isAlways(selector.policy));
  const selected = isSelected ? select(managed, field, selector, lookup) : references;
  const chosen = field.multiple ? selected : selected.slice(0, 1);
  const values = chosen.flatMap((reference) => resolvedValue(managed, field, reference, lookup) ?? []);
  if (values.length === 0) return {};
  const names = chosen.map(({ name }) => ({ name }));
  const isRecorded = isEqual(
    names,
    references.map(({ name }) => ({ name })),
  );
  const isSame = isEqual(values, valuesOf(managed, field));
  return {
    ...(isSame ? {} : { [field.field]: field.multiple ? values : values[0] }),
    ...(isSelected && !isRecorded ? { [field.ref]: field.multiple ? names : names[0] } : {}),
  };
}

/** The value of one reference. Undefined if there is none and the reference is Optional; throws if it is required. */
function resolvedValue(
  managed: Managed,
  field: ReferenceField,
  { name, policy }: Reference,
  lookup: ReferenceLookup,
): string | undefined {
  const found = lookup.get(field.to, name);
  const value = found && (extractOf(field)(found) || undefined);
  if (value !== undefined || !isRequired(policy)) return value;
  const holder = referencesIn(managed, field).length === 0 ? (field.selector ?? field.ref) : field.ref;
  const subject = `spec.forProvider.${holder}: ${field.to.kind} ${name}`;
  throw new Error(
    found === undefined
      ? `${subject} does not exist; ${advice.createReferenced(name)}`
      : `${subject} has no value for ${field.field} yet; it is resolved as soon as ${name} is ready`,
  );
}

const extractOf = ({ extract = externalName }: ReferenceField) => extract;

/** The matches of a selector, the previous choice and those with a value first. Throws if a required one has none. */
function select(
  managed: Managed,
  field: ReferenceField,
  selector: ReferenceSelector,
  lookup: ReferenceLookup,
): readonly Reference[] {
  const matches = lookup.all(field.to).filter((object) => isSelectedBy(object, managed, selector));
  if (matches.length === 0 && isRequired(selector.policy)) {
    const controller = selector.matchControllerRef ? ' and the same controller' : '';
    throw new Error(
      `spec.forProvider.${field.selector}: no ${field.to.kind} matches ${describeSelector(selector)}${controller}; ${advice.labelReferenced}`,
    );
  }
  const [previous] = referencesIn(managed, field);
  const isPrevious = ({ metadata }: Managed) => !field.multiple && metadata.name === previous?.name;
  const hasValue = (match: Managed) => !field.multiple && extractOf(field)(match) !== undefined;
  return orderBy(matches, [isPrevious, hasValue, 'metadata.name'], ['desc', 'desc', 'asc']).map(
    ({ metadata: { name } }) => ({ name, ...(selector.policy && { policy: selector.policy }) }),
  );
}

export function isSelectedBy(
  object: Managed,
  referrer: Managed,
  { matchLabels = {}, matchControllerRef }: ReferenceSelector,
): boolean {
  const isLabelled = isMatch(object.metadata.labels ?? {}, matchLabels);
  return isLabelled && (!matchControllerRef || haveSameController(object, referrer));
}
