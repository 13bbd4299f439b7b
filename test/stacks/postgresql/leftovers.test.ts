import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownerIdOf } from '../../../controllers/author/owner-id.ts';
import { unfinishedName } from '../../../stacks/postgresql/client/database-read.ts';
import { PostgresqlError } from '../../../stacks/postgresql/client/error.ts';
import type { Marked } from '../../../stacks/postgresql/client/mark.ts';
import { checkOurs, markOf } from '../../../stacks/postgresql/client/mark.ts';
import type { PostgreSQLDatabase } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { isAnythingLeft, removeAll } from '../../../stacks/postgresql/postgresql-database/leftovers.ts';

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
const foreign = markOf('somebody else');

/** The objects on a server, by name, with their comments. */
interface Scene {
  readonly databases?: Readonly<Record<string, string | undefined>>;
  readonly roles?: Readonly<Record<string, string | undefined>>;
  /** The owner of the databases, if it is not the role with the name of each. */
  readonly owner?: string;
}

/** A server that drops as the real one does: what is not of the owner is refused, and what is not there is no error. */
function serverWith(scene: Scene) {
  const dropped: string[] = [];
  const collection = (kind: 'database' | 'role', comments: Scene['roles'] = {}) => {
    const find = (name: string): (Marked & { readonly owner: string }) | undefined => {
      const comment = comments[name];
      if (!(name in comments)) return undefined;
      return { name, owner: scene.owner ?? name, ...(comment !== undefined && { comment }) };
    };
    return {
      observe: async (name: string) => find(name),
      async drop(name: string, { ownerId: owner }: { readonly ownerId: string }) {
        const found = find(name);
        if (found !== undefined) checkOurs(kind, found, owner);
        dropped.push(`${kind} ${name}`);
      },
      async dropUnfinished(name: string, { ownerId: owner }: { readonly ownerId: string }) {
        if (unfinishedName(owner, name) in comments) dropped.push(`unfinished ${name}`);
      },
    };
  };
  const server = {
    databases: collection('database', scene.databases),
    roles: collection('role', scene.roles),
    administrator: 'admin',
  };
  return { server: server as unknown as Parameters<typeof removeAll>[0], dropped };
}

