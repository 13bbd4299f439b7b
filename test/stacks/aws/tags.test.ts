import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Owner } from '../../../clients/ownership-tags.ts';
import { countedTags } from '../../../stacks/aws/client/tag-limit.ts';
import type { TagChange, TagsWanted } from '../../../stacks/aws/tags.ts';
import { ownTags, tagChange, tagsRule } from '../../../stacks/aws/tags.ts';

const owner: Owner = { kind: 'queue.sqs.aws.crossplane.io', name: 'orders' };
const ours = { 'crossplane-kind': owner.kind, 'crossplane-name': owner.name };
const reserved = { 'aws:cloudformation:stack-name': 'x' };

describe('tags of a thing of ours', () => {
  const rows: Readonly<Record<string, Partial<TagsWanted> & { readonly want: TagChange | undefined }>> = {
    'stay as they are if the spec has none': { actual: { ...ours, team: 'a' }, want: undefined },
    'name the owner': { actual: { team: 'a' }, want: { set: ours, remove: [] } },
    'are those that are wanted, and those of others are kept': {
      actual: { ...ours, team: 'a', stage: 'test' },
      wanted: { team: 'b', cost: '1' },
      want: { set: { team: 'b', cost: '1' }, remove: [] },
    },
    'keep those of AWS, which only AWS can set or remove': {
      actual: { ...ours, ...reserved },
      wanted: { 'aws:mine': 'x', team: 'a' },
      want: { set: { team: 'a' }, remove: [] },
    },
    'name the owner, even if the spec has other values': {
      actual: ours,
      wanted: { 'crossplane-name': 'theirs' },
      want: undefined,
    },
    'follow another provider with the next change only': {
      actual: { ...ours, 'crossplane-class': 'former' },
      isChanging: true,
      want: { set: {}, remove: ['crossplane-class'] },
    },
    'and not by themselves': { actual: { ...ours, 'crossplane-class': 'former' }, want: undefined },
  };
  for (const [name, { want, actual = {}, isChanging = false, ...given }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(tagChange({ actual, owner, isChanging, ...given }), want));
  }

  test('of users are all but those', () => {
    assert.deepEqual(ownTags({ ...ours, ...reserved, team: 'a' }), { team: 'a' });
  });

  test('that users may not write make no difference', () => {
    assert.equal(tagsRule.equals?.({ ...ours, team: 'b', 'aws:mine': 'x' }, { team: 'b', a: 'b' }), true);
    assert.equal(tagsRule.equals?.({ team: 'b' }, { team: 'a' }), false);
  });
});

describe('the number of tags of a resource', () => {
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, 'x']));
  test('is at most 50, and those of AWS do not count', () => {
    const tags = { ...many(48), ...ours, ...reserved };
    assert.equal(countedTags(tags), tags);
  });
  test('if it is larger, the message says how many are ours, before AWS is asked', () => {
    assert.throws(() => countedTags({ ...many(49), ...ours }), {
      message:
        'AWS takes 50 tags of a resource, of which 2 are ours, and there would be 49 others; change spec.forProvider.tags',
      errorClass: 'Invalid',
    });
  });
});
