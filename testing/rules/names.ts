import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import { expect, Skipped } from '../verdict.ts';
import type { Rule } from './rule.ts';

/** As long as the name of a claim's managed resource may be. */
const longest = 63;
const longName = (last: string): string =>
  `${'long-name-of-a-claim-'.repeat(4).slice(0, longest - 2)}-${last}`;

const takesLongNames: Rule = {
  name: 'names of 63 characters work, and two that begin alike are two',
  async check(bench) {
    const [one, two] = [longName('1'), longName('2')];
    const mend = 'say in `names` what the system takes: what is longer is then cut so that it stays apart';
    bench.put(one);
    await bench.until(one, () => bench.isReady(one), 'a name of 63 characters did not become Ready', mend);
    bench.put(two, bench.another());
    await bench.passes(two, 3);
    await bench.until(
      two,
      () => bench.isReady(two),
      'a second name of 63 characters did not become Ready',
      mend,
    );
    const { length } = await bench.things();
    expect(length === 2, `two names of 63 characters came to ${length} outside`, mend);
    bench.remove(two);
    await bench.until(two, () => bench.object(two) === undefined, 'the second was deleted, and did not go');
    await bench.pass(one);
    const left = (await bench.things()).length;
    expect(left === 1, `one of two with long names was deleted, and ${left} are left`, mend);
  },
};

const makesNothingOfNames: Rule = {
  name: 'where names are assigned, one that is of nothing is told, and nothing is made for it',
  async check(bench) {
    if (!bench.isNameAssigned) throw new Skipped('names are known beforehand');
    const { managed } = await bench.ready();
    const name = externalName(managed) ?? '';
    expect(name !== '', 'what was created has no external name', 'answer with `externalName` in create');
    bench.remove('first');
    const isGone = (which: string) => () => bench.object(which) === undefined;
    await bench.until('first', isGone('first'), 'it was deleted, and did not go');
    await bench.passTime(bench.longMs);
    const mend =
      'answer `nothingThere(writtenNameProblem(…))` in observe: who wrote it down means to take something over';
    const before = await bench.things();
    for (const which of ['second', 'third']) {
      bench.put(which, undefined, { [annotationKeys.externalName]: name });
      await bench.passes(which, 6);
      await bench.expectUnchanged(before, 'the name of what is not there', mend);
      const { status, message } = bench.condition(which, 'Synced');
      expect(status === 'False' && message !== '', `that is told nowhere: Synced is ${status}`, mend);
      if (which === 'third') continue;
      bench.remove(which);
      await bench.until(which, isGone(which), 'what names something that is not there does not go', mend);
    }
    bench.unname('third');
    await bench.until('third', () => bench.isReady('third'), 'without that name, nothing is made', mend);
  },
};

export const names: readonly Rule[] = [takesLongNames, makesNothingOfNames];
