import { messageOf, outcomeOf } from '../outcome.ts';
import { expect } from '../verdict.ts';
import { deletion, finished, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const deletesTwice: Rule = {
  name: 'delete twice is fine, and what is gone is success',
  async check(bench) {
    const { managed } = await bench.ready();
    const leaving = bench.leaving(managed);
    const client = await bench.client(managed);
    const remove = async (which: string) => {
      const deleted = await outcomeOf(bench.settled(deletion(client, leaving), 'delete'));
      const mend = 'take what is being deleted, or is gone, for success';
      expect(deleted.type === 'done', `${which} delete is an error: ${messageOf(deleted)}`, mend);
      await finished(bench, client, deleted.value);
    };
    await remove('the first');
    await remove('a second');
    for (let looks = 0; looks < 200 && (await observe(bench, leaving)).exists; looks += 1) {
      await bench.passTime(bench.pauseMs);
    }
    const { exists } = await observe(bench, leaving);
    expect(!exists, 'it was deleted, and is still there', 'delete what was made');
    await remove('of what is gone, the');
  },
};

const mostSteps = 20;

const leavesNothing: Rule = {
  name: 'what is deleted goes and leaves nothing outside, whenever the process dies',
  async check(bench) {
    for (let steps = 0; steps <= mostSteps; steps += 1) {
      await bench.ready('first');
      if (steps > 0) bench.process.stepsLeft = steps;
      bench.remove('first');
      const isGone = () => bench.object('first') === undefined;
      const mend = 'answer `exists: false` once the system says that it is gone, and not before';
      await bench.until(
        'first',
        () => bench.process.hasCrashed || isGone(),
        'it was deleted, and did not go',
        mend,
      );
      const hasSurvived = steps > 0 && !bench.process.hasCrashed;
      if (bench.process.hasCrashed) bench.restart();
      const when = steps === 0 ? '' : `after a process that died at its step ${steps}, `;
      await bench.until('first', isGone, `${when}it did not go`, mend);
      const left = await bench.things();
      expect(left.length === 0, `${when}${JSON.stringify(left)} is left outside`, 'delete what was made');
      if (hasSurvived) return;
    }
  },
};

export const deleting: readonly Rule[] = [leavesNothing, deletesTwice];
