import { isSameEncoding, plainName } from './encoding.ts';
import type { Extension, InstalledExtension } from './extension.ts';
import { extensionDrift } from './extension.ts';
import type { Marked } from './mark.ts';

/** The wanted state of a database. Absent fields get the server's default, and are not compared. */
export interface DatabaseSpec {
  /** A role that exists; default: the administrator. */
  readonly owner?: string;
  /** The resource that `owner` was resolved from. Its role is used, whether the resource still exists or not. */
  readonly ownerResource?: string;
  /** `encoding`, `lcCollate`, `lcCType`, `template` cannot be changed later. */
  readonly encoding?: string;
  readonly lcCollate?: string;
  readonly lcCType?: string;
  /** Default: template0, which accepts no connections. */
  readonly template?: string;
  /** -1: no limit. */
  readonly connectionLimit?: number;
  /** Default true. */
  readonly allowConnections?: boolean;
  readonly extensions?: readonly Extension[];
}

export type LocaleProvider = 'libc' | 'icu' | 'builtin';

export interface DatabaseObservation extends Marked {
  readonly owner: string;
  readonly encoding: string;
  readonly lcCollate: string;
  readonly lcCType: string;
  /** The library whose locale decides. With another than libc, `lcCollate` and `lcCType` order nothing. */
  readonly localeProvider: LocaleProvider;
  readonly connectionLimit: number;
  readonly allowConnections: boolean;
  readonly isTemplate: boolean;
  /** Whether every role of the server may connect. */
  readonly isOpenToPublic: boolean;
  /** Whether the administrator may connect. */
  readonly isOpenToAdmin: boolean;
  /** Whether its owner may connect. An administrator can revoke this, and the owner itself can. */
  readonly isOpenToOwner: boolean;
  /** An interrupted DROP DATABASE left it. It can only be dropped again. */
  readonly isInvalid: boolean;
  /** Undefined if they were not requested, or if the database does not accept our connection. */
  readonly extensions?: readonly InstalledExtension[];
}

/** Fields that differ. `immutable` has the fields that need a new database. */
export interface DatabaseDrift {
  readonly changed: readonly string[];
  readonly immutable: readonly ('encoding' | 'lcCollate' | 'lcCType')[];
}

/**
 * The changes that `update` would make. A spec with extensions needs an observation `withExtensions`. Extensions that
 * the spec does not name are left alone. While the spec allows no connections, all extensions are left alone.
 */
export function databaseDrift(observed: DatabaseObservation, spec: DatabaseSpec): DatabaseDrift {
  const changed: string[] = [];
  if (spec.owner !== undefined && spec.owner !== observed.owner) changed.push('owner');
  if (spec.connectionLimit !== undefined && spec.connectionLimit !== observed.connectionLimit) {
    changed.push('connectionLimit');
  }
  if ((spec.allowConnections ?? true) !== observed.allowConnections) changed.push('allowConnections');
  if (observed.isOpenToPublic) changed.push('isOpenToPublic');
  if (!observed.isOpenToOwner) changed.push('isOpenToOwner');
  if (spec.extensions?.length && (spec.allowConnections ?? true)) {
    // Extensions can only be changed over a connection to the database.
    if (!observed.isOpenToAdmin) changed.push('isOpenToAdmin');
    const { extensions: installed = [] } = observed;
    if (spec.extensions.some((each) => extensionDrift(installed, each))) changed.push('extensions');
  }
  const immutable = (['encoding', 'lcCollate', 'lcCType'] as const).filter((field) => {
    const wanted = spec[field];
    if (wanted === undefined) return false;
    return field === 'encoding'
      ? !isSameEncoding(wanted, observed.encoding)
      : observed.localeProvider !== 'libc' || localeOf(wanted) !== localeOf(observed[field]);
  });
  return { changed, immutable };
}

/** `en_US.utf8` and `en_US.UTF-8` are the same locale; the C library calls POSIX C. */
const localeOf = (name: string): string => (name === 'POSIX' ? 'c' : plainName(name));
