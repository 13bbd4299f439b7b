import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withLabelsOf } from '../../../stacks/gcp/labels.ts';
import { topic } from './objects.ts';

describe('the Kubernetes labels that a provider of Google Cloud lists', () => {
  const labels = { costCentre: '47.11', 'example.com/team': 'A', other: 'b' };

  test('are among the labels of the resource, in the characters that Google allows', () => {
    const given = topic({ labels: { stage: 'test', costcentre: '1' } }, { labels });
    const { spec } = withLabelsOf(given, ['costCentre', 'example.com/team', 'absent']);
    assert.deepEqual(spec.forProvider.labels, {
      stage: 'test',
      costcentre: '47_11',
      example_com_team: 'a',
    });
  });

  test('change no resource that lacks them, or whose provider lists none', () => {
    const given = topic({}, { labels });
    for (const keys of [undefined, [], ['absent']]) assert.equal(withLabelsOf(given, keys), given);
  });
});
