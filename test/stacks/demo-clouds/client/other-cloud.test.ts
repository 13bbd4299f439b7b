import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CloudError } from '../../../../clients/cloud-error.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import { otherCloudClient } from '../../../../stacks/demo-clouds/client/other-cloud.ts';
import { startFavouriteCloud } from '../../../../testing/favourite-cloud/server.ts';
import { answering } from '../../../clients/answering.ts';

const cloud = await startFavouriteCloud({ flavour: 'other' });
const { databases } = otherCloudClient({ ...cloud, clock: realClock(), random: () => 0 });
after(() => cloud.stop());

const cart = { databaseName: 'cart', ambivalence: 5, adminPassword: 'correct-horse' };

test('a list is gathered from all its pages', async () => {
  const names = Array.from({ length: 600 }, (_, i) => `db-${i}`);
  for (let i = 0; i < names.length; i += 50) {
    const batch = names.slice(i, i + 50);
    await Promise.all(batch.map((databaseName) => databases.create({ ...cart, databaseName })));
  }
  const listed = await databases.list();
  assert.deepEqual(new Set(listed.map(({ databaseName }) => databaseName)), new Set(names));
});

const nonsense: Record<string, { answer: unknown; says: RegExp }> = {
  'no object': { answer: 7, says: /its body is not as documented/ },
  'a field of another type': {
    answer: { uuid: 'u', databaseName: 'cart', ambivalence: '5' },
    says: /its ambivalence is not as documented/,
  },
  'a text as long as a page of a gateway': {
    answer: { uuid: 'u'.repeat(300_000), databaseName: 'cart', ambivalence: 5 },
    says: /its uuid is not as documented/,
  },
};
for (const [name, { answer, says }] of Object.entries(nonsense)) {
  test(`an answer with ${name} is an error`, async () => {
    const client = otherCloudClient({
      url: 'http://cloud.test',
      token: 't',
      clock: realClock(),
      random: () => 0,
      dispatcher: answering(200, JSON.stringify(answer)),
    });
    await assert.rejects(
      client.databases.get('cart'),
      (error) => error instanceof CloudError && error.code === 'InvalidAnswer' && says.test(error.message),
    );
  });
}
