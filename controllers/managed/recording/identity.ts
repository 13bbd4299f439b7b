import compact from 'lodash/compact.js';
import get from 'lodash/get.js';
import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import isNil from 'lodash/isNil.js';
import omit from 'lodash/omit.js';
import omitBy from 'lodash/omitBy.js';
import pickBy from 'lodash/pickBy.js';
import set from 'lodash/set.js';
import unset from 'lodash/unset.js';
import type { FieldMarks } from '../../../apis/core/marks.ts';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  wasDeleted,
  withAnnotations,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { NameLimits } from '../../../apis/core/v1alpha1/name-limits.ts';
import { fittingName, nameProblem } from '../../../apis/core/v1alpha1/name-limits.ts';
import type { ExternalError } from '../../../clients/external-error.ts';
import { invalid } from '../../../clients/external-error.ts';
import type { Identity } from '../../external-identity.ts';
import { decodeIdentity, encodeIdentity } from '../../external-identity.ts';
import { isObserver, shouldUpdate } from '../../management-policies.ts';
import { withNameAdvice } from '../../name-advice.ts';
import type { Observation } from '../connecting/external-client.ts';

export type IdentityMarks = Pick<FieldMarks, 'immutable' | 'identity'>;

/** Whether an annotation of an administrator confirms that the provider's present system has the external resource. */
export const mustExist = ({ metadata }: Managed): boolean =>
  metadata.annotations?.[annotationKeys.adoptIdentity] === 'true';

/** Like `mustExist`. Also true if the annotation allows the creation of an empty resource in a system that has none. */
export const isAdopting = (managed: Managed): boolean =>
  mustExist(managed) || managed.metadata.annotations?.[annotationKeys.adoptIdentity] === 'or-create';

export interface IdentityContext {
  readonly isAssigned: boolean;
  /** The fields of `forProvider` that the identity contains. */
  readonly marks: IdentityMarks;
  readonly names?: NameLimits | undefined;
}

/** The part of the spec that has the field. A field that identifies the external resource may be in `initProvider`. */
const placeOf = ({ spec }: Managed, { identity }: IdentityMarks, path: string): keyof Managed['spec'] =>
  isNil(get(spec.forProvider, path)) && identity.includes(path) ? 'initProvider' : 'forProvider';

function fieldsAt(managed: Managed, marks: IdentityMarks): Identity['fields'] {
  const valueAt = (path: string): unknown => get(managed.spec[placeOf(managed, marks, path)], path);
  const fields = Object.fromEntries(marks.immutable.map((path) => [path, valueAt(path)]));
  return omitBy(fields, isNil);
}

/** The identity that the object asks for, which a user may have edited. */
export const requestedIdentity = (managed: Managed, marks: IdentityMarks, system?: string): Identity => ({
  name: externalName(managed),
  system,
  fields: fieldsAt(managed, marks),
});

/**
 * The recorded identity. The controller writes it to an annotation before the creation, and to annotation and status
 * after each observation that finds the resource. The annotation survives a restore. The validation rules of the CRD
 * need the status. Undefined if none is recorded, or if `isAdopting`.
 */
export function recordedIdentity(
  managed: Managed,
  { immutable }: Pick<IdentityMarks, 'immutable'>,
): Identity | undefined {
  if (isAdopting(managed)) return undefined;
  const record =
    decodeIdentity(managed.status?.externalIdentity) ??
    decodeIdentity(managed.metadata.annotations?.[annotationKeys.externalIdentity]);
  return record && { ...record, fields: pickBy(record.fields, (_, path) => immutable.includes(path)) };
}

/**
 * The identity by which the external resource is observed, updated and deleted: the recorded one. Of the fields that were
 * set later, those that identify the external resource do not count. A record without fields is that of an external resource
 * that never equalled its spec, so that all fields count.
 */
