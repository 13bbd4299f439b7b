import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judge } from '../../testing/conformance.ts';
import { rules } from '../../testing/rules/rules.ts';
import type { Conformance } from '../../testing/scenario.ts';
import type { Verdict } from '../../testing/verdict.ts';
import type { Box } from './box-cloud.ts';
import { boxClient, boxScenario, boxWorld } from './box-cloud.ts';

const [rule = assert.fail('no rule')] = rules;
const never = (): Promise<never> => new Promise(() => {});
const verdictOn = (changed: Pick<Conformance<Box>, 'open'>): Promise<Verdict> =>
  judge(rule, { ...boxScenario, time: 'network', limitMs: 500, ...changed });

describe('a rule ends within its limit, and the message names the last call,', () => {
  test('with a client that ignores its signal', async () => {
    const verdict = await verdictOn({
      open: (given) =>
        boxWorld(given, { client: (cloud) => () => ({ ...boxClient(cloud), observe: never }) }),
    });
    assert.deepEqual(verdict, {
      type: 'broken',
      message:
        'the rule, whose last call was observe, did not end within 0.5 s. To fix: end each call when its signal is aborted, or raise `limitMs` of the test',
    });
  });

  test('in a world that does not open', async () => {
    const verdict = await verdictOn({ open: never });
    assert.match(verdict.type === 'broken' ? verdict.message : '', /^`open` did not end within 0\.5 s\./);
  });
});

test('a world that does not close is named', async () => {
  const open: Conformance<Box>['open'] = async (given) => ({ ...(await boxWorld(given)), close: never });
  await assert.rejects(verdictOn({ open }), /`close` of the world did not end within 0\.5 s\./);
});
