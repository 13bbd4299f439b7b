import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Marked } from '../../../stacks/postgresql/client/mark.ts';
import { markOf } from '../../../stacks/postgresql/client/mark.ts';
import type { Part, Renamed } from '../../../stacks/postgresql/renamed.ts';
import { renamedParts } from '../../../stacks/postgresql/renamed.ts';

/* Where the database and the role of resource `shop` are, and what its message says. */

const [atHome, swapped, unknown] = ['at home', 'swapped', 'unknown'].map(markOf);
const holderOf = (mark: string) => {
  if (mark === atHome) return { isClaims: true, what: 'PostgreSQLDatabase thief', externalName: 'shop' };
  return mark === swapped
    ? { isClaims: true, what: 'PostgreSQLDatabase cafe', externalName: 'cafe' }
    : undefined;
};
const spareName = async () => 'shop-other';
const named = (comment?: string): Marked => ({ name: 'shop', ...(comment && { comment }) });
const database = (own?: string, namesake?: Marked): Part => ({ kind: 'database', own, namesake });
const role = (own?: string, namesake?: Marked): Part => ({ kind: 'role', own, namesake });
const admin = 'an administrator of the server';
const follow = (name: string) =>
  `to use it under that name, set the annotation crossplane.io/external-name to "${name}"`;

describe('a database and its role are found by their marks, and the message ends it', () => {
  const rows: Readonly<Record<string, readonly [parts: readonly Part[], want: Renamed | undefined]>> = {
    'both have their name': [[database('shop'), role('shop')], undefined],
    'neither exists, and another resource has the name': [
      [database(undefined, named(atHome)), role(undefined, named(atHome))],
      undefined,
    ],
    'the database was renamed, and its role was not': [
      [database('old'), role('shop')],
      {
        message: `database "shop" was renamed to "old"; to name it back, ${admin} runs: ALTER DATABASE "old" RENAME TO "shop"`,
        kinds: ['database'],
      },
    ],
    'both were renamed, and nothing has the name': [
      [database('old'), role('old')],
      {
        message: `database and role "shop" were renamed to "old"; to name it back, ${admin} runs: BEGIN; ALTER DATABASE "old" RENAME TO "shop"; ALTER ROLE "old" RENAME TO "shop"; COMMIT`,
        kinds: ['database', 'role'],
        newName: 'old',
      },
    ],
    'a user created a database of the name of the renamed one': [
      [database('old', named()), role('shop')],
      {
        message: `database "shop" was renamed to "old", and a database without a mark has the name now; to name it back, ${admin} first gives the other one a spare name: BEGIN; ALTER DATABASE "shop" RENAME TO "shop-other"; ALTER DATABASE "old" RENAME TO "shop"; COMMIT`,
        kinds: ['database'],
        by: 'Nobody',
      },
    ],
    'the roles of two resources were swapped': [
      [database('shop'), role('cafe', named(swapped))],
      {
        message: `role "shop" was renamed to "cafe", and PostgreSQLDatabase cafe has the name now; to name it back, ${admin} first gives the other one a spare name: BEGIN; ALTER ROLE "shop" RENAME TO "shop-other"; ALTER ROLE "cafe" RENAME TO "shop"; COMMIT`,
        kinds: ['role'],
        by: 'AnotherResource',
      },
    ],
    'the databases and the roles of two resources were swapped': [
      [database('cafe', named(swapped)), role('cafe', named(swapped))],
      {
        message: `database and role "shop" were renamed to "cafe", and PostgreSQLDatabase cafe has the name now; to name it back, ${admin} first gives the other one a spare name: BEGIN; ALTER DATABASE "shop" RENAME TO "shop-other"; ALTER DATABASE "cafe" RENAME TO "shop"; ALTER ROLE "shop" RENAME TO "shop-other"; ALTER ROLE "cafe" RENAME TO "shop"; COMMIT. Or, ${follow('cafe')}`,
        kinds: ['database', 'role'],
        newName: 'cafe',
        by: 'AnotherResource',
      },
    ],
    'a resource that is called so has the name: it keeps it': [
      [database('old', named(atHome)), role('old', named(atHome))],
      {
        message: `database and role "shop" were renamed to "old", and PostgreSQLDatabase thief has the name now; ${follow('old')}`,
        kinds: ['database', 'role'],
        newName: 'old',
        by: 'AnotherResource',
      },
    ],
    'a resource that is not known here keeps the name, and the parts get one name first': [
      [database('old', named(unknown)), role('shop')],
      {
        message: `database "shop" was renamed to "old", and a resource that is not known here has the name now; to use it under a spare name, ${admin} runs: BEGIN; ALTER DATABASE "old" RENAME TO "shop-other"; ALTER ROLE "shop" RENAME TO "shop-other"; COMMIT. Then set the annotation crossplane.io/external-name to "shop-other"`,
        kinds: ['database'],
        by: 'AnotherResource',
      },
    ],
    'the parts have different names, and different holders': [
      [database('old', named()), role('older', named(swapped))],
      {
        message: `database "shop" was renamed to "old", and a database without a mark has the name now; role "shop" was renamed to "older", and PostgreSQLDatabase cafe has the name now; to name it back, ${admin} first gives the other one a spare name: BEGIN; ALTER DATABASE "shop" RENAME TO "shop-other"; ALTER DATABASE "old" RENAME TO "shop"; ALTER ROLE "shop" RENAME TO "shop-other"; ALTER ROLE "older" RENAME TO "shop"; COMMIT`,
        kinds: ['database', 'role'],
        by: 'AnotherResource',
      },
    ],
  };
  for (const [name, [parts, want]] of Object.entries(rows)) {
    test(name, async () =>
      assert.deepEqual(await renamedParts(parts, 'shop', { holderOf, spareName }), want),
    );
  }
});
