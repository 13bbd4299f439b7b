import { messageOf, outcomeOf } from '../outcome.ts';
import { expect } from '../verdict.ts';
import { deletion, finished, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const deletesTwice: Rule = {
  name: 'delete succeeds twice and for an external resource that does not exist',
  async check(bench) {
    const { managed } = await bench.ready();
    const leaving = bench.leaving(managed);
    const client = await bench.client(managed);
    const remove = async (which: string) => {
      const deleted = await outcomeOf(bench.settled(deletion(client, leaving), 'delete'));
      const fix = 'treat an external resource that is being deleted or does not exist as success';
      expect(deleted.type === 'done', `${which} delete throws: ${messageOf(deleted)}`, fix);
      await finished(bench, client, deleted.value);
    };
    await remove('the first');
    await remove('a second');
    for (let looks = 0; looks < 200 && (await observe(bench, leaving)).exists; looks += 1) {
      await bench.passTime(bench.pauseMs);
    }
    const { exists } = await observe(bench, leaving);
    expect(!exists, 'the external resource was deleted, but still exists', 'delete the external resource');
    await remove('for an external resource that does not exist,');
  },
};

const mostSteps = 20;

const leavesNothing: Rule = {
  name: 'a deletion ends and leaves no external resource, also if the process dies',
  async check(bench) {
    for (let steps = 0; steps <= mostSteps; steps += 1) {
      await bench.ready('first');
      if (steps > 0) bench.process.stepsLeft = steps;
      bench.remove('first');
      const isGone = () => bench.object('first') === undefined;
      const fix =
        'return `exists: false` when the system reports that the external resource does not exist, and not before';
      await bench.until(
        'first',
        () => bench.process.hasCrashed || isGone(),
        'the deletion of the resource did not end',
        fix,
      );
      const hasSurvived = steps > 0 && !bench.process.hasCrashed;
      if (bench.process.hasCrashed) bench.restart();
      const when = steps === 0 ? '' : `after a process that was killed at step ${steps}, `;
      await bench.until('first', isGone, `${when}the deletion of the resource did not end`, fix);
      const left = await bench.externals();
      expect(
        left.length === 0,
        `${when}these external resources remain: ${JSON.stringify(left)}`,
        'delete the external resource',
      );
      if (hasSurvived) return;
    }
  },
};

export const deleting: readonly Rule[] = [leavesNothing, deletesTwice];
