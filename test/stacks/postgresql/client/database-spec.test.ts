import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DatabaseObservation } from '../../../../stacks/postgresql/client/database-spec.ts';
import { databaseDrift } from '../../../../stacks/postgresql/client/database-spec.ts';

const observed: DatabaseObservation = {
  name: 'shop',
  owner: 'ann',
  encoding: 'UTF8',
  lcCollate: 'C',
  lcCType: 'en_US.UTF-8',
  localeProvider: 'libc',
  connectionLimit: -1,
  allowConnections: true,
  isTemplate: false,
  isOpenToPublic: false,
  isOpenToAdmin: true,
  isOpenToOwner: true,
  isInvalid: false,
};

type Names = readonly (readonly [field: 'encoding' | 'lcCollate' | 'lcCType', wanted: string, is: string])[];

describe('another spelling of the same encoding or locale is no difference', () => {
  const same: Names = [
    ['encoding', 'utf-8', 'UTF8'],
    ['encoding', 'Unicode', 'UTF8'],
    ['encoding', 'ISO-8859-1', 'LATIN1'],
    ['encoding', 'iso_8859_15', 'LATIN9'],
    ['encoding', 'windows-1252', 'WIN1252'],
    ['encoding', 'Windows 932', 'SJIS'],
    ['encoding', 'win', 'WIN1251'],
    ['encoding', 'koi8', 'KOI8R'],
    ['encoding', 'sql-ascii', 'SQL_ASCII'],
    ['lcCollate', 'POSIX', 'C'],
    ['lcCType', 'en_US.utf8', 'en_US.UTF-8'],
  ];
  for (const [field, wanted, is] of same) {
    test(`${field} ${wanted} of ${is}`, () =>
      assert.deepEqual(databaseDrift({ ...observed, [field]: is }, { [field]: wanted }).immutable, []));
  }
});

describe('another encoding or locale is a difference', () => {
  const other: Names = [
    ['encoding', 'LATIN1', 'LATIN9'],
    ['encoding', 'ISO-8859-5', 'LATIN5'],
    ['encoding', 'constructor', 'UTF8'],
    ['lcCollate', 'POSIX', 'en_US.UTF-8'],
    ['lcCollate', 'de_DE', 'de_AT'],
    ['lcCType', 'C', 'C.UTF-8'],
  ];
  for (const [field, wanted, is] of other) {
    test(`${field} ${wanted} of ${is}`, () =>
      assert.deepEqual(databaseDrift({ ...observed, [field]: is }, { [field]: wanted }).immutable, [field]));
  }
});

test('a locale of another provider than libc is a difference, whatever its name is', () => {
  const icuDatabase = { ...observed, localeProvider: 'icu' } as const;
  const { immutable } = databaseDrift(icuDatabase, {
    lcCollate: 'C',
    lcCType: 'en_US.UTF-8',
    encoding: 'UTF8',
  });
  assert.deepEqual(immutable, ['lcCollate', 'lcCType']);
});

test('a database of another provider than libc is as a spec that names no locale', () =>
  assert.deepEqual(databaseDrift({ ...observed, localeProvider: 'icu' }, {}).immutable, []));
