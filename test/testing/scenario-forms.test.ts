import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { describeClaims } from '../../testing/claims.ts';
import { describeConformance, judge } from '../../testing/conformance.ts';
import { rules } from '../../testing/rules/rules.ts';
import { checkedWorld, claimWorldForm } from '../../testing/scenario-forms.ts';
import { testClock } from '../../testing/test-clock.ts';
import { boxScenario, boxWorld } from './box-cloud.ts';

const scenario = {
  managed: FavouriteDBInstanceKind,
  forProvider: { fancinessLevel: 3 },
  open: boxWorld,
};
const claims = {
  managed: FavouriteDBInstanceKind,
  claim: FancySQLInstanceKind,
  class: FavouriteDBInstanceClassKind,
  forProvider: { fancinessLevel: 3 },
  change: { fancinessLevel: 5 },
  open: boxWorld,
};

/** The options as an author without a compiler may give them, and the message of the DefinitionError. */
const refused: Readonly<
  Record<string, readonly [call: (given: never) => void, given: unknown, message: string]>
> = {
  'no options': [
    describeConformance,
    undefined,
    'describeConformance got undefined, which must be an object',
  ],
  'no kind': [
    describeConformance,
    omit(scenario, 'managed'),
    'describeConformance got no managed, which must be a kind from defineManaged',
  ],
  'a claim kind': [
    describeConformance,
    { ...scenario, managed: FancySQLInstanceKind },
    'describeConformance got managed, an object, which must be a kind from defineManaged',
  ],
  'a change that is no list': [
    describeConformance,
    { ...scenario, changes: { fancinessLevel: 5 } },
    'describeConformance got changes, an object, which must be a list of objects',
  ],
  'a misspelt option': [
    describeConformance,
    { ...scenario, refusedChange: [{ region: 'eu' }] },
    'describeConformance got refusedChange; perhaps refusedChanges is meant',
  ],
  'keys that are no list': [
    describeConformance,
    { ...scenario, withoutDetails: [{ change: {}, keys: 'password' }] },
    'describeConformance got withoutDetails.0.keys, text, which must be a list of texts',
  ],
  'an unknown time': [
    describeConformance,
    { ...scenario, time: 'fast' },
    'describeConformance got time, text, which must be "virtual" or "network" or "real"',
  ],
  'a world in place of a function': [
    describeConformance,
    { ...scenario, open: {} },
    'describeConformance got open, an object, which must be a function',
  ],
  'claims without a class': [
    describeClaims,
    omit(claims, 'class'),
    'describeClaims got no class, which must be a kind from defineClass',
  ],
  'claims without a change': [
    describeClaims,
    omit(claims, 'change'),
    'describeClaims got no change, which must be an object',
  ],
};

describe('an option of another form is named', () => {
  for (const [name, [call, given, message]] of Object.entries(refused)) {
    test(name, () => {
      assert.throws(() => call(given as never), { name: 'DefinitionError', message });
    });
  }
});

/** The world as an author without a compiler may return it, and the verdict. */
const worlds: Readonly<Record<string, readonly [changed: object | undefined, finding: string]>> = {
  nothing: [undefined, '`open` returned undefined, which must be an object'],
  'no external resources': [
    { externals: undefined },
    '`open` returned no externals, which must be a function',
  ],
  'the external resources in place of a function': [
    { externals: [] },
    '`open` returned externals, a list, which must be a function',
  ],
  'credentials that are no text': [
    { credentials: { token: 1 } },
    '`open` returned credentials, an object, which must be text, or an object of texts',
  ],
  'a definition in place of a stack': [
    { stack: FavouriteDBInstanceKind },
    '`open` returned stack, an object, which must be a result of defineStack',
  ],
  'a misspelt hook': [{ loosAnswer: () => {} }, '`open` returned loosAnswer; perhaps loseAnswer is meant'],
};

describe('a world of another form breaks each rule, and is named', () => {
  const [rule = assert.fail('no rule')] = rules;
  for (const [name, [changed, finding]] of Object.entries(worlds)) {
    test(name, async () => {
      const open = async (given: Parameters<typeof boxWorld>[0]) =>
        (changed && { ...omit(boxWorld(given), 'loseAnswer'), ...changed }) as never;
      assert.deepEqual(await judge(rule, { ...boxScenario, open }), {
        type: 'broken',
        message: `${finding}. To fix: correct the result of \`open\``,
      });
    });
  }
});

test('a world of claims needs the function that loses external resources', () => {
  const world = { ...boxWorld({ clock: testClock(), random: Math.random }), opens: () => true };
  assert.throws(() => checkedWorld(claimWorldForm, world), {
    message: '`open` returned no lose, which must be a function. To fix: correct the result of `open`',
  });
});
