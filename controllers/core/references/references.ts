/*
 *   networkIdRef, networkIdSelector ──▶ another managed resource, from the store ──▶ its external name
 *   networkId ◀──────────────────────────────────────────────────────────────────────────┘
 */

import castArray from 'lodash/castArray.js';
import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import sortBy from 'lodash/sortBy.js';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { ReferencePolicy } from '../../../apis/core/v1alpha1/reference.ts';
import { haveSameController } from '../../../apis/core/v1alpha1/reference.ts';
import { describeSelector } from '../../../apis/core/v1alpha1/selector.ts';

/** Names one managed resource. */
export interface Reference {
  readonly name: string;
  readonly policy?: ReferencePolicy;
}

/** Picks managed resources by their labels; without labels every one of the kind matches. */
export interface ReferenceSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Only those with the same controller as the referrer. */
  readonly matchControllerRef?: boolean;
  readonly policy?: ReferencePolicy;
}

/** A field of `forProvider` whose value comes from other managed resources. All names are keys of `forProvider`. */
export interface ReferenceField {
  /** Takes the value: a string, or a list of strings with `multiple`. */
  readonly field: string;
  /** Holds the reference: a {@link Reference}, or a list of them. */
  readonly ref: string;
  /** Holds the {@link ReferenceSelector}. */
  readonly selector: string;
  /** What is referred to. */
  readonly to: Kind<Managed>;
  /** The value a referenced resource yields; undefined while it has none. Default: its external name. */
  readonly extract?: (referenced: Managed) => string | undefined;
  readonly multiple?: boolean;
}

/** How references find what they name. */
export interface ReferenceLookup {
  get(kind: Kind<Managed>, name: string): Managed | undefined;
  all(kind: Kind<Managed>): readonly Managed[];
}

type Json = Readonly<Record<string, unknown>>;

/** One referenced resource and the policy it is looked up under. */
interface Candidate {
  readonly reference: Reference;
  readonly isRequired: boolean;
}

const isAlways = (policy: ReferencePolicy | undefined): boolean => policy?.resolve === 'Always';
const isRequired = (policy: ReferencePolicy | undefined): boolean => policy?.resolution !== 'Optional';

const forProviderOf = (managed: Managed): Json => (managed.spec.forProvider ?? {}) as Json;

/** The references a field holds; none, one or several. */
export const referencesIn = (managed: Managed, { ref }: ReferenceField): readonly Reference[] =>
  castArray((forProviderOf(managed)[ref] ?? []) as Reference | Reference[]);

export const selectorOf = (managed: Managed, { selector }: ReferenceField): ReferenceSelector | undefined =>
  (forProviderOf(managed)[selector] as ReferenceSelector | null | undefined) ?? undefined;

/** An empty text is no value. */
const valuesOf = (managed: Managed, { field }: ReferenceField): readonly string[] =>
  castArray((forProviderOf(managed)[field] || []) as string | string[]);

/** Whether a field that has a reference or a selector would be looked up now: it is empty, or a policy says Always. */
export function isResolvable(managed: Managed, field: ReferenceField): boolean {
  if (valuesOf(managed, field).length === 0) return true;
  // With a selector, it is the selector's policy that counts (crossplane-runtime v1.16).
  const selector = selectorOf(managed, field);
  return (selector ? [selector] : referencesIn(managed, field)).some(({ policy }) => isAlways(policy));
}

/** Why nothing is to be made: a creation would leave out what `initProvider` refers to. Undefined: it would not. */
export function unresolvedInitially(managed: Managed, fields: readonly ReferenceField[]): string | undefined {
  const { initProvider = {}, forProvider = {} } = managed.spec;
  const [initial, wanted] = [initProvider, forProvider] as Json[];
  const left = fields.find(
    ({ field, ref, selector }) =>
      (initial?.[ref] ?? initial?.[selector]) !== undefined &&
      isNothing(initial?.[field]) &&
      isNothing(wanted?.[field]),
  );
  return (
    left &&
    `references in spec.initProvider are not resolved; set ${left.field} there, or refer in spec.forProvider`
  );
}

const isNothing = (value: unknown): boolean => castArray(value || []).length === 0;

/**
 * The managed resource with its references resolved (crossplane-runtime v1.16, Resolve and ResolveMultiple), or
 * itself if nothing changes. Throws an Error that names the field, what it looked for and what to do.
 *
 * Where the original is hazardous this is not: an Optional reference that finds nothing leaves value, reference
 * and siblings as they are; each reference is judged by its own policy; a selector's results are ordered by name,
 * explicit references keep their order, and nothing is merged; a single selector prefers what it chose before,
 * then what is ready.
 */
