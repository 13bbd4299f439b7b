import get from 'lodash/get.js';
import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import set from 'lodash/set.js';
import unset from 'lodash/unset.js';
import type { FieldMarks } from '../../../../apis/core/marks.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../../apis/core/v1alpha1/meta.ts';
import type { ExternalError } from '../../../../clients/external-error.ts';
import { invalid } from '../../../../clients/external-error.ts';
import type { Identity } from '../../external-identity.ts';
import { decodeIdentity, encodeIdentity } from '../../external-identity.ts';
import { shouldCreate, shouldDelete, shouldUpdate } from '../../management-policies.ts';
import type { NameLimits } from '../../name-limits.ts';
import { fittingName, nameProblem } from '../../name-limits.ts';

/** Those of the marked fields of a kind that an identity is about. */
export type IdentityMarks = Pick<FieldMarks, 'immutable' | 'identity'>;

/** An administrator confirmed that resource and provider still name the same external resource. */
export const isAdopting = (managed: Managed): boolean =>
  managed.metadata.annotations?.[annotationKeys.adoptIdentity] === 'true';

/** What a managed resource names now. */
export const identityOf = (
  managed: Managed,
  marks: IdentityMarks,
  system?: string | undefined,
): Identity => ({
  name: externalName(managed),
  system,
  fields: fieldsAt(managed, marks),
});

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Where a field has its value. A field that identifies the external resource may have it in `initProvider`. */
const placeOf = ({ spec }: Managed, { identity }: IdentityMarks, path: string): keyof Managed['spec'] =>
  !isGiven(get(spec.forProvider, path)) && identity.includes(path) ? 'initProvider' : 'forProvider';

function fieldsAt(managed: Managed, marks: IdentityMarks): Identity['fields'] {
  const values = marks.immutable.map((path): [string, unknown] => [
    path,
    get(managed.spec[placeOf(managed, marks, path)], path),
  ]);
  return Object.fromEntries(values.filter(([, value]) => isGiven(value)));
}

/**
 * The identity that was recorded when the external resource was created or first observed. The status has it after the first
 * observation. An annotation has it before the creation, and survives a backup.
 */
export function recordedIdentity(
  managed: Managed,
  { immutable }: Pick<IdentityMarks, 'immutable'>,
): Identity | undefined {
  if (isAdopting(managed)) return undefined;
  const record =
    decodeIdentity(managed.status?.externalIdentity) ??
    decodeIdentity(managed.metadata.annotations?.[annotationKeys.externalIdentity]);
  if (record === undefined) return undefined;
  const fields = Object.entries(record.fields).filter(([path]) => immutable.includes(path));
  return { ...record, fields: Object.fromEntries(fields) };
}

/** The managed resource with its recorded identity instead of edits. A field that was set later stays, unless `isExact`. */
function asRecorded<M extends Managed>(
  managed: M,
  { name, fields }: Identity,
  marks: IdentityMarks,
  isExact = false,
): M {
  const given = fieldsAt(managed, { ...marks, identity: [] });
  const wanted = isExact ? fields : { ...fieldsAt(managed, marks), ...fields };
  const named =
    name === undefined ? managed : withAnnotations(managed, { [annotationKeys.externalName]: name });
  if (isEqual(given, wanted)) return named;
  const forProvider = structuredClone({ ...managed.spec.forProvider });
  for (const path of Object.keys(given)) unset(forProvider, path);
  for (const [path, value] of Object.entries(wanted)) set(forProvider, path, value);
  return { ...named, spec: { ...named.spec, forProvider } };
}

/**
 * The edits of a recorded identity, for messages: `spec.forProvider.region from "us" to "eu"`. A removed field is none; a field
 * that was set later is one if `isExact`.
 */
export function editsOf(
  managed: Managed,
  { name, fields }: Identity,
  marks: IdentityMarks,
  isExact = false,
): readonly string[] {
  const now = externalName(managed);
  const annotation = `annotation ${annotationKeys.externalName}`;
  const changes = Object.entries(fieldsAt(managed, marks)).flatMap(([path, value]) => {
    const before = fields[path];
    const isChanged = before === undefined ? isExact : !isEqual(before, value);
    const field = `spec.${placeOf(managed, marks, path)}.${path}`;
    return isChanged ? [`${field} from ${quoted(before)} to ${quoted(value)}`] : [];
  });
  const isRenamed = name !== undefined && now !== undefined && now !== name;
  return [...(isRenamed ? [`${annotation} from ${quoted(name)} to ${quoted(now)}`] : []), ...changes];
}

const quoted = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Why an edit has no effect. */
export const editRefusal = (edits: readonly string[]): string =>
  `cannot change ${edits.join(' and ')}: the external resource stays what it was when it was made; set it back, or create a new resource`;

/** Why the provider does not make a change. */
export const changeRefusal = (refused: readonly string[]): string =>
  `cannot change ${refused.join(' and ')}: the provider cannot do that; set it to what is there, or create a new resource`;

