import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database } from '../../passes.ts';
import { loginOf, stackFixture } from './fixture.ts';

const stack = await stackFixture({ initdb: ['--locale-provider=icu', '--icu-locale=en'] });
const { sql } = stack;

/** How the database of a Secret orders a, B, c. C puts capitals first, ICU does not. */
async function order(known: Parameters<typeof loginOf>[0]): Promise<unknown> {
  const statement = "SELECT string_agg(x, '' ORDER BY x) AS sorted FROM unnest(ARRAY['a', 'B', 'c']) AS x";
  return (await sql<{ sorted: string }>(statement, loginOf(known)))[0]?.sorted;
}

test('a database with a locale has the order of that locale, also on a server that was initialised with ICU', async () => {
  const { managed, known, observed } = await stack.pass(database('ordered', { lcCollate: 'C' }));
  assert.equal(await order(known), 'Bac');
  assert.deepEqual([managed.status?.lcCollate, managed.status?.localeProvider], ['C', undefined]);
  assert.equal(observed.isUpToDate, true);
});

test('a database without a locale has the provider of the server, and its status shows that', async () => {
  const { managed, known, observed } = await stack.pass(database('plain'));
  assert.equal(await order(known), 'aBc');
  assert.equal(managed.status?.localeProvider, 'icu');
  assert.equal(observed.isUpToDate, true);
});

test('a database of another provider does not equal a spec with its locale, and the message names the provider', async () => {
  const { known } = await stack.pass(database('before'));
  await assert.rejects(stack.pass(database('before', { lcCollate: 'C' }), known), {
    message:
      'cannot change spec.forProvider.lcCollate from "C" of provider icu to "C": PostgreSQL sets it at creation only; undo the edit, or create a new resource',
  });
});

test('a database that is only observed gets no locale that another provider ignores', async () => {
  const managed = database('before', {}, { spec: { managementPolicies: ['Observe', 'LateInitialize'] } });
  const { lateInitialized } = await stack
    .clientOf(managed)
    .observe(managed, undefined, new AbortController().signal);
  assert.deepEqual(lateInitialized, { owner: 'before', encoding: 'UTF8' });
});
