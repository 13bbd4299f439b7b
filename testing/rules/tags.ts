import { ownerOf } from '../../controllers/author/check-ownership.ts';
import type { Bench } from '../bench.ts';
import { expect, needed } from '../verdict.ts';
import type { Rule } from './rule.ts';

const fix =
  'remove tags that name an owner from the tags of forProvider, in create and update. Write the owner tags with each change that replaces all tags';

const tagsOf = ({ kind, name }: { readonly kind: string; readonly name: string }) => ({
  'crossplane-kind': kind,
  'crossplane-name': name,
});

/** How often a resource is changed in five observations. */
async function changesOf(bench: Bench): Promise<number> {
  const before = bench.process.calls.length;
  await bench.passes('first', 5);
  return bench.process.calls.slice(before).filter((call) => call === 'update').length;
}

const sayNothing: Rule = {
  name: 'tags of forProvider never change the owner of an external resource',
  async check(bench) {
    const asking = needed(bench.conformance.tags, 'tags');
    const { forProvider } = bench.conformance;
    const heir = tagsOf(ownerOf(bench.draft('heir')));
    const stranger = tagsOf({ kind: 'thing.example.org', name: 'stranger' });
    await bench.ready('first', { ...forProvider, ...asking({ ...heir, made: 'so' }) });
    await bench.passes('first', 2);
    const usual = await changesOf(bench);
    const what = 'a resource with the owner tags of another resource';
    for (const [index, foreign] of [stranger, heir].entries()) {
      const before = (await bench.externals()).length;
      bench.edit('first', asking({ ...foreign, edited: `${index}` }));
      await bench.passes('first', 3);
      await bench.until('first', () => bench.isReady('first'), `${what} is not Ready and Synced`, fix);
      const changes = await changesOf(bench);
      expect(changes <= usual, `${what} is changed repeatedly: ${changes} times in 5 observations`, fix);
      const after = (await bench.externals()).length;
      expect(
        after === before,
        `with ${what} there are ${after} external resources instead of ${before}`,
        fix,
      );
    }
    const before = (await bench.externals()).length;
    bench.put('heir', bench.another());
    await bench.until(
      'heir',
      () => bench.isReady('heir'),
      'the resource that the tags name is not created',
      fix,
    );
    const made = (await bench.externals()).length;
    expect(made === before + 1, 'an external resource got the owner that its tags name', fix);
    bench.remove('first');
    const isGone = () => bench.object('first') === undefined;
    await bench.until('first', isGone, `the deletion of ${what} does not end`, fix);
    const calls = bench.process.calls.length;
    await bench.passes('heir', 3);
    const isLeft = bench.isReady('heir') && !bench.process.calls.slice(calls).includes('create');
    expect(isLeft, `after the deletion of ${what} the external resource of the other resource was gone`, fix);
  },
};

export const tags: readonly Rule[] = [sayNothing];
