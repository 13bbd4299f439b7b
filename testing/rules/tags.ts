import { ownerOf } from '../../controllers/author/whose-is.ts';
import type { Bench } from '../bench.ts';
import { expect, needed } from '../verdict.ts';
import type { Rule } from './rule.ts';

const mend =
  'leave out of the tags that forProvider asks for those that say whose the thing is, in create and in update; and write them anew with each change that replaces all tags';

const tagsOf = ({ kind, name }: { readonly kind: string; readonly name: string }) => ({
  'crossplane-kind': kind,
  'crossplane-name': name,
});

/** How often a resource is changed in five looks. */
async function changesOf(bench: Bench): Promise<number> {
  const before = bench.process.calls.length;
  await bench.passes('first', 5);
  return bench.process.calls.slice(before).filter((call) => call === 'update').length;
}

const sayNothing: Rule = {
  name: 'tags that are asked for never say whose a thing is',
  async check(bench) {
    const asking = needed(bench.conformance.tags, 'tags');
    const { forProvider } = bench.conformance;
    const heir = tagsOf(ownerOf(bench.draft('heir')));
    const stranger = tagsOf({ kind: 'thing.example.org', name: 'stranger' });
    await bench.ready('first', { ...forProvider, ...asking({ ...heir, made: 'so' }) });
    await bench.passes('first', 2);
    const usual = await changesOf(bench);
    const what = 'what is to have the tags of another owner';
    for (const [index, theirs] of [stranger, heir].entries()) {
      const before = (await bench.things()).length;
      bench.edit('first', asking({ ...theirs, edited: `${index}` }));
      await bench.passes('first', 3);
      await bench.until('first', () => bench.isReady('first'), `${what} is not Ready and Synced`, mend);
      const changes = await changesOf(bench);
      expect(changes <= usual, `${what} is changed again and again: ${changes} times in 5 looks`, mend);
      const after = (await bench.things()).length;
      expect(after === before, `${what} became ${after} things where there were ${before}`, mend);
    }
    const before = (await bench.things()).length;
    bench.put('heir', bench.another());
    await bench.until('heir', () => bench.isReady('heir'), 'one that is named in its tags is not made', mend);
    const made = (await bench.things()).length;
    expect(made === before + 1, 'a thing was handed over to whom its tags name', mend);
    bench.remove('first');
    const isGone = () => bench.object('first') === undefined;
    await bench.until('first', isGone, `${what} was deleted, and does not go`, mend);
    const calls = bench.process.calls.length;
    await bench.passes('heir', 3);
    const isLeft = bench.isReady('heir') && !bench.process.calls.slice(calls).includes('create');
    expect(isLeft, `${what} was deleted, and what it names was gone`, mend);
  },
};

export const tags: readonly Rule[] = [sayNothing];
