import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../../../clients/cloud-error.ts';
import type { HttpClient } from '../../../../clients/http.ts';
import { googleApi } from '../../../../stacks/gcp/client/google-api.ts';
import { memorystoreClient } from '../../../../stacks/gcp/client/memorystore.ts';
import { pubsubClient } from '../../../../stacks/gcp/client/pubsub.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { answering } from '../../../clients/answering.ts';

const account = 'robot@p.iam.gserviceaccount.com';
const reported = (status: number, text: string): HttpClient =>
  googleApi({
    account,
    url: 'http://gcp.test',
    token: 't',
    clock: testClock(),
    random: () => 0,
    dispatcher: answering(status, text),
  });

/** A thing of each kind, and an answer about another. */
const kinds: Readonly<
  Record<
    string,
    {
      of(http: HttpClient): { get(): Promise<unknown>; delete(): Promise<unknown> };
      readonly another: object;
    }
  >
> = {
  'an instance': {
    of(http) {
      const all = memorystoreClient({ http, projectID: 'p', account });
      const id = { region: 'l', name: 'cool' };
      return { get: () => all.get(id), delete: () => all.delete(id) };
    },
    another: { name: 'projects/p/locations/l/instances/warm', state: 'READY' },
  },
  'a topic': {
    of(http) {
      const all = pubsubClient({ http, projectID: 'p' });
      return { get: () => all.get('cool'), delete: () => all.delete('cool') };
    },
    another: { name: 'projects/p/topics/warm' },
  },
};

/** Answers with 404 that are no statement of the cloud about the resource. */
const strangers: Readonly<Record<string, string>> = {
  'the page of a gateway': '<html><body><h1>404 Not Found</h1></body></html>',
  'an empty answer': '',
  'an error without a status': '{"error":{"code":404,"message":"not found"}}',
  'a project that there is not':
    '{"error":{"code":404,"status":"NOT_FOUND","message":"Requested project not found or user does not have access to it."}}',
};

for (const [what, { of, another }] of Object.entries(kinds)) {
  describe(`${what} of Google Cloud is absent only if the cloud itself reports that`, () => {
    test('reading it is undefined, deleting it is no error', async () => {
      const text = '{"error":{"code":404,"status":"NOT_FOUND","message":"Resource was not found"}}';
      const items = of(reported(404, text));
      assert.equal(await items.get(), undefined);
      assert.equal(await items.delete(), undefined);
    });

    for (const [stranger, text] of Object.entries(strangers)) {
      test(`is not proven by the answer of ${stranger}`, async () => {
        const items = of(reported(404, text));
        const isBare404 = (error: unknown) => error instanceof CloudError && error.status === 404;
        await assert.rejects(items.get(), isBare404);
        await assert.rejects(items.delete(), isBare404);
      });
    }

    test('an answer about another is none', async () => {
      await assert.rejects(of(reported(200, JSON.stringify(another))).get(), {
        message: /the answer makes no sense: it is about ".*\/warm"$/,
      });
    });
  });
}
