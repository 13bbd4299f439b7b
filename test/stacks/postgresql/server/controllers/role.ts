import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { annotationKeys } from '../../../../../apis/core/v1alpha1/meta.ts';
import { encodeIdentity } from '../../../../../controllers/external-identity.ts';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { deleted, edited, role } from '../../passes.ts';
import type { Stack } from './fixture.ts';
import { loginOf } from './fixture.ts';

export function testRoles(stack: Stack): void {
  const { sql, refusal } = stack;

  describe('a role', () => {
    test('that may log in has a password that works', async () => {
      const { managed, known, observed, acted } = await stack.pass(role('clerk'));
      assert.equal(acted, 'create');
      assert.equal(observed.ready?.status, 'True');
      assert.equal(await refusal({ ...loginOf(known), database: 'postgres' }), 'allowed');
      assert.equal(known.uri, `postgresql://clerk:${known.password}@127.0.0.1:${stack.local.port}`);
      assert.equal((await stack.pass(managed, known)).acted, undefined);
    });

    test('that a user renamed is found by its mark, with the statement that names it back', async () => {
      const { managed } = await stack.pass(role('walker'));
      await sql('ALTER ROLE walker RENAME TO rider');
      const record = encodeIdentity({ name: 'walker', fields: {} });
      const annotations = { ...managed.metadata.annotations, [annotationKeys.externalIdentity]: record };
      const observed = { ...managed, metadata: { ...managed.metadata, annotations } };
      const observe = () =>
        stack.clientOf(observed).observe(observed, undefined, new AbortController().signal);
      const { exists, renamed } = await observe();
      const annotate =
        'kubectl annotate postgresqlrole.postgresql.crossplane.io walker --overwrite crossplane.io/adopt-identity=or-create';
      assert.deepEqual(
        [exists, renamed],
        [
          false,
          `role "walker" was renamed to "rider"; to name it back, an administrator of the server runs: ALTER ROLE "rider" RENAME TO "walker". Or, to have an empty one created, while role "rider" keeps its objects and privileges: ${annotate}`,
        ],
      );
      await sql('ALTER ROLE rider RENAME TO walker');
      assert.equal((await observe()).exists, true);
    });

    test('that was renamed stays when its resource is deleted, and an Event names it', async () => {
      const { managed } = await stack.pass(role('drifter'));
      await sql('ALTER ROLE drifter RENAME TO hermit');
      const { exists, remains } = await stack
        .clientOf(managed)
        .observe(deleted(managed), undefined, new AbortController().signal);
      assert.deepEqual([exists, remains], [false, 'role "hermit", which has the mark of this resource']);
    });

    test('counts as renamed or lost while another resource has its name, and that one stays', async () => {
      const signal = new AbortController().signal;
      const { managed } = await stack.pass(role('seat'));
      const recorded = {
        ...managed,
        status: { ...managed.status, externalIdentity: encodeIdentity({ name: 'seat', fields: {} }) },
      };
      await sql('ALTER ROLE seat RENAME TO bench');
      await stack.pass(role('sitter', { login: true }, { externalName: 'seat' }));
      const observe = () => stack.clientOf(recorded).observe(recorded, undefined, signal);
      const renamed =
        'role "seat" was renamed to "bench", and a resource has the name now; to use it under that name, set the annotation crossplane.io/external-name to "bench"';
      assert.deepEqual(await observe(), {
        exists: false,
        isUpToDate: false,
        renamed,
        newName: 'bench',
        taken: renamed,
        takenBy: 'AnotherResource',
      });
      await sql('DROP ROLE bench');
      assert.equal(
        (await observe()).taken,
        'role "seat" is of a resource now, and the role of this resource does not exist any more; to have an empty one created, set another name in the annotation crossplane.io/external-name',
      );
      const { exists, remains } = await stack
        .clientOf(recorded)
        .observe(deleted(recorded), undefined, signal);
      assert.deepEqual([exists, remains], [false, undefined]);
    });

    test('that may not log in has none', async () => {
      const { managed, known, observed } = await stack.pass(role('staff', {}));
      assert.equal(observed.ready?.status, 'True');
      assert.equal(known.password, undefined);
      assert.equal((await stack.pass(managed, known)).acted, undefined);
    });

    test('gets a password when it is allowed to log in later', async () => {
      const first = await stack.pass(role('promoted', { login: false }));
      const second = await stack.pass(edited(first.managed, { login: true }), first.known);
      assert.equal(second.observed.ready?.status, 'True');
      assert.equal(await refusal({ ...loginOf(second.known), database: 'postgres' }), 'allowed');
    });

    test('is as forProvider says, and again after a change made elsewhere', async () => {
      const wanted = role('exact', {
        login: true,
        privileges: { createDb: true, inherit: false },
        connectionLimit: 4,
        configurationParameters: [
          { name: 'search_path', value: 'app, public' },
          { name: 'statement_timeout', value: '5s' },
        ],
      });
      const first = await stack.pass(wanted);
      const facts = () =>
        sql(`SELECT rolcreatedb, rolcreaterole, rolinherit, rolconnlimit, rolconfig,
             coalesce(rolvaliduntil, 'infinity') = 'infinity' AS lasts FROM pg_roles
             WHERE rolname = 'exact'`);
      const before = await facts();
      assert.deepEqual(before, [
        {
          rolcreatedb: true,
          rolcreaterole: false,
          rolinherit: false,
          rolconnlimit: 4,
          rolconfig: ['search_path=app, public', 'statement_timeout=5s'],
          lasts: true,
        },
      ]);
      await sql(`ALTER ROLE exact CREATEROLE NOCREATEDB CONNECTION LIMIT 9 VALID UNTIL '2001-01-01'`);
      await sql(`ALTER ROLE exact RESET statement_timeout; ALTER ROLE exact SET work_mem TO '64MB'`);
      const second = await stack.pass(first.managed, first.known);
      assert.equal(second.acted, 'update');
      assert.deepEqual(await facts(), before);
      assert.equal(await refusal({ ...loginOf(first.known), database: 'postgres' }), 'allowed');
    });

    test('that the provider logs in as is never managed, its mark notwithstanding', async () => {
      const { username } = stack.credentials;
      const managed = role('root', {}, { externalName: username });
      await sql(
        `COMMENT ON ROLE "${username}" IS '${markOf('postgresqlrole.postgresql.crossplane.io/root')}'`,
      );
      const refused = /^role "postgres" is the one that the provider logs in as; set another name/;
      const reported = (error: Error) => refused.test(error.message);
      await assert.rejects(stack.pass(managed), reported);
      assert.equal(await stack.remove(managed), false);
      await sql(`COMMENT ON ROLE "${username}" IS NULL`);
    });
  });
}
