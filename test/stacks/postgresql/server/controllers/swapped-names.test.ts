import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { annotationKeys } from '../../../../../apis/core/v1alpha1/meta.ts';
import { PostgreSQLInstanceKind } from '../../../../../apis/database/v1alpha1/postgresql-instance.ts';
import type { PostgreSQLDatabase } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLDatabaseKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { postgresqlFixture } from '../clients/fixture.ts';
import { loginOf } from './fixture.ts';
import { StackScene } from './scene.ts';

/*
 * An administrator renames databases and roles of claims on a real server, so that another one has the name. Each
 * message is followed literally: its statements are run as they are printed, or its annotation is set.
 */

const fixture = await postgresqlFixture({ maxConnections: 40 });
const { sql, connect } = fixture;
const scene = new StackScene(fixture);
const { cluster } = scene;
const settle = () => scene.process.settle(70_000);

const resourceOf = (name: string): PostgreSQLDatabase =>
  cluster.get(PostgreSQLDatabaseKind, { name: scene.claim(name)?.spec.resourceRef?.name ?? '' })!;

/** Edits the managed resource of a claim, as an administrator does. */
function edit(name: string, change: (managed: PostgreSQLDatabase) => PostgreSQLDatabase): void {
  cluster.put(PostgreSQLDatabaseKind, change(resourceOf(name)));
}

function annotate(name: string, externalName: string): void {
  edit(name, (managed) => ({
    ...managed,
    metadata: {
      ...managed.metadata,
      annotations: { ...managed.metadata.annotations, [annotationKeys.externalName]: externalName },
    },
  }));
}

/** Ready of a claim, and the message of its managed resource for administrators. */
function stateOf(name: string) {
  const ready = scene.claim(name)?.status?.conditions?.find(({ type }) => type === 'Ready');
  const synced = resourceOf(name).status?.conditions?.find(({ type }) => type === 'Synced');
  return {
    ready: `${ready?.status} ${ready?.reason}`,
    team: ready?.message ?? '',
    says: synced?.status === 'True' ? '' : (synced?.message ?? ''),
  };
}

/** A claim whose database holds its own name. */
async function working(name: string, onLoss?: 'Report'): Promise<void> {
  scene.editClass(onLoss === undefined ? {} : { onLoss });
  scene.putClaim(name, { externalName: name });
  await settle();
  const session = await connect(loginOf(scene.details(name)));
  await session.query(`CREATE TABLE whose AS SELECT '${name}' AS name`);
  await session.end();
}

/** Rejects unless the claim's team gets its own data with its Secret. */
async function checkWorks(name: string): Promise<void> {
  assert.deepEqual(stateOf(name), { ready: 'True Available', team: stateOf(name).team, says: '' });
  const session = await connect(loginOf(scene.details(name)));
  const { rows } = await session.query<object>('SELECT name FROM whose');
  await session.end();
  assert.deepEqual(rows, [{ name }]);
}

/** Runs the statements of the message, in the order printed, in one session. */
async function follow(name: string): Promise<void> {
  const { says } = stateOf(name);
  const [, statements] =
    /(?:spare name|server runs): ((?:BEGIN|ALTER)[^.]*?)(?:\. |; to keep|$)/.exec(says) ?? [];
  assert.ok(statements, says);
  await sql(statements);
  await settle();
}

const rename = (kind: 'database' | 'role', from: string, to: string) =>
  `ALTER ${kind} "${from}" RENAME TO "${to}"`;
/** Run one by one, as the administrator of the fault did. */
async function swap(kind: 'database' | 'role', one: string, other: string): Promise<void> {
  await sql(rename(kind, one, 'between'));
  await sql(rename(kind, other, one));
  await sql(rename(kind, 'between', other));
  await settle();
}