export function withReferences<M extends Managed>(
  managed: M,
  fields: readonly ReferenceField[],
  lookup: ReferenceLookup,
): M {
  const forProvider = forProviderOf(managed);
  const found = fields
    .filter((field) => isResolvable(managed, field))
    .map((field) => (field.multiple ? resolveMany : resolveOne)(managed, field, lookup));
  const resolved = Object.assign({}, forProvider, ...found) as Json;
  const isChanged = Object.keys(resolved).some((key) => resolved[key] !== forProvider[key]);
  return isChanged ? { ...managed, spec: { ...managed.spec, forProvider: resolved } } : managed;
}

function resolveOne(managed: Managed, field: ReferenceField, lookup: ReferenceLookup): Json {
  const candidate = chooseOne(managed, field, lookup);
  if (candidate === undefined) return {};
  const value = resolvedValue(managed, field, candidate, lookup);
  if (value === undefined) return {};
  // The reference an author wrote stays as written; one that a selector found is recorded by name alone.
  const isChosen = referencesIn(managed, field)[0]?.name !== candidate.reference.name;
  return { [field.field]: value, ...(isChosen ? { [field.ref]: { name: candidate.reference.name } } : {}) };
}

function chooseOne(managed: Managed, field: ReferenceField, lookup: ReferenceLookup): Candidate | undefined {
  const [reference] = referencesIn(managed, field);
  const selector = selectorOf(managed, field);
  const isSelected = selector !== undefined && (reference === undefined || isAlways(selector.policy));
  if (!isSelected) return reference && { reference, isRequired: isRequired(reference.policy) };
  const matches = select(managed, field, selector, lookup);
  const extract = field.extract ?? externalName;
  const chosen =
    matches.find(({ metadata }) => metadata.name === reference?.name) ??
    matches.find((match) => extract(match) !== undefined) ??
    matches[0];
  return chosen && { reference: { name: chosen.metadata.name }, isRequired: isRequired(selector.policy) };
}

function resolveMany(managed: Managed, field: ReferenceField, lookup: ReferenceLookup): Json {
  const references = referencesIn(managed, field);
  const selector = selectorOf(managed, field);
  const isSelected = selector !== undefined && (references.length === 0 || isAlways(selector.policy));
  const candidates: readonly Candidate[] = isSelected
    ? select(managed, field, selector, lookup).map(({ metadata: { name } }) => ({
        reference: { name },
        isRequired: isRequired(selector.policy),
      }))
    : references.map((reference) => ({ reference, isRequired: isRequired(reference.policy) }));
  const values = candidates.flatMap((candidate) => resolvedValue(managed, field, candidate, lookup) ?? []);
  if (values.length === 0) return {};
  const names = candidates.map(({ reference: { name } }) => name);
  const isSame = isEqual(values, valuesOf(managed, field));
  const areSameNames = isEqual(
    names,
    references.map(({ name }) => name),
  );
  return {
    ...(isSame ? {} : { [field.field]: values }),
    ...(isSelected && !areSameNames ? { [field.ref]: names.map((name) => ({ name })) } : {}),
  };
}

/** What a reference yields; undefined if nothing, and nothing is required. */
function resolvedValue(
  managed: Managed,
  field: ReferenceField,
  { reference: { name }, isRequired: mustBe }: Candidate,
  lookup: ReferenceLookup,
): string | undefined {
  const found = lookup.get(field.to, name);
  const value = found && ((field.extract ?? externalName)(found) || undefined);
  if (value !== undefined || !mustBe) return value;
  const who = `${pathOf(managed, field)}: ${field.to.kind} ${name}`;
  throw new Error(
    found === undefined
      ? `${who} does not exist; create it, or change the reference`
      : `${who} has no value for ${field.field} yet; it is resolved as soon as ${name} is ready`,
  );
}

/** The field a person would look at: the reference if there is one, else the selector. */
const pathOf = (managed: Managed, field: ReferenceField): string =>
  `spec.forProvider.${referencesIn(managed, field).length === 0 ? field.selector : field.ref}`;

/** What a selector matches, by name. Throws if that is nothing and it must be something. */
function select(
  managed: Managed,
  field: ReferenceField,
  selector: ReferenceSelector,
  lookup: ReferenceLookup,
): readonly Managed[] {
  const matches = sortBy(
    lookup.all(field.to).filter((object) => isSelectedBy(object, managed, selector)),
    ({ metadata }) => metadata.name,
  );
  if (matches.length === 0 && isRequired(selector.policy)) {
    const controller = selector.matchControllerRef ? ' and the same controller' : '';
    throw new Error(
      `spec.forProvider.${field.selector}: no ${field.to.kind} matches ${describeSelector(selector)}${controller}; label one, or change the selector`,
    );
  }
  return matches;
}

/** Whether a selector of `referrer` takes `object`. */
export function isSelectedBy(
  object: Managed,
  referrer: Managed,
  { matchLabels = {}, matchControllerRef }: ReferenceSelector,
): boolean {
  const isLabelled = isMatch(object.metadata.labels ?? {}, matchLabels);
  return isLabelled && (!matchControllerRef || haveSameController(object, referrer));
}
