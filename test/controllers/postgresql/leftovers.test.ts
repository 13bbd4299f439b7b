import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { unfinishedName } from '../../../clients/postgresql/database-read.ts';
import { PostgresqlError } from '../../../clients/postgresql/error.ts';
import type { Marked } from '../../../clients/postgresql/mark.ts';
import { checkOurs, markOf } from '../../../clients/postgresql/mark.ts';
import type { PostgresqlServer } from '../../../clients/postgresql/server.ts';
import { ownerIdOf } from '../../../controllers/postgresql/ownership.ts';
import { isAnythingLeft, removeAll } from '../../../controllers/postgresql/postgresql-database/leftovers.ts';

const leaving = (status?: PostgreSQLDatabase['status']): PostgreSQLDatabase => ({
  apiVersion: 'postgresql.crossplane.io/v1alpha1',
  kind: 'PostgreSQLDatabase',
  metadata: { name: 'shop', deletionTimestamp: '2026-01-02T03:00:00Z' },
  spec: { forProvider: {} },
  ...(status && { status }),
});
const { signal } = new AbortController();
const ownerId = ownerIdOf(leaving());
const unfinished = unfinishedName(ownerId, 'shop');
const ours = markOf(ownerId);
const theirs = markOf('somebody else');

/** The objects on a server, by name, with their comments. */
interface Scene {
  readonly databases?: Readonly<Record<string, string | undefined>>;
  readonly roles?: Readonly<Record<string, string | undefined>>;
}

/** A server that drops as the real one does: what is not of the owner is refused, and what is not there is no error. */
function serverWith(scene: Scene) {
  const dropped: string[] = [];
  const collection = (kind: 'database' | 'role', comments: Scene['roles'] = {}) => {
    const find = (name: string): Marked | undefined => {
      const comment = comments[name];
      return name in comments ? { name, ...(comment !== undefined && { comment }) } : undefined;
    };
    return {
      observe: async (name: string) => find(name),
      async drop(name: string, { ownerId: owner }: { readonly ownerId: string }) {
        const found = find(name);
        if (found !== undefined) checkOurs(kind, found, owner);
        dropped.push(`${kind} ${name}`);
      },
    };
  };
  const server = {
    databases: collection('database', scene.databases),
    roles: collection('role', scene.roles),
  };
  return { server: server as unknown as PostgresqlServer, dropped };
}

describe('the remains of a database that is being deleted', () => {
  const rows: Readonly<
    Record<string, Scene & { readonly left: boolean; readonly drops: readonly string[] }>
  > = {
    'nothing: a creation that began is dropped all the same': { left: false, drops: ['database shop'] },
    'the database': { databases: { shop: ours }, left: true, drops: ['database shop'] },
    'a creation that was interrupted': {
      databases: { [unfinished]: undefined },
      left: true,
      drops: ['database shop'],
    },
    'its role': { roles: { shop: ours }, left: true, drops: ['database shop', 'role shop'] },
    'a database of another owner stays': { databases: { shop: theirs }, left: false, drops: [] },
    'so does a role of another owner': { roles: { shop: theirs }, left: false, drops: ['database shop'] },
    'its role is dropped although the database has another owner': {
      databases: { shop: theirs },
      roles: { shop: ours },
      left: true,
      drops: ['role shop'],
    },
  };
  for (const [name, { left, drops, ...scene }] of Object.entries(rows)) {
    test(name, async () => {
      const { server, dropped } = serverWith(scene);
      assert.equal(await isAnythingLeft(server, leaving(), signal), left);
      await removeAll(server, leaving(), signal);
      assert.deepEqual(dropped, drops);
    });
  }

  test('a database that lost its mark: an administrator confirms the owner', async () => {
    const { server } = serverWith({ databases: { shop: undefined } });
    assert.equal(await isAnythingLeft(server, leaving(), signal), false);
    await assert.rejects(isAnythingLeft(server, leaving({ owner: 'shop' }), signal), {
      message: `database "shop" was managed here, but its mark was removed; to drop it, run: COMMENT ON DATABASE "shop" IS '${ours}'; to keep it, set spec.deletionPolicy: Orphan`,
    });
  });

  test('a deletion waits for another session, and the message says how to end the session', async () => {
    const { server } = serverWith({ databases: { shop: ours } });
    const busy = new PostgresqlError('database "shop" has 1 open session', {
      code: 'InUse',
      isRetryable: true,
    });
    const inUse = { ...server, databases: { ...server.databases, drop: () => Promise.reject(busy) } };
    await assert.rejects(removeAll(inUse, leaving(), signal), {
      message:
        'database "shop" has 1 open session; waiting for them to end; to terminate them, set spec.forProvider.onDelete: TerminateSessions',
    });
  });
});