/** Why the provider does not undo a change that was not made here. */
export const driftRefusal = (drifted: readonly string[]): string =>
  `cannot change back ${drifted.join(' and ')}: nobody edited it here, and the provider cannot change it; have it put right there, or create a new resource`;

/** How the resources of a kind are identified. */
export interface IdentityContext {
  /** The external system chooses the name. */
  readonly isAssigned: boolean;
  /** The fields that are recorded beside its name. */
  readonly marks: IdentityMarks;
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
  readonly seen?:
    | {
        readonly isUpToDate: boolean;
        readonly refused?: readonly string[];
        readonly drifted?: readonly string[];
      }
    | undefined;
}

/** The object with its external name: the recorded one, else the one that is known before creation. */
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

/** Why nothing can be made under the name that a managed resource has; undefined: something can, or has been. */
export function refusedName(context: IdentityContext, managed: Managed): ExternalError | undefined {
  const { names, marks } = context;
  if (names === undefined || wasDeleted(managed)) return undefined;
  if (recordedIdentity(managed, marks)?.name !== undefined) return undefined;
  const name = externalName(named(context, managed));
  const problem = name === undefined ? undefined : nameProblem(name, names, annotationKeys.externalName);
  return problem === undefined ? undefined : invalid(problem, { kinds: ['ChooseExternalName'] });
}

/** The object for the external client: with its recorded identity, without the edits of it. */
export function identified(context: IdentityContext, { current, isExact }: Identifiable): Managed {
  const recorded = recordedIdentity(current, context.marks) ?? { fields: {} };
  return asRecorded(named(context, current), recorded, context.marks, isExact);
}

/**
 * The identity to record: the recorded one, and the fields that were set later. These are added only if the external resource
 * `isAsWanted`, so that a user can undo an edit without effect.
 */
export function identityToRecord(
  context: IdentityContext,
  run: Identifiable,
  { isAsWanted = true }: { readonly isAsWanted?: boolean } = {},
): Identity {
  const recorded = recordedIdentity(run.current, context.marks);
  const system = recorded?.system ?? run.system;
  const now = identityOf(identified(context, run), context.marks, system);
  return isAsWanted ? now : { ...now, fields: recorded?.fields ?? {} };
}

/** The external resource is absent, and the resource names another one: a removed name or field counts as an edit. */
export function isEdited(
  { isAssigned, marks }: IdentityContext,
  { current, isExact }: Identifiable,
): boolean {
  const recorded = recordedIdentity(current, marks);
  if (recorded === undefined) return false;
  const isNameTaken = isAssigned && recorded.name !== undefined && externalName(current) === undefined;
  const wanted = fieldsAt(current, marks);
  const isFieldTaken = Object.keys(recorded.fields).some((path) => !Object.hasOwn(wanted, path));
  return isNameTaken || isFieldTaken || editsOf(current, recorded, marks, isExact).length > 0;
}

/** The resource names another place or name than the recorded one. */
export function leadsElsewhere({ marks }: IdentityContext, { current }: Identifiable): boolean {
  const recorded = recordedIdentity(current, marks);
  if (recorded === undefined) return false;
  const now = identityOf(current, marks);
  return (
    (recorded.name !== undefined && recorded.name !== now.name) ||
    marks.identity.some((path) => !isEqual(recorded.fields[path], now.fields[path]))
  );
}

/** The identity for the status. For a resource that only observes nothing is recorded: it may observe another one. */
export function identityFound(context: IdentityContext, run: Identifiable): string | undefined {
  const { seen, current } = run;
  const isObserver =
    !shouldCreate(current.spec) && !shouldUpdate(current.spec) && !shouldDelete(current.spec);
  const isRecorded = recordedIdentity(current, context.marks) !== undefined;
  if (seen === undefined || (isObserver && !isRecorded)) return undefined;
  const isAsWanted = seen.isUpToDate && isEmpty(seen.refused) && isEmpty(seen.drifted);
  return encodeIdentity(identityToRecord(context, run, { isAsWanted }));
}

/** The edits without effect, a sentence each: of the recorded identity, and those that the external system cannot make. */
export function refusals(
  { marks }: IdentityContext,
  { current, isExact, seen }: Identifiable,
): readonly string[] {
  const recorded = recordedIdentity(current, marks);
  const edits = recorded === undefined ? [] : editsOf(current, recorded, marks, isExact);
  const isKept = seen?.isUpToDate === false && shouldUpdate(current.spec) && !wasDeleted(current);
  const { refused = [], drifted = [] } = isKept ? seen : {};
  return [
    ...(edits.length === 0 ? [] : [editRefusal(edits)]),
    ...(refused.length === 0 ? [] : [changeRefusal(refused)]),
    ...(drifted.length === 0 ? [] : [driftRefusal(drifted)]),
  ];
}

/** The object with these annotations added. */
export const withAnnotations = <M extends Managed>(
  object: M,
  annotations: Readonly<Record<string, string>>,
): M => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});
