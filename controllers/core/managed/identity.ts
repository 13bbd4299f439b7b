import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import set from 'lodash/set.js';
import unset from 'lodash/unset.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';

/** What tells one external resource from all others, and what may not change of it. */
export interface Identity {
  /** The external name; absent until the external system has given one. */
  readonly name?: string;
  /** The system it is in, as that calls itself. */
  readonly system?: string;
  /** The immutable fields of `forProvider` that have a value, by path. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Somebody says that what the resource and its provider name now is what they have always named. */
export const isAdopting = (managed: Managed): boolean =>
  managed.metadata.annotations?.[annotationKeys.adoptIdentity] === 'true';

/** What a managed resource names now. `paths` are those of the immutable fields of its kind. */
export function identityOf(managed: Managed, paths: readonly string[], system?: string): Identity {
  const name = externalName(managed);
  return {
    ...(name === undefined ? {} : { name }),
    ...(system === undefined ? {} : { system }),
    fields: fieldsAt(managed, paths),
  };
}

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
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ name, system, fields: Object.fromEntries(sorted) });
};

/** What is not of our making is as good as nothing. */
function decode(text: string | undefined): Identity | undefined {
  try {
    const { name, system, fields } = JSON.parse(text ?? '');
    if (typeof fields !== 'object' || fields === null) return undefined;
    return {
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      ...(typeof system === 'string' ? { system } : {}),
      fields,
    };
  } catch {
    return undefined;
  }
}

/**
 * The managed resource as it is recorded: edits of what it names are left out, and what was removed is there again. What
 * has been given a value since stays, unless `isExact`.
 */
export function asRecorded<M extends Managed>(
  managed: M,
  { name, fields }: Identity,
  paths: readonly string[],
  isExact = false,
): M {
  const given = fieldsAt(managed, paths);
  const wanted = isExact ? fields : { ...given, ...fields };
  const forProvider = isEqual(given, wanted) ? undefined : structuredClone({ ...managed.spec.forProvider });
  if (forProvider !== undefined) {
    for (const path of Object.keys(given)) unset(forProvider, path);
    for (const [path, value] of Object.entries(wanted)) set(forProvider, path, value);
  }
  const annotations = { ...managed.metadata.annotations };
  if (name !== undefined) annotations[annotationKeys.externalName] = name;
  return {
    ...managed,
    metadata: { ...managed.metadata, annotations },
    ...(forProvider && { spec: { ...managed.spec, forProvider } }),
  };
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
