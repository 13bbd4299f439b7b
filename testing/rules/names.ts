import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import { expect, Skipped } from '../verdict.ts';
import type { Rule } from './rule.ts';

/** The longest name of a claim's managed resource. */
const longest = 63;
const longName = (last: string): string =>
  `${'long-name-of-a-claim-'.repeat(4).slice(0, longest - 2)}-${last}`;

const takesLongNames: Rule = {
  name: 'names of 63 characters work and stay different if they begin alike',
  async check(bench) {
    const [one, two] = [longName('1'), longName('2')];
    const fix = "declare the system's rules in `names`: longer names are then cut and stay different";
    bench.put(one);
    await bench.until(
      one,
      () => bench.isReady(one),
      'a resource with a name of 63 characters did not become Ready',
      fix,
    );
    bench.put(two, bench.another());
    await bench.passes(two, 3);
    await bench.until(
      two,
      () => bench.isReady(two),
      'a second resource with a name of 63 characters did not become Ready',
      fix,
    );
    const { length } = await bench.externals();
    expect(length === 2, `two resources with names of 63 characters have ${length} external resources`, fix);
    bench.remove(two);
    await bench.until(
      two,
      () => bench.object(two) === undefined,
      'the deletion of the second resource did not end',
    );
    await bench.pass(one);
    const left = (await bench.externals()).length;
    expect(
      left === 1,
      `one of two resources with long names was deleted, and ${left} external resources remain`,
      fix,
    );
  },
};

const makesNothingOfNames: Rule = {
  name: 'an assigned name of no external resource is reported and nothing is created for it',
  async check(bench) {
    if (!bench.isNameAssigned) throw new Skipped('the system does not assign names');
    const { managed } = await bench.ready();
    const name = externalName(managed) ?? '';
    expect(name !== '', 'the created resource has no external name', 'return `externalName` in create');
    bench.remove('first');
    const isGone = (which: string) => () => bench.object(which) === undefined;
    await bench.until('first', isGone('first'), 'the deletion of the resource did not end');
    await bench.passTime(bench.longMs);
    const fix =
      'return `nothingThere(writtenNameProblem(…))` in observe: a user who sets the name wants to take an external resource over';
    const before = await bench.externals();
    for (const which of ['second', 'third']) {
      bench.put(which, undefined, { [annotationKeys.externalName]: name });
      await bench.passes(which, 6);
      await bench.expectUnchanged(before, 'a name of no external resource', fix);
      const { status, message } = bench.condition(which, 'Synced');
      expect(
        status === 'False' && message !== '',
        `a name of no external resource is not reported: Synced is ${status}`,
        fix,
      );
      if (which === 'third') continue;
      bench.remove(which);
      await bench.until(
        which,
        isGone(which),
        'the deletion of a resource with a name of no external resource did not end',
        fix,
      );
    }
    bench.unname('third');
    await bench.until(
      'third',
      () => bench.isReady('third'),
      'the resource did not become Ready after the name was removed',
      fix,
    );
  },
};

export const names: readonly Rule[] = [takesLongNames, makesNothingOfNames];