describe('two claims whose names were swapped are not ready, and the messages end it', () => {
  test('roles', async () => {
    await working('e');
    await working('f');
    await swap('role', 'e', 'f');
    for (const [name, other] of [
      ['e', 'f'],
      ['f', 'e'],
    ] as const) {
      const { ready, says, team } = stateOf(name);
      assert.equal(ready, 'False ExternalResourceRenamed');
      assert.match(
        says,
        new RegExp(
          `^role "${name}" was renamed to "${other}", and PostgreSQLDatabase \\S+ of PostgreSQLInstance team/${other} has the name now; `,
        ),
      );
      assert.match(team, /^another resource has the name of its external resource now, and an administrator/);
    }
    const stale = stateOf('f').says;
    await follow('e');
    await checkWorks('e');
    await assert.rejects(sql(/BEGIN.*COMMIT/.exec(stale)?.[0] ?? ''), { code: '42704' });
    await follow('f');
    await checkWorks('e');
    await checkWorks('f');
  });

  test('databases: neither annotation is followed, because the role has another name', async () => {
    await working('g');
    await working('h');
    await swap('database', 'g', 'h');
    annotate('g', 'h');
    annotate('h', 'h-third');
    await settle();
    assert.match(
      stateOf('h').says,
      /^cannot change annotation crossplane\.io\/external-name from "h" to "h-third": .*; database "h" was renamed to "g", and PostgreSQLDatabase /,
    );
    assert.match(
      stateOf('g').says,
      /^cannot change annotation .* from "g" to "h": .*; database "g" was renamed to "h"/,
    );
    for (const name of ['g', 'h']) assert.equal(stateOf(name).ready, 'False ExternalResourceRenamed');
    annotate('g', 'g');
    annotate('h', 'h');
    await settle();
    await follow('h');
    await checkWorks('h');
    await follow('g');
    await checkWorks('g');
    await checkWorks('h');
  });

  test('databases and roles: both annotations are followed', async () => {
    await working('k');
    await working('l');
    await swap('database', 'k', 'l');
    await swap('role', 'k', 'l');
    assert.match(
      stateOf('k').says,
      /Or, to use it under that name, set the annotation crossplane\.io\/external-name to "l"$/,
    );
    annotate('k', 'l');
    annotate('l', 'k');
    await settle();
    await settle();
    await checkWorks('k');
    await checkWorks('l');
    assert.equal(scene.details('k').username, 'l');
  });
});

test('a database that a user created under the name of a renamed one is not given to its claim', async () => {
  await working('r3', 'Report');
  await sql(rename('database', 'r3', 'r3_moved'));
  await sql('CREATE DATABASE r3');
  await settle();
  const { ready, says, team } = stateOf('r3');
  assert.equal(ready, 'False ExternalResourceRenamed');
  assert.equal(
    says,
    'database "r3" was renamed to "r3_moved", and a database without a mark has the name now; to name it back, an administrator of the server first gives the other one a spare name: BEGIN; ALTER DATABASE "r3" RENAME TO "r3-other"; ALTER DATABASE "r3_moved" RENAME TO "r3"; COMMIT',
  );
  assert.match(team, /^database "r3" was renamed to "r3_moved"/);
  await follow('r3');
  await checkWorks('r3');
});

test('a database that belongs to another role now is not dropped with its claim, until an administrator confirms it', async () => {
  await working('m4');
  const { metadata } = resourceOf('m4');
  await sql('CREATE ROLE legacy LOGIN');
  await sql('ALTER DATABASE m4 OWNER TO legacy');
  await sql('REASSIGN OWNED BY m4 TO legacy; DROP OWNED BY m4').catch(() => {});
  const inside = await connect({ database: 'm4' });
  await inside.query('REASSIGN OWNED BY m4 TO legacy; DROP OWNED BY m4');
  await inside.end();
  await sql('DROP ROLE m4');
  cluster.delete(PostgreSQLInstanceKind, { namespace: 'team', name: 'm4' });
  await settle();
  const left = cluster.get(PostgreSQLDatabaseKind, { name: metadata.name });
  const says = left?.status?.conditions?.find(({ type }) => type === 'Synced')?.message ?? '';
  assert.match(
    says,
    /database "m4" is owned by role "legacy", which is not the role of this resource; .* runs: ALTER DATABASE "m4" OWNER TO "postgres"; to keep it, set spec\.deletionPolicy: Orphan$/,
  );
  const isThere = () => sql(`SELECT FROM pg_database WHERE datname = 'm4'`);
  assert.equal((await isThere()).length, 1);
  await sql(/ALTER DATABASE "m4" OWNER TO "[^"]*"/.exec(says)?.[0] ?? '');
  await settle();
  assert.equal((await isThere()).length, 0);
  assert.equal(cluster.get(PostgreSQLDatabaseKind, { name: metadata.name }), undefined);
});