describe('the remains of a database that is being deleted', () => {
  async function are(left: boolean, drops: readonly string[], scene: Scene = {}): Promise<void> {
    const { server, dropped } = serverWith(scene);
    assert.equal(await isAnythingLeft(server, leaving(), signal), left);
    await removeAll(server, leaving(), signal);
    assert.deepEqual(dropped, drops);
  }
  test('nothing: a creation that began is dropped all the same', () => are(false, ['database shop']));
  test('the database', () => are(true, ['database shop'], { databases: { shop: ours } }));
  test('a creation that was interrupted', () =>
    are(true, ['database shop'], { databases: { [unfinished]: undefined } }));
  for (const [whose, comment] of [
    ['of another owner', foreign],
    ['without a mark', undefined],
  ] as const) {
    test(`a creation that was interrupted, although a database ${whose} has the name`, () =>
      are(true, ['unfinished shop'], { databases: { shop: comment, [unfinished]: undefined } }));
  }
  test('the role of the database remains', () =>
    are(true, ['database shop', 'role shop'], { roles: { shop: ours } }));
  test('a database of another owner stays', () => are(false, [], { databases: { shop: foreign } }));
  test('a role of another owner does not remain', () =>
    are(false, ['database shop'], { roles: { shop: foreign } }));
  test('the role is dropped although the database has another owner', () =>
    are(true, ['role shop'], { databases: { shop: foreign }, roles: { shop: ours } }));

  test('a database that lost its mark: an administrator confirms the owner', async () => {
    const { server } = serverWith({ databases: { shop: undefined } });
    assert.equal(await isAnythingLeft(server, leaving(), signal), false);
    await assert.rejects(isAnythingLeft(server, leaving({ owner: 'shop' }), signal), {
      message: `database "shop" has no mark, but this resource managed a database of this name; to drop it with its data, run: COMMENT ON DATABASE "shop" IS '${ours}'; to keep it, set spec.deletionPolicy: Orphan`,
    });
  });

  const found = { owner: 'shop', externalIdentity: 'shop' };
  const managedBefore = ', but this resource managed a role of this name';
  const lost = [
    [found, managedBefore],
    [undefined, ''],
  ] as const;
  for (const [status, before] of lost) {
    const { server } = serverWith({ databases: { shop: ours }, roles: { shop: undefined } });
    const when = status === undefined ? ', after a restore without a status' : '';
    test(`a deletion waits where the owner role has no mark${when}, and names both ways out`, async () => {
      await assert.rejects(isAnythingLeft(server, leaving(status), signal), {
        message: `role "shop" has no mark${before}; this resource is being deleted: the statement lets it drop database "shop" with all its data. To drop it, an administrator of the server runs: COMMENT ON ROLE "shop" IS '${ours}'; to keep it, set spec.deletionPolicy: Orphan`,
      });
    });
  }

  test('a database whose owner role has the mark of another resource stays', async () => {
    const { server, dropped } = serverWith({ databases: { shop: ours }, roles: { shop: foreign } });
    assert.equal(await isAnythingLeft(server, leaving(found), signal), false);
    await removeAll(server, leaving(found), signal);
    assert.deepEqual(dropped, []);
  });

  test('a deletion waits where an administrator gave the database to another role', async () => {
    const { server, dropped } = serverWith({ databases: { shop: ours }, owner: 'legacy' });
    const isGiven = {
      message: `database "shop" is owned by role "legacy", which is not the role of this resource; this resource is being deleted, and that role may use the database. To drop database "shop" with all its data, an administrator of the server runs: ALTER DATABASE "shop" OWNER TO "admin"; to keep it, set spec.deletionPolicy: Orphan`,
    };
    await assert.rejects(isAnythingLeft(server, leaving(found), signal), isGiven);
    await assert.rejects(removeAll(server, leaving(found), signal), isGiven);
    assert.deepEqual(dropped, []);
  });

  test('a database that an administrator owns is dropped although another resource has its role', () =>
    are(true, ['database shop'], { databases: { shop: ours }, roles: { shop: foreign }, owner: 'admin' }));

  test('a database that another resource owns does not get the role of a third one', async () => {
    const { server } = serverWith({ roles: { shop: foreign } });
    const teamDatabase = { name: 'shop', comment: ours, owner: 'team', distrustedOwner: 'team' };
    const databases = { ...server.databases, observe: async () => teamDatabase };
    await assert.rejects(isAnythingLeft({ ...server, databases } as never, leaving(found), signal), {
      message: /^database "shop" belongs to role "team" of another resource, .* OWNER TO CURRENT_USER$/,
    });
  });

  test('a deletion waits where the database belongs to the role of another resource', async () => {
    const { server } = serverWith({ databases: { shop: ours } });
    const teamDatabase: Marked = { name: 'shop', comment: ours, distrustedOwner: 'team' };
    const databases = { ...server.databases, observe: async () => teamDatabase };
    await assert.rejects(isAnythingLeft({ ...server, databases } as never, leaving(found), signal), {
      message: `database "shop" is owned by role "team", which belongs to another resource; this resource is being deleted: the statement lets it drop database "shop" with all its data. To drop it, an administrator of the server runs: ALTER DATABASE "shop" OWNER TO "shop"; to keep it, set spec.deletionPolicy: Orphan`,
    });
  });

  test('a deletion does not wait for the role where the database is of another owner', async () => {
    const { server } = serverWith({ databases: { shop: foreign }, roles: { shop: foreign } });
    assert.equal(await isAnythingLeft(server, leaving({ externalIdentity: 'shop' }), signal), false);
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
