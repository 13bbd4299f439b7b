import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ConnectionDetails } from '../../../../../apis/core/v1alpha1/secret.ts';
import { database, edited, grant, role } from '../../passes.ts';
import type { Stack } from './fixture.ts';
import { loginOf } from './fixture.ts';

export function testGrants(stack: Stack): void {
  const { sql, refusal } = stack;
  let reader: ConnectionDetails = {};

  const login = (name: string) => ({ ...loginOf(reader), database: name });

  before(async () => {
    reader = (await stack.pass(role('reader'))).known;
    await stack.pass(role('team', {}));
    await stack.pass(database('ledger'));
    await stack.pass(database('archive'));
  });

  describe('a grant that is only observed', () => {
    const spec = { managementPolicies: ['Observe', 'LateInitialize'] as const };
    const lookAt = (forProvider: Parameters<typeof grant>[1]) => {
      const managed = grant('seen', forProvider, { spec });
      return stack.clientOf(managed).observe(managed, undefined, new AbortController().signal);
    };

    test('needs only the role and the target, and says what is held', async () => {
      await sql('CREATE ROLE guest; GRANT TEMPORARY, CONNECT ON DATABASE archive TO guest WITH GRANT OPTION');
      await sql('CREATE ROLE club; GRANT club TO guest');
      for (const [target, lateInitialized] of [
        [{ database: 'archive' }, { privileges: ['CONNECT', 'TEMPORARY'], withGrantOption: true }],
        [{ memberOf: 'club' }, { withGrantOption: false }],
      ] as const) {
        assert.deepEqual(await lookAt({ role: 'guest', ...target }), {
          exists: true,
          isUpToDate: true,
          ready: { type: 'Ready', status: 'True', reason: 'Available' },
          lateInitialized,
        });
      }
      assert.equal((await lookAt({ role: 'guest', database: 'ledger' })).exists, false);
    });
  });

  describe('a grant', () => {
    test('lets a role into a database, until it goes', async () => {
      const wanted = grant('into', { role: 'reader', database: 'ledger', privileges: ['CONNECT'] });
      assert.equal(await refusal(login('ledger')), '42501');
      const { managed, acted, observed } = await stack.pass(wanted);
      assert.equal(acted, 'create');
      assert.equal(observed.ready?.status, 'True');
      assert.deepEqual(managed.status?.granted, { role: 'reader', database: 'ledger' });
      assert.equal(await refusal(login('ledger')), 'allowed');
      assert.equal((await stack.pass(managed)).acted, undefined);
      assert.equal(await stack.remove(managed), false);
      assert.equal(await refusal(login('ledger')), '42501');
      assert.equal(await stack.remove(managed), false);
    });

    test('makes a role a member of another, until it goes', async () => {
      const isMember = async () =>
        (await sql<{ is: boolean }>(`SELECT pg_has_role('reader', 'team', 'MEMBER') AS is`))[0]?.is;
      const { managed } = await stack.pass(grant('member', { role: 'reader', memberOf: 'team' }));
      assert.equal(await isMember(), true);
      assert.equal((await stack.pass(managed)).acted, undefined);
      assert.equal(await stack.remove(managed), false);
      assert.equal(await isMember(), false);
    });

    test('that moves to another target revokes the former', async () => {
      const first = await stack.pass(
        grant('mover', { role: 'reader', database: 'ledger', privileges: ['CONNECT'] }),
      );
      const moved = await stack.pass(edited(first.managed, { database: 'archive' }));
      assert.deepEqual(moved.managed.status?.granted, { role: 'reader', database: 'archive' });
      assert.equal(await refusal(login('ledger')), '42501');
      assert.equal(await refusal(login('archive')), 'allowed');
      assert.equal((await stack.pass(moved.managed)).acted, undefined);
      assert.equal(await stack.remove(moved.managed), false);
    });

    test('that moves to a target where all is granted already revokes the former', async () => {
      await sql('GRANT CONNECT ON DATABASE archive TO reader');
      const first = await stack.pass(
        grant('lucky', { role: 'reader', database: 'ledger', privileges: ['CONNECT'] }),
      );
      const moved = await stack.pass(edited(first.managed, { database: 'archive' }));
      assert.equal(moved.acted, 'update');
      assert.equal(await refusal(login('ledger')), '42501');
      assert.equal(await stack.remove(moved.managed), false);
    });

    test('to the owner of the target is up to date, and goes without taking anything', async () => {
      const { managed, observed } = await stack.pass(
        grant('owner', { role: 'ledger', database: 'ledger', privileges: ['CONNECT'] }),
      );
      assert.equal(observed.isUpToDate, true);
      assert.equal((await stack.pass(managed)).acted, undefined);
      assert.equal(await stack.remove(managed), false);
      const [row] = await sql(`SELECT has_database_privilege('ledger', 'ledger', 'CREATE') AS may`);
      assert.deepEqual(row, { may: true });
    });

    test('that was made and not recorded before a crash is revoked all the same', async () => {
      const { managed } = await stack.pass(
        grant('lost', { role: 'reader', database: 'ledger', privileges: ['CONNECT'] }),
      );
      const { status: _lost, ...unrecorded } = managed;
      assert.equal(await stack.remove(unrecorded as typeof managed), false);
      assert.equal(await refusal(login('ledger')), '42501');
    });

    test('that waits for its role or database goes at once when it is deleted', async () => {
      const managed = grant('early', { role: 'nobody', database: 'ledger', privileges: ['CONNECT'] });
      await assert.rejects(stack.pass(managed), { message: /^role "nobody" does not exist; / });
      assert.equal(await stack.remove(managed), false);
    });

    const incomplete: Record<string, { readonly spec: Parameters<typeof grant>[1]; readonly says: RegExp }> =
      {
        'without role': {
          spec: { database: 'ledger', privileges: ['CONNECT'] },
          says: /spec.forProvider.role is needed/,
        },
        'without target': { spec: { role: 'reader' }, says: /needs either memberOf or database/ },
        'with two targets': {
          spec: { role: 'reader', database: 'ledger', memberOf: 'team' },
          says: /needs either memberOf or database/,
        },
        'without privileges': { spec: { role: 'reader', database: 'ledger' }, says: /privileges are needed/ },
        'with a privilege of another kind': {
          spec: { role: 'reader', database: 'ledger', privileges: ['USAGE'] },
          says: /"USAGE" is not a privilege on a database: ALL, CONNECT, CREATE, TEMPORARY/,
        },
      };
    for (const [what, { spec, says }] of Object.entries(incomplete)) {
      test(`${what} says what is missing, and can be deleted`, async () => {
        const managed = grant('incomplete', spec);
        await assert.rejects(stack.pass(managed), says);
        assert.equal(await stack.remove(managed), false);
      });
    }
  });
}
