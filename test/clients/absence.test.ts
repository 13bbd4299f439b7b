import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { CloudCollection } from '../../clients/cloud-collection.ts';
import { cloudCollection } from '../../clients/cloud-collection.ts';
import { CloudError } from '../../clients/cloud-error.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { httpClient } from '../../clients/http.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../stacks/demo-clouds/client/other-cloud.ts';
import { testClock } from '../../testing/test-clock.ts';
import { answering } from './answering.ts';

type Readable = Pick<CloudCollection<object, never, never>, 'get' | 'delete'>;

/** Each collection of things, and the code of the cloud for a thing that does not exist. */
type Collection = readonly [of: (options: Omit<HttpClientOptions, 'cloud'>) => Readable, word: string];
const instances: Collection = [(options) => favouriteCloudClient(options).instances, 'InstanceNotFound'];
const collections: Record<string, Collection> = {
  'an instance of Favourite Cloud': instances,
  'a network of Favourite Cloud': [(options) => favouriteCloudClient(options).networks, 'NetworkNotFound'],
  'a database of Other Cloud': [(options) => otherCloudClient(options).databases, 'DatabaseNotFound'],
};

/** Answers with 404 that are no statement of the cloud about the resource. */
const strangers: Record<string, string> = {
  "a gateway's page": '<html><body><h1>404 Not Found</h1></body></html>',
  'an empty answer': '',
  "a gateway's JSON": '{"message":"no Route matched with those values"}',
  'an error without a code': '{"error":{"message":"not found"}}',
  'an error that is text': '{"error":"NotFound"}',
  'a path the cloud does not know': '{"error":{"code":"PathNotFound","message":"path does not exist"}}',
  'a thing of another kind': '{"error":{"code":"ProjectNotFound","message":"project does not exist"}}',
};

/** The collection where every request gets this answer. */
const reported = (of: Collection[0], status: number, text: string): Readable =>
  of({
    url: 'http://cloud.test',
    token: 't',
    clock: testClock(),
    random: () => 0,
    dispatcher: answering(status, text),
  });

for (const [what, [collection, word]] of Object.entries(collections)) {
  describe(`${what} is absent only if the cloud itself reports that`, () => {
    test('reading it is undefined, deleting it is no error', async () => {
      const text = JSON.stringify({ error: { code: word, message: 'gone' } });
      const items = reported(collection, 404, text);
      assert.equal(await items.get('cool'), undefined);
      await items.delete('cool');
    });

    for (const [stranger, text] of Object.entries(strangers)) {
      const isBare404 = (error: unknown) => error instanceof CloudError && error.status === 404;
      test(`is not proven by the answer of ${stranger}`, async () => {
        const items = reported(collection, 404, text);
        await assert.rejects(items.get('cool'), isBare404);
        await assert.rejects(items.delete('cool'), isBare404);
      });
    }
  });
}

test('a cloud may have several words for what does not exist', async () => {
  const word = ['ThingNotFound', 'ThingDeleted'];
  for (const code of [...word, 'ProjectNotFound']) {
    const of = (options: Omit<HttpClientOptions, 'cloud'>): Readable =>
      cloudCollection<object, never, never>({
        http: httpClient({ ...options, cloud: 'A Cloud' }),
        noun: 'thing',
        path: '/v1/things',
        missingCode: word,
        schema: z.object({}),
        page: () => ({ items: [] }),
        pageSize: {},
        nameOf: () => undefined,
        idOf: () => 'cool',
      });
    const items = reported(of, 404, JSON.stringify({ error: { code } }));
    const [read, deleted] = [items.get('cool'), items.delete('cool')];
    if (word.includes(code)) assert.deepEqual(await Promise.all([read, deleted]), [undefined, undefined]);
    else for (const attempt of [read, deleted]) await assert.rejects(attempt, { name: 'CloudError', code });
  }
});

test('a name that a path takes for another place is asked for nowhere, and nothing is made or deleted there', async () => {
  const { instances } = favouriteCloudClient({
    url: 'http://cloud.test',
    token: 't',
    clock: testClock(),
    random: () => 0,
    dispatcher: { request: () => assert.fail('a request was sent') },
  });
  for (const name of ['', '.', '..']) {
    assert.equal(await instances.get(name), undefined);
    await instances.delete(name);
    await assert.rejects(
      instances.create({ name, fanciness_level: 1, password: 'correct-horse', tags: {} }),
      { message: `cannot create instance "${name}": nothing can have that name` },
    );
  }
});

test('a page that is not of the cloud is said to be', async () => {
  await assert.rejects(
    reported(instances[0], 404, '<html></html>').get('cool'),
    /^CloudError: cannot get instance "cool": Favourite Cloud \(http:\/\/cloud\.test\), or a gateway before it, answered \(404\)$/,
  );
});

test('an answer about another instance than was asked for is no answer', async () => {
  const text = JSON.stringify({ id: 1, name: 'warm', fanciness_level: 1, version: '5.7', status: 'ONLINE' });
  const refusal = { name: 'CloudError', code: 'InvalidAnswer', message: /it is about "warm"/ };
  await assert.rejects(reported(instances[0], 200, text).get('cool'), refusal);
});
