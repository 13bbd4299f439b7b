import { isSameEncoding, plainName } from './encoding.ts';
import type { Extension } from './extension.ts';
import type { Marked } from './mark.ts';

/** What a database should be like. What is left out is the server's default, and then not compared. */
export interface DatabaseSpec {
  /** A role that exists; default: the administrator. */
  readonly owner?: string;
  /** `encoding`, `lcCollate`, `lcCType`, `template` cannot be changed later. */
  readonly encoding?: string;
  readonly lcCollate?: string;
  readonly lcCType?: string;
  /** Default: template0, which nobody can connect to. */
  readonly template?: string;
  /** -1: none. */
  readonly connectionLimit?: number;
  /** Default true. */
  readonly allowConnections?: boolean;
  readonly extensions?: readonly Extension[];
}

export interface DatabaseObservation extends Marked {
  readonly owner: string;
  readonly encoding: string;
  readonly lcCollate: string;
  readonly lcCType: string;
  readonly connectionLimit: number;
  readonly allowConnections: boolean;
  readonly isTemplate: boolean;
  /** Whether every role of the server may connect. */
  readonly isOpenToPublic: boolean;
  /** Whether the administrator may connect. */
  readonly isOpenToAdmin: boolean;
  /** Left over from an interrupted DROP DATABASE: good for nothing but dropping again. */
  readonly isInvalid: boolean;
  /** Versions by name; undefined if not asked for or if the database takes no connection of ours. */
  readonly extensions?: Readonly<Record<string, string>>;
}

/** Fields that differ; those that only a new database could have are in `immutable`. */
export interface DatabaseDrift {
  readonly changed: readonly string[];
  readonly immutable: readonly ('encoding' | 'lcCollate' | 'lcCType')[];
}

/**
 * What `update` would change. A spec with extensions needs an observation `withExtensions`; extensions not in
 * the spec are left alone, and all of them while the spec allows no connections.
 */
export function databaseDrift(observed: DatabaseObservation, spec: DatabaseSpec): DatabaseDrift {
  const changed: string[] = [];
  if (spec.owner !== undefined && spec.owner !== observed.owner) changed.push('owner');
  if (spec.connectionLimit !== undefined && spec.connectionLimit !== observed.connectionLimit) {
    changed.push('connectionLimit');
  }
  if ((spec.allowConnections ?? true) !== observed.allowConnections) changed.push('allowConnections');
  if (observed.isOpenToPublic) changed.push('isOpenToPublic');
  if (spec.extensions?.length && (spec.allowConnections ?? true)) {
    // For extensions we must be let in.
    if (!observed.isOpenToAdmin) changed.push('isOpenToAdmin');
    const missing = spec.extensions.some(({ name, version }) => {
      const installed = observed.extensions?.[name];
      return installed === undefined || (version !== undefined && version !== installed);
    });
    if (missing) changed.push('extensions');
  }
  const immutable = (['encoding', 'lcCollate', 'lcCType'] as const).filter((field) => {
    const wanted = spec[field];
    if (wanted === undefined) return false;
    return field === 'encoding'
      ? !isSameEncoding(wanted, observed.encoding)
      : localeOf(wanted) !== localeOf(observed[field]);
  });
  return { changed, immutable };
}

/** `en_US.utf8` and `en_US.UTF-8` are the same locale; the C library calls POSIX C. */
const localeOf = (name: string): string => (name === 'POSIX' ? 'c' : plainName(name));
