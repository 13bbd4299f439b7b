import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import omit from 'lodash/omit.js';
import type { Answer } from './caller.ts';
import { start } from './caller.ts';

const topics = '/v1/projects/example-project/topics';
const name = 'projects/example-project/topics/news';

test('a topic is created at once, updated by a mask, and deleted', async () => {
  const { send } = await start();
  const labels = { team: 'a' };
  const made = await send('PUT', `/v1/${name}`, { labels, messageRetentionDuration: '600s' });
  assert.deepEqual(made.body, { name, labels, messageRetentionDuration: '600s' });
  assert.deepEqual((await send('GET', `/v1/${name}`)).body, made.body);

  const policy = { allowedPersistenceRegions: ['europe-west1'] };
  const topic = { name, labels: { team: 'b' }, messageStoragePolicy: policy };
  const changed = { ...made.body, messageStoragePolicy: policy };
  const patched = async (body: object) => (await send('PATCH', `/v1/${name}`, body)).body;
  assert.deepEqual(await patched({ topic, updateMask: 'messageStoragePolicy' }), changed);
  assert.deepEqual(await patched({ topic: { name }, updateMask: 'labels' }), omit(changed, 'labels'));

  assert.deepEqual((await send('DELETE', `/v1/${name}`)).body, {});
  assert.equal((await send('GET', `/v1/${name}`)).status, 404);
});

test('a topic accepts messages and has no subscriptions', async () => {
  const { cloud, send } = await start();
  await send('PUT', `/v1/${name}`, {});
  const messages = [{ data: 'aGVsbG8=' }, { attributes: { a: 'b' } }];
  assert.deepEqual((await send('POST', `/v1/${name}:publish`, { messages })).body, {
    messageIds: ['1', '2'],
  });
  assert.equal(cloud.topics.get(name)?.published, 2);
  assert.deepEqual((await send('GET', `/v1/${name}/subscriptions`)).body, {});
});

test('topics are listed by pages', async () => {
  const { send } = await start();
  for (const id of ['one', 'two', 'three']) await send('PUT', `${topics}/${id}`, {});
  const idsOf = ({ body }: Answer) =>
    (body.topics as readonly { name: string }[]).map((topic) => topic.name.split('/').at(-1));
  const first = await send('GET', `${topics}?pageSize=2`);
  assert.deepEqual(idsOf(first), ['one', 'three']);
  const second = await send('GET', `${topics}?pageSize=2&pageToken=${first.body.nextPageToken}`);
  assert.deepEqual([idsOf(second), second.body.nextPageToken], [['two'], undefined]);
});

describe("an invalid request gets Google's error:", () => {
  type Case = readonly [request: readonly [string, string, unknown?], code: number, message: string];
  const update = (updateMask: string, topic: object = {}) =>
    ['PATCH', `${topics}/there`, { topic, updateMask }] as const;
  const unknown = (field: string): string =>
    `Invalid update_mask provided in the UpdateTopicRequest: '${field}' is not a known Topic field. Note that field paths must be of the form 'schema_settings' rather than 'schemaSettings'.`;
  const cases: Readonly<Record<string, Case>> = {
    'a topic that is not there': [['GET', `/v1/${name}`], 404, 'Resource not found (resource=news).'],
    'a deletion of one': [['DELETE', `/v1/${name}`], 404, 'Resource not found (resource=news).'],
    'a name that is taken': [
      ['PUT', `${topics}/there`, {}],
      409,
      'Resource already exists in the project (resource=there).',
    ],
    'a name that is reserved': [
      ['PUT', `${topics}/google-news`, {}],
      400,
      'Invalid [topics] name: (name=projects/example-project/topics/google-news). A topic ID has 3 to 255 letters, numbers, dashes, periods, underscores, tildes, plus signs and percent signs. It starts with a letter, and not with "goog".',
    ],
    'two names': [
      ['PUT', `/v1/${name}`, { name: 'projects/example-project/topics/other' }],
      400,
      'The name in the URL and in the topic must be the same: projects/example-project/topics/other',
    ],
    'no mask': [update(''), 400, 'The update_mask in the UpdateTopicRequest must be set'],
    'a mask of what there is not': [update('colour'), 400, unknown('colour')],
    'a change of the key': [
      update('kmsKeyName', { kmsKeyName: 'projects/p/locations/l/keyRings/r/cryptoKeys/k' }),
      400,
      unknown('kms_key_name'),
    ],
    'a retention that is too short': [
      ['PUT', `/v1/${name}`, { messageRetentionDuration: '599s' }],
      400,
      'Topic message retention duration must be between 10 minutes and 31 days.',
    ],
    'a project that there is not': [
      ['GET', '/v1/projects/no-such-project/topics'],
      404,
      'Requested project not found or user does not have access to it (project=no-such-project). Make sure to specify the unique project identifier and not the Google Cloud Console display name.',
    ],
  };
  for (const [what, [[method, path, body], code, message]] of Object.entries(cases)) {
    test(what, async () => {
      const { cloud, send } = await start();
      const { body: there } = await send('PUT', `${topics}/there`, {});
      const answer = await send(method, path, body);
      assert.deepEqual([answer.status, (answer.body.error as { message: string }).message], [code, message]);
      assert.deepEqual(map(cloud.topics.all(), 'name'), [there.name]);
    });
  }
});