export function identityInUse(context: IdentityContext, managed: Managed, system?: string): Identity {
  const { marks } = context;
  const requested = requestedIdentity(named(context, managed), marks, system);
  const recorded = recordedIdentity(managed, marks);
  if (recorded === undefined) return requested;
  const counts = (path: string): boolean => !marks.identity.includes(path) || isEmpty(recorded.fields);
  return {
    name: recorded.name ?? requested.name,
    system: recorded.system ?? system,
    fields: { ...pickBy(requested.fields, (_, path) => counts(path)), ...recorded.fields },
  };
}

/**
 * Lists the edits of the recorded identity for messages, for example `spec.forProvider.region from "us" to "eu"`.
 * Leaves out removed fields, and fields that were set later and count.
 */
export function editsOf(context: IdentityContext, managed: Managed): readonly string[] {
  const inUse = identityInUse(context, managed);
  const { name, fields } = requestedIdentity(managed, context.marks);
  const isRenamed = name !== undefined && name !== inUse.name;
  const changed = Object.keys(fields).filter((path) => !isEqual(fields[path], inUse.fields[path]));
  return [
    ...(isRenamed ? [`annotation ${annotationKeys.externalName}${change(inUse.name, name)}`] : []),
    ...changed.map(
      (path) =>
        `spec.${placeOf(managed, context.marks, path)}.${path}${change(inUse.fields[path], fields[path])}`,
    ),
  ];
}

const change = (from: unknown, to: unknown): string => ` from ${quoted(from)} to ${quoted(to)}`;

const quoted = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

const unsupported = 'the external system does not support this change';

/** Up to two messages: the external system refuses an edit, or the client cannot undo drift. */
export const refusedChanges = ({
  refused = [],
  drifted = [],
}: Pick<Observation, 'refused' | 'drifted'>): readonly string[] =>
  compact([
    refused.length > 0 && `cannot change ${refused.join(' and ')}: ${unsupported}; ${advice.undoEdit}`,
    drifted.length > 0 && `cannot restore ${drifted.join(' and ')}: ${unsupported}; ${advice.correctDrift}`,
  ]);

/** Adds a missing external name annotation: the recorded name, else that of `forProvider` or of the object. */
export function named<M extends Managed>({ isAssigned, marks, names }: IdentityContext, object: M): M {
  if (externalName(object) !== undefined) return object;
  const recorded = recordedIdentity(object, marks)?.name;
  if (recorded !== undefined) return withAnnotations(object, { [annotationKeys.externalName]: recorded });
  if (isAssigned) return object;
  const wanted = (object.spec.forProvider as { readonly name?: string } | undefined)?.name;
  const own = object.metadata.name;
  const name = wanted || (names === undefined ? own : fittingName(own, names));
  return withAnnotations(object, { [annotationKeys.externalName]: name });
}

/** Why the external name is not valid. Undefined if it is valid or recorded, or if the object is being deleted. */
export function refusedName(context: IdentityContext, managed: Managed): ExternalError | undefined {
  const { names, marks } = context;
  if (names === undefined || wasDeleted(managed)) return undefined;
  if (recordedIdentity(managed, marks)?.name !== undefined) return undefined;
  const name = externalName(named(context, managed));
  const problem = name === undefined ? undefined : nameProblem(name, names);
  return problem === undefined
    ? undefined
    : invalid(withNameAdvice(managed, problem), { kinds: ['ChooseExternalName'] });
}

/**
 * The managed resource for the external client: with the identity in use, and without a note about another external resource
 * than that to which this identity leads.
 */
export function identified(context: IdentityContext, managed: Managed, system?: string): Managed {
  // guard: otherwise an edit of the identity leads to another external resource
  const { name, fields } = identityInUse(context, managed);
  const renamed = withAnnotations(managed, { [annotationKeys.externalName]: name });
  const object = withFields(renamed, context.marks, fields);
  const note = managed.metadata.annotations?.[annotationKeys.observedIdentity];
  // guard: otherwise it takes over an external resource that was never observed
  if (note === undefined || note === whereabouts(context, object, system)) return object;
  return withAnnotations(object, { [annotationKeys.observedIdentity]: undefined });
}

