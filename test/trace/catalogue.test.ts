import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allStacks } from '../../app/stacks.ts';
import { catalogueOf } from '../../trace/catalogue.ts';

describe('a word that names no kind: the kinds that are most like it', () => {
  const catalogue = catalogueOf(allStacks);
  /** The word, and what was meant first. */
  const words: readonly (readonly [word: string, first: string])[] = [
    ['fancysqlinstnce', 'fancysqlinstances.database.crossplane.io'],
    ['FancySQL', 'fancysqlinstances.database.crossplane.io'],
    ['favouritedb', 'favouritedbinstances.database.fcp.crossplane.io'],
    ['vpc.ec2', 'vpcs.ec2.aws.upbound.io'],
    ['providerconfg', 'providerconfigs.aws.crossplane.io'],
    ['postgresinstance', 'postgresqlinstances.database.crossplane.io'],
  ];
  for (const [word, first] of words) {
    test(word, () => {
      const said = new RegExp(
        `^"${word}" is not a known kind; did you mean ${first.replaceAll('.', '\\.')}( or |\\?$)`,
      );
      assert.throws(() => catalogue.named(word), { name: 'UnknownKind', message: said });
    });
  }

  test('not more than three', () => {
    assert.throws(
      () => catalogue.named('instance-class'),
      ({ message }: Error) => message.split(' or ').length === 3,
    );
  });
});
