import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { MySQLGrantKind } from '../../stacks/mysql/kinds/v1alpha1/mysql-grant.ts';
import type { describeConformance } from '../../testing/conformance.ts';
import { judge } from '../../testing/conformance.ts';
import { rules } from '../../testing/rules/rules.ts';
import { boxScenario, boxWorld } from './box-cloud.ts';

/** Takes a scenario, as describeConformance does, and runs nothing. */
const scenario: typeof describeConformance = () => {};
const managed = FavouriteDBInstanceKind;
const forProvider = { fancinessLevel: 3 };
const open = boxWorld;

/** The compiler tests these scenarios, which would tell nothing: an `@ts-expect-error` without an error is an error. */
void {
  'a field that the kind has not': () =>
    // @ts-expect-error it is fancinessLevel
    scenario({ managed, forProvider: { fanciness: 3 }, open }),
  'a value of another type': () =>
    // @ts-expect-error levels are numbers
    scenario({ managed, forProvider: { fancinessLevel: 'three' }, open }),
  'another external resource of a field that the kind has not': () =>
    // @ts-expect-error it is fancinessLevel
    scenario({ managed, forProvider, another: { fancinessLevel: 3, fanciness: 3 }, open }),
  'another external resource, by number, with a value of another type': () =>
    // @ts-expect-error levels are numbers
    scenario({ managed, forProvider, another: (number) => ({ fancinessLevel: `${number}` }), open }),
  'a change of a field that the kind has not': () =>
    // @ts-expect-error it is fancinessLevel
    scenario({ managed, forProvider, changes: [{ fanciness: 5 }], open }),
  'a refused change of a field that the kind has not': () =>
    // @ts-expect-error there is no region
    scenario({ managed, forProvider, refusedChanges: [{ region: 'eu' }], open }),
  'a change after which details go, of a field that the kind has not': () =>
    // @ts-expect-error there is no login
    scenario({ managed, forProvider, withoutDetails: [{ change: { login: false }, keys: [] }], open }),
  'a late field that the kind has not': () =>
    // @ts-expect-error there is no region
    scenario({ managed, forProvider, late: ['region'], open }),
  'a connection detail that the kind has not': () =>
    // @ts-expect-error it is endpoint
    scenario({ managed, forProvider, details: ['address'], open }),
  'a connection detail that goes, and that the kind has not': () =>
    // @ts-expect-error it is endpoint
    scenario({ managed, forProvider, withoutDetails: [{ change: {}, keys: ['address'] }], open }),
  'a field to find it by that the kind has not': () =>
    // @ts-expect-error there is no region
    scenario({ managed, forProvider, foundBy: ['region'], open }),
  'a claim': () =>
    // @ts-expect-error it has no external client
    scenario({ managed: FancySQLInstanceKind, forProvider, open }),
  'a world without external resources': () =>
    // @ts-expect-error nobody could tell what is outside
    scenario({ managed, forProvider, open: (given) => ({ stack: open(given).stack, credentials: '' }) }),
};

/** The compiler accepts this one: the words of another external resource, by number, need no `as const`. */
void (() =>
  scenario({
    managed: MySQLGrantKind,
    forProvider: { user: 'clerk', database: 'museum', privileges: ['SELECT'] },
    another: (number) => ({ user: `clerk${number}`, database: 'museum', privileges: ['SELECT'] }),
    open,
  }));

test('a kind that the stack of the world does not manage is named', async () => {
  const [rule = assert.fail('no rules')] = rules;
  const misplaced = { ...boxScenario, managed, forProvider, changes: [], refusedChanges: [], late: [] };
  const { withoutDetails: _none, tags: _tags, ...rest } = misplaced;
  const verdict = await judge(rule, { ...rest, open });
  assert.equal(verdict.type, 'broken');
  assert.match(
    verdict.type === 'broken' ? verdict.message : '',
    /^Error: stack boxes does not manage FavouriteDBInstance\n/,
  );
});