/**
 * Returns the managed resource with these immutable fields in `forProvider` and no others, also not with one in
 * `initProvider` that identifies it and was set later.
 */
function withFields(managed: Managed, marks: IdentityMarks, fields: Identity['fields']): Managed {
  const { spec } = managed;
  const given = fieldsAt(managed, { ...marks, identity: [] });
  const late = marks.identity.filter((path) => !(path in fields) && !isNil(get(spec.initProvider, path)));
  if (late.length === 0 && isEqual(given, fields)) return managed;
  const forProvider = structuredClone({ ...spec.forProvider });
  for (const path of Object.keys(given)) unset(forProvider, path);
  for (const [path, value] of Object.entries(fields)) set(forProvider, path, value);
  const initProvider = omit(spec.initProvider, late);
  return { ...managed, spec: { ...spec, forProvider, ...(late.length > 0 && { initProvider }) } };
}

/** An external resource: its system, if the client can tell it, and the last observation. */
export interface Found {
  readonly system?: string | undefined;
  /** Absent: the observation found nothing. */
  readonly observation?: Pick<Observation, 'isUpToDate' | 'isOfAnother' | 'refused' | 'drifted'> | undefined;
}

/** Whether a user edited a part of the recorded identity in the object, or removed its name or one of its fields. */
export function isEdited(context: IdentityContext, managed: Managed): boolean {
  const inUse = identityInUse(context, managed);
  const { name, fields } = requestedIdentity(managed, context.marks);
  const isNamed = name !== undefined || context.isAssigned;
  return (isNamed && name !== inUse.name) || !isEqual(fields, inUse.fields);
}

/**
 * The annotations about an external resource that was found: its identity. Or, while it is only observed, a note about it,
 * so that it can be taken over later, unless another owner has it.
 */
export function foundAnnotations(
  context: IdentityContext,
  managed: Managed,
  found: Found,
): Readonly<Record<string, string>> {
  const { system, observation } = found;
  const identity = identityFound(context, managed, found);
  const isNoted = isObserver(managed) && observation !== undefined && observation.isOfAnother !== true;
  return {
    ...(identity !== undefined && { [annotationKeys.externalIdentity]: identity }),
    ...(isNoted && { [annotationKeys.observedIdentity]: whereabouts(context, managed, system) }),
  };
}

/**
 * The identity to record. If the external resource does not match the spec, a field that a user set later had no effect.
 * It is left out, so that the user can remove it. Undefined if nothing was found, or if the resource is only observed:
 * users may rename it.
 */
export function identityFound(
  context: IdentityContext,
  managed: Managed,
  { system, observation }: Found,
): string | undefined {
  const recorded = recordedIdentity(managed, context.marks);
  const isRecorded = isAdopting(managed) || recorded !== undefined;
  if (observation === undefined || (isObserver(managed) && !isRecorded)) return undefined;
  const isAsWanted = observation.isUpToDate && isEmpty(observation.refused) && isEmpty(observation.drifted);
  const identity = identityInUse(context, managed, system);
  return encodeIdentity(isAsWanted ? identity : { ...identity, fields: recorded?.fields ?? {} });
}

/** The part of an identity that leads to an external resource. Its other fields need not be known to observe it. */
function whereabouts(context: IdentityContext, managed: Managed, system: string | undefined): string {
  const { identity } = context.marks;
  return encodeIdentity(
    requestedIdentity(named(context, managed), { identity, immutable: identity }, system),
  );
}

/** Up to three messages: a user edited the identity, the system refuses an edit, or the client cannot undo drift. */
export function refusals(
  context: IdentityContext,
  managed: Managed,
  observation: Found['observation'],
): readonly string[] {
  const edits = editsOf(context, managed);
  const isRetained = observation?.isUpToDate === false && shouldUpdate(managed.spec) && !wasDeleted(managed);
  const edited = `cannot change ${edits.join(' and ')}: the external resource keeps the value of its creation; ${advice.undoEdit}`;
  return [...(edits.length > 0 ? [edited] : []), ...(isRetained ? refusedChanges(observation) : [])];
}
