import attempt from 'lodash/attempt.js';
import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import set from 'lodash/set.js';
import unset from 'lodash/unset.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { shouldCreate, shouldDelete, shouldUpdate } from '../management-policies.ts';
import type { NameLimits } from './name-limits.ts';
import { fittingName, nameProblem } from './name-limits.ts';

/** What tells one external resource from all others, and what may not change of it. */
export interface Identity {
  /** The external name; absent until the external system has given one. */
  readonly name?: string | undefined;
  /** The system it is in, as that calls itself. */
  readonly system?: string | undefined;
  /** The immutable fields of `forProvider` that have a value, by path. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Somebody says that what the resource and its provider name now is what they have always named. */
export const isAdopting = (managed: Managed): boolean =>
  managed.metadata.annotations?.[annotationKeys.adoptIdentity] === 'true';

/** What a managed resource names now. `paths` are those of the immutable fields of its kind. */
export const identityOf = (
  managed: Managed,
  paths: readonly string[],
  system?: string | undefined,
): Identity => ({
  name: externalName(managed),
  system,
  fields: fieldsAt(managed, paths),
});

function fieldsAt({ spec }: Managed, paths: readonly string[]): Identity['fields'] {
  const values = paths.map((path): [string, unknown] => [path, get(spec.forProvider, path)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}

/**
 * What a managed resource named when its external resource was created or first found. The status has it once that was
 * seen. Before a creation an annotation has it, so that an edit that comes while it is under way, or a crash, changes
 * nothing; it also outlives a backup, which may leave the status out.
 */
export function recordedIdentity(managed: Managed, paths: readonly string[]): Identity | undefined {
  if (isAdopting(managed)) return undefined;
  const record =
    decode(managed.status?.externalIdentity) ??
    decode(managed.metadata.annotations?.[annotationKeys.externalIdentity]);
  if (record === undefined) return undefined;
  const fields = Object.entries(record.fields).filter(([path]) => paths.includes(path));
  return { ...record, fields: Object.fromEntries(fields) };
}

/** The same text for the same identity. */
export const encodeIdentity = ({ name, system, fields }: Identity): string => {
  const sorted = Object.keys(fields)
    .toSorted()
    .map((path) => [path, fields[path]]);
  return JSON.stringify({ name, system, fields: Object.fromEntries(sorted) });
};

/** What is not of our making is as good as nothing. */
function decode(text: string | undefined): Identity | undefined {
  if (text === undefined) return undefined;
  const record: unknown = attempt(JSON.parse, text); // an Error where that is no JSON
  const [name, system, fields] = ['name', 'system', 'fields'].map((key): unknown => get(record, key));
  if (!isPlainObject(fields)) return undefined;
  return {
    name: isString(name) && name !== '' ? name : undefined,
    system: isString(system) ? system : undefined,
    fields: fields as Identity['fields'],
  };
}

/**
 * The managed resource as it is recorded: edits of what it names are left out, and what was removed is there again. What
 * has been given a value since stays, unless `isExact`.
 */
function asRecorded<M extends Managed>(
  managed: M,
  { name, fields }: Identity,
  paths: readonly string[],
  isExact = false,
): M {
  const given = fieldsAt(managed, paths);
  const wanted = isExact ? fields : { ...given, ...fields };
  const named =
    name === undefined ? managed : withAnnotations(managed, { [annotationKeys.externalName]: name });
  if (isEqual(given, wanted)) return named;
  const forProvider = structuredClone({ ...managed.spec.forProvider });
  for (const path of Object.keys(given)) unset(forProvider, path);
  for (const [path, value] of Object.entries(wanted)) set(forProvider, path, value);
  return { ...named, spec: { ...named.spec, forProvider } };
}

/**
 * How a managed resource differs from what is recorded, for messages: `spec.forProvider.region from "us" to "eu"`. What
 * was removed is no difference; what has been given a value since is one if `isExact`.
 */
export function editsOf(
  managed: Managed,
  { name, fields }: Identity,
  paths: readonly string[],
  isExact = false,
): readonly string[] {
  const now = externalName(managed);
  const annotation = `annotation ${annotationKeys.externalName}`;
  const changes = Object.entries(fieldsAt(managed, paths)).flatMap(([path, value]) => {
    const before = fields[path];
    const isChanged = before === undefined ? isExact : !isEqual(before, value);
    return isChanged ? [`spec.forProvider.${path} from ${quoted(before)} to ${quoted(value)}`] : [];
  });
  const isRenamed = name !== undefined && now !== undefined && now !== name;
  return [...(isRenamed ? [`${annotation} from ${quoted(name)} to ${quoted(now)}`] : []), ...changes];
}

const quoted = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Why an edit has no effect. */
export const editRefusal = (edits: readonly string[]): string =>
  `cannot change ${edits.join(' and ')}: the external resource stays what it was when it was made; set it back, or create a new resource`;

/** What says how the resources of a kind are identified. */
export interface IdentityContext {
  /** The external system chooses the name. */
  readonly isAssigned: boolean;
  /** The paths of the fields of `forProvider` that identify it, beside its name. */
  readonly identityFields: readonly string[];
  /** What the external system takes for a name that we choose; absent: any. */
  readonly names?: NameLimits | undefined;
}

/** What a run knows of a managed resource and its external resource. */
export interface Identifiable {
  readonly current: Managed;
  /** The system behind the provider, where it says. */
  readonly system?: string | undefined;
  /** The external resource is what was recorded, and not what has been added to that since. */
  readonly isExact?: boolean;
  /** What the last look found; absent: nothing. */
  readonly seen?: { readonly isUpToDate: boolean } | undefined;
}

/** The object with its external name: the one on record, else that which a deterministic system knows beforehand. */
export function named<M extends Managed>(
  { isAssigned, identityFields, names }: IdentityContext,
  object: M,
): M {
  if (externalName(object) !== undefined) return object;
  const recorded = recordedIdentity(object, identityFields)?.name;
  if (recorded !== undefined) return withAnnotations(object, { [annotationKeys.externalName]: recorded });
  if (isAssigned) return object;
  const wanted = (object.spec.forProvider as { readonly name?: string } | undefined)?.name;
  const own = object.metadata.name;
  const name = wanted || (names === undefined ? own : fittingName(own, names));
  return withAnnotations(object, { [annotationKeys.externalName]: name });
}

/** Why nothing can be made under the name that a managed resource has; undefined: something can, or has been. */
export function refusedName(context: IdentityContext, managed: Managed): string | undefined {
  const { names, identityFields } = context;
  if (names === undefined || wasDeleted(managed)) return undefined;
  if (recordedIdentity(managed, identityFields)?.name !== undefined) return undefined;
  const name = externalName(named(context, managed));
  return name === undefined ? undefined : nameProblem(name, names, annotationKeys.externalName);
}

/** The object as the external system is to see it: with what is recorded of its identity, whatever was edited since. */
export function identified(context: IdentityContext, { current, isExact }: Identifiable): Managed {
  const recorded = recordedIdentity(current, context.identityFields);
  const object = named(context, current);
  return recorded === undefined ? object : asRecorded(object, recorded, context.identityFields, isExact);
}

/**
 * What is to be on record of the external resource's identity: what was, and what has been given a value since. Fields are
 * added only if the external resource `isAsWanted`: of what it is not, nobody needs to be kept from taking it back.
 */
export function identityToRecord(
  context: IdentityContext,
  run: Identifiable,
  { isAsWanted = true }: { readonly isAsWanted?: boolean } = {},
): Identity {
  const recorded = recordedIdentity(run.current, context.identityFields);
  const system = recorded?.system ?? run.system;
  const now = identityOf(identified(context, run), context.identityFields, system);
  return isAsWanted ? now : { ...now, fields: recorded?.fields ?? {} };
}

/** Whether the resource names something else than what is recorded; a name that was taken away is asked for anew. */
export function isEdited(
  { isAssigned, identityFields }: IdentityContext,
  { current, isExact }: Identifiable,
): boolean {
  const recorded = recordedIdentity(current, identityFields);
  if (recorded === undefined) return false;
  const isNameTaken = isAssigned && recorded.name !== undefined && externalName(current) === undefined;
  return isNameTaken || editsOf(current, recorded, identityFields, isExact).length > 0;
}

/** What the status is to say of its identity. Of what is only looked at nothing is recorded: whoever looks may look elsewhere. */
export function identityFound(context: IdentityContext, run: Identifiable): string | undefined {
  const { seen, current } = run;
  const isObserver =
    !shouldCreate(current.spec) && !shouldUpdate(current.spec) && !shouldDelete(current.spec);
  const isRecorded = recordedIdentity(current, context.identityFields) !== undefined;
  if (seen === undefined || (isObserver && !isRecorded)) return undefined;
  return encodeIdentity(identityToRecord(context, run, { isAsWanted: seen.isUpToDate }));
}

/** The edits that have no effect. */
export function refusedEdits(
  { identityFields }: IdentityContext,
  { current, isExact }: Identifiable,
): readonly string[] {
  const recorded = recordedIdentity(current, identityFields);
  return recorded === undefined ? [] : editsOf(current, recorded, identityFields, isExact);
}

/** The object with these annotations added. */
export const withAnnotations = <M extends Managed>(
  object: M,
  annotations: Readonly<Record<string, string>>,
): M => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});
