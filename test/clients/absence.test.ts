import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MockAgent } from 'undici';
import { z } from 'zod';
import type { CloudCollection } from '../../clients/cloud-collection.ts';
import { cloudCollection } from '../../clients/cloud-collection.ts';
import { CloudError } from '../../clients/cloud-error.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import type { HttpClientOptions } from '../../clients/http.ts';
import { httpClient } from '../../clients/http.ts';
import { otherCloudClient } from '../../clients/other-cloud.ts';
import { testClock } from '../../testing/test-clock.ts';

type Readable = Pick<CloudCollection<object, never, never>, 'get' | 'delete'>;

/** Each collection of things, the path of one named `cool`, and the cloud's word for one that is not there. */
const collections: Record<
  string,
  {
    readonly of: (options: Omit<HttpClientOptions, 'cloud'>) => Readable;
    readonly path: string;
    readonly word: string;
  }
> = {
  'an instance of Favourite Cloud': {
    of: (options) => favouriteCloudClient(options).instances,
    path: '/v1/instances/cool',
    word: 'InstanceNotFound',
  },
  'a network of Favourite Cloud': {
    of: (options) => favouriteCloudClient(options).networks,
    path: '/v1/networks/cool',
    word: 'NetworkNotFound',
  },
  'a database of Other Cloud': {
    of: (options) => otherCloudClient(options).databases,
    path: '/v2/databases/cool',
    word: 'DatabaseNotFound',
  },
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

async function answering<R>(
  { of, path }: (typeof collections)[string],
  method: 'GET' | 'DELETE',
  reply: { readonly status: number; readonly text: string },
  act: (collection: Readable) => Promise<R>,
): Promise<R> {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent.get('http://cloud.test').intercept({ path, method }).reply(reply.status, reply.text);
  try {
    return await act(
      of({ url: 'http://cloud.test', token: 't', clock: testClock(), random: () => 0, dispatcher: agent }),
    );
  } finally {
    await agent.close();
  }
}

for (const [what, collection] of Object.entries(collections)) {
  describe(`${what} is absent only if the cloud itself reports that`, () => {
    const said = { status: 404, text: JSON.stringify({ error: { code: collection.word, message: 'gone' } }) };

    test('reading it is undefined, deleting it is no error', async () => {
      assert.equal(await answering(collection, 'GET', said, (things) => things.get('cool')), undefined);
      await answering(collection, 'DELETE', said, (things) => things.delete('cool'));
    });

    for (const [stranger, text] of Object.entries(strangers)) {
      const isBare404 = (error: unknown) => error instanceof CloudError && error.status === 404;
      test(`and not by the word of ${stranger}`, async () => {
        const reply = { status: 404, text };
        await assert.rejects(
          answering(collection, 'GET', reply, (things) => things.get('cool')),
          isBare404,
        );
        await assert.rejects(
          answering(collection, 'DELETE', reply, (things) => things.delete('cool')),
          isBare404,
        );
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
    const collection = { of, path: '/v1/things/cool', word: code };
    const reply = { status: 404, text: JSON.stringify({ error: { code } }) };
    const read = answering(collection, 'GET', reply, (things) => things.get('cool'));
    const deleted = answering(collection, 'DELETE', reply, (things) => things.delete('cool'));
    if (word.includes(code)) assert.deepEqual(await Promise.all([read, deleted]), [undefined, undefined]);
    else for (const attempt of [read, deleted]) await assert.rejects(attempt, { name: 'CloudError', code });
  }
});

test('a name that a path takes for another place is asked for nowhere, and nothing is made or deleted there', async () => {
  const agent = new MockAgent();
  agent.disableNetConnect(); // so that any request fails
  const { instances } = favouriteCloudClient({
    url: 'http://cloud.test',
    token: 't',
    clock: testClock(),
    random: () => 0,
    dispatcher: agent,
  });
  for (const name of ['', '.', '..']) {
    assert.equal(await instances.get(name), undefined);
    await instances.delete(name);
    await assert.rejects(
      instances.create({ name, fanciness_level: 1, password: 'correct-horse', tags: {} }),
      {
        message: `cannot create instance "${name}": nothing can have that name`,
      },
    );
  }
  await agent.close();
});

test('a page that is not of the cloud is said to be', async () => {
  const collection = collections['an instance of Favourite Cloud'] ?? assert.fail();
  const reply = { status: 404, text: '<html></html>' };
  await assert.rejects(
    answering(collection, 'GET', reply, (things) => things.get('cool')),
    /^CloudError: cannot get instance "cool": Favourite Cloud \(http:\/\/cloud\.test\), or a gateway before it, answered \(404\)$/,
  );
});

test('an answer about another instance than was asked for is no answer', async () => {
  const collection = collections['an instance of Favourite Cloud'] ?? assert.fail();
  const text = JSON.stringify({ id: 1, name: 'warm', fanciness_level: 1, version: '5.7', status: 'ONLINE' });
  await assert.rejects(
    answering(collection, 'GET', { status: 200, text }, (things) => things.get('cool')),
    (error) =>
      error instanceof CloudError &&
      error.code === 'InvalidAnswer' &&
      /it is about "warm"/.test(error.message),
  );
});
