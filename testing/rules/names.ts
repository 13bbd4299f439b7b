import { expect } from '../verdict.ts';
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

export const names: readonly Rule[] = [takesLongNames];
