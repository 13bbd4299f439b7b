import assert from 'node:assert/strict';
import { test } from 'node:test';
import range from 'lodash/range.js';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { returnReasons } from '../../runtime/controller/wake.ts';
import { syncPeriodOver } from '../../runtime/process/run.ts';
import { generate } from './generate.ts';
import type { InvariantOf } from './invariant.ts';
import { allInvariants } from './invariants.ts';
import { play } from './play.ts';
import type { Step } from './scenario.ts';
import { brisk } from './shrink.ts';
import { attackSorts, isRogues, rogue } from './workload/attacks.ts';

const minuteMs = 60_000;
/** All that others have is at rest, and was observed. */
const beginMs = 3 * minuteMs;
/** More attacks of a sort are in the seeds, and on a real API server. */
const attacksOfEach = 14;

const ownTime = new Set<string>([...Object.values(returnReasons), syncPeriodOver]);

interface Line extends Partial<Readonly<Record<'msg' | 'kind' | 'namespace' | 'name', string>>> {
  readonly because?: readonly string[];
}

/** Counts of users have no owner. */
const isCount = (kind: string | undefined): boolean => kind === 'Provider' || kind === 'ProviderConfig';

/** Nothing of others changes, and no resource of theirs is observed earlier because of the tenant: others' turns are not used up. */
const untouched: InvariantOf = (world) => ({
  name: 'a tenant changes and wakes nothing of others',
  changed({ before, after }) {
    const object = after ?? before!;
    const isOurs = [before, after].some((each) => each !== undefined && isRogues(each));
    return world.elapsedMs < beginMs || object.kind === 'Event' || isCount(object.kind) || isOurs
      ? []
      : [`${object.kind} ${objectKeyText(object.metadata)} changes`];
  },
  logged(line) {
    const { msg, kind, namespace, name = '', because = [] } = JSON.parse(line) as Line;
    const isOthers = namespace !== rogue && !name.startsWith(`${rogue}-`) && !isCount(kind);
    const reasons = because.filter((reason) => !ownTime.has(reason));
    const isWithin = world.elapsedMs > beginMs && world.elapsedMs < world.scenario.troubleMs;
    return msg === 'reconciled' && isWithin && isOthers && reasons.length > 0
      ? [`${kind} ${name}: ${reasons}`]
      : [];
  },
});

for (const isLoose of [false, true]) {
  test(`a tenant who attacks all others changes and wakes nothing of theirs, ${isLoose ? 'also without rules' : 'with rules'}`, async () => {
    const { objects } = generate(1, 'hostile');
    const steps = attackSorts.flatMap((sort, nth) =>
      range(attacksOfEach).map(
        (index): Step => ({
          atMs: beginMs + 1_000 * (index * attackSorts.length + nth),
          act: { type: 'attack', sort, nth: index * 37 },
        }),
      ),
    );
    const troubleMs = beginMs + 1_000 * steps.length + minuteMs;
    const { violations } = await play(
      { seed: 1, objects, steps, pace: brisk, faults: [], troubleMs, isLoose, collectsGarbage: true },
      { invariants: [...allInvariants, untouched], logLevel: 'debug' },
    );
    assert.deepEqual(violations, []);
  });
}
