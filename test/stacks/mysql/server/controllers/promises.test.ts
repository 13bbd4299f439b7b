import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import type { Kind } from '../../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../../../../apis/core/v1alpha1/namespace.ts';
import type { ConnectionDetails, Secret } from '../../../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../../../../../apis/core/v1alpha1/secret.ts';
import { freePort } from '../../../../../local/free-port.ts';
import { runClient } from '../../../../../local/mariadb.ts';
import { credentialsFile, exampleAccount } from '../../../../../stacks/aws/emulator/account.ts';
import { startAws } from '../../../../../stacks/aws/emulator/server.ts';
import {
  RDSInstanceClassKind,
  RDSInstanceKind,
} from '../../../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { ProviderConfigKind as AwsProviderConfigKind } from '../../../../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { awsStack } from '../../../../../stacks/aws/stack.ts';
import {
  MySQLDatabaseClassKind,
  MySQLDatabaseKind,
} from '../../../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import { MySQLGrantKind } from '../../../../../stacks/mysql/kinds/v1alpha1/mysql-grant.ts';
import { MySQLUserKind } from '../../../../../stacks/mysql/kinds/v1alpha1/mysql-user.ts';
import { ProviderConfigKind } from '../../../../../stacks/mysql/kinds/v1alpha1/provider.ts';
import { eventually } from '../../../../cluster/stack-harness.ts';
import { binaries, loginOf, mariadbOfFile, withoutMariadb } from '../fixture.ts';
import { StackScene } from './scene.ts';

const apiVersion = 'mysql.crossplane.io/v1alpha1';
const pollMs = 70_000;

const file = await mariadbOfFile();

describe('the promises of the stack, on a real MariaDB', { skip: withoutMariadb }, () => {
  const fixture = file ?? assert.fail('no server');
  const { sql, refusal, connect } = fixture;
  const open = () => new StackScene(fixture);

  const databases = async (): Promise<readonly string[]> => {
    const own = "('mysql', 'sys', 'performance_schema', 'information_schema', 'services_stack')";
    const rows = await sql<{ name: string }>(
      `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ${own} ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  const users = async (): Promise<readonly string[]> => {
    const rows = await sql<{ name: string }>(
      `SELECT User AS name FROM mysql.user WHERE User NOT IN ('root', 'rdsadmin', 'crossplane', 'mariadb.sys', '', 'PUBLIC') ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  /** Waits until the server has noticed the end of each session of a user. */
  const noSessions = ({ username }: ConnectionDetails): Promise<unknown> => {
    const left = `SELECT 1 FROM information_schema.PROCESSLIST WHERE USER = '${username}'`;
    return eventually('the sessions are gone', async () => (await sql(left)).length === 0);
  };
  /** The claim `second` of another team is Bound. Then it goes, with its database. */
  const nextClaimIsServed = async (scene: StackScene): Promise<void> => {
    const { status } = scene.claim('second', 'other') ?? {};
    assert.equal(status?.bindingPhase, 'Bound', scene.says('second', 'other'));
    await scene.deleteWithData('second', 'other');
    assert.deepEqual(await databases(), []);
  };

  test('a claim is Bound, its details work, and it takes all of it with it', async () => {
    const scene = open();
    const details = await scene.bound('orders');
    assert.equal(await refusal(loginOf(details), 'CREATE TABLE t (i INT); DROP TABLE t'), 'allowed');
    assert.deepEqual(Object.keys(details).toSorted(), [
      ...['database', 'endpoint', 'host', 'password', 'port', 'provider', 'type', 'uri', 'username'],
    ]);
    assert.equal(
      scene.cluster.get(ProviderConfigKind, { name: 'default' })?.status?.systemVersion?.split('.')[0],
      'MariaDB 10',
    );
    const session = await createConnection(details.uri ?? '');
    const [rows] = await session.query('SELECT DATABASE() AS name');
    assert.deepEqual(rows, [{ name: details.database }]);
    await session.end();
    const { hostname, port, username, password, pathname } = new URL(details.uri ?? '');
    await runClient(binaries.client, 'SELECT 1;', {
      address: hostname,
      port: Number(port),
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
    });
    scene.deleteClaim('orders');
    await scene.process.settle();
    assert.deepEqual([await databases(), await users()], [[], []]);
    const [{ marks } = { marks: -1 }] = await sql<{ marks: number }>(
      `SELECT COUNT(*) AS marks FROM services_stack.marks WHERE type <> 'server'`,
    );
    assert.equal(marks, 0);
    assert.deepEqual(scene.process.errors, []);
  });

  describe('drift is repaired', () => {
    const drifts: Readonly<Record<string, (name: string) => string>> = {
      'a changed password': (name) => `ALTER USER \`${name}\` IDENTIFIED BY 'stolen'`,
      'a dropped user': (name) => `DROP USER \`${name}\``,
      'a revoked grant': (name) => `REVOKE SELECT ON \`${name.replaceAll('_', '\\_')}\`.* FROM \`${name}\``,
      'a locked user': (name) => `ALTER USER \`${name}\` ACCOUNT LOCK`,
      'a limit': (name) => `ALTER USER \`${name}\` WITH MAX_USER_CONNECTIONS 1`,
      'a grant that opens the databases of others': (name) => `GRANT SELECT ON \`${name}\`.* TO \`${name}\``,
    };
    for (const [name, statement] of Object.entries(drifts)) {
      test(name, async () => {
        const scene = open();
        scene.putClass('small', { forProvider: { maxUserConnections: 7, onDelete: 'TerminateSessions' } });
        const before = await scene.bound('drifts', { externalName: 'dri_fts' });
        const shown = async () => sql(`SHOW GRANTS FOR dri_fts; SHOW CREATE USER dri_fts`);
        const grants = async () => sql('SELECT * FROM mysql.db WHERE User = "dri_fts" ORDER BY Db');
        await shown();
        const healthy = await grants();
        await sql(statement('dri_fts'));
        await scene.process.settle(12 * 60_000);
        const now = scene.details('drifts');
        assert.equal(await refusal(loginOf(now), 'SHOW TABLES'), 'allowed', scene.says('drifts'));
        assert.equal(now.password, before.password);
        assert.deepEqual(await grants(), healthy);
        const [{ most } = { most: 0 }] = await sql<{ most: number }>(
          "SELECT max_user_connections AS most FROM mysql.user WHERE User = 'dri_fts'",
        );
        assert.equal(most, 7);
        scene.deleteClaim('drifts');
        await scene.process.settle();
        scene.process.stop();
      });
    }
  });

  test('a user with ed25519 has its password again after a change on the server', async () => {
    await sql(`INSTALL SONAME 'auth_ed25519'`);
    const scene = open();
    scene.putClass('small', { forProvider: { passwordPlugin: 'ed25519', onDelete: 'TerminateSessions' } });
    const { username = '' } = await scene.bound('signed');
    const stored = async () => sql(`SELECT authentication_string FROM mysql.user WHERE User = '${username}'`);
    const before = await stored();
    await sql(`ALTER USER \`${username}\` IDENTIFIED VIA ed25519 USING PASSWORD('${'x'.repeat(32)}')`);
    assert.notDeepEqual(await stored(), before);
    await scene.process.settle(12 * 60_000);
    assert.deepEqual(await stored(), before, scene.says('signed'));
    scene.deleteClaim('signed');
    await scene.process.settle();
    await sql(`UNINSTALL SONAME 'auth_ed25519'`);
  });

  describe('data that is kept', () => {
    test('Retain, then another claim: a new password, the same data, and no session of the previous owner', async () => {
      const scene = open();
      scene.putClass('kept', { reclaimPolicy: 'Retain' });
      const classRef = { apiVersion, kind: 'MySQLDatabaseClass', name: 'kept' };
      const before = await scene.bound('first', { classRef });
      await sql('CREATE TABLE ledger (entry TEXT); INSERT INTO ledger VALUES ("kept")', loginOf(before));
      const resourceRef = await scene.release('first');
      assert.equal(await refusal(loginOf(before)), 'allowed', 'a claim may have been deleted by mistake');
      const session = await connect(loginOf(before));
      scene.giveAway(resourceRef.name);
      const now = await scene.bound('second', { namespace: 'other', resourceRef });
      assert.notEqual(now.password, before.password);
      assert.equal(await refusal(loginOf(before)), 'ER_ACCESS_DENIED_ERROR');
      assert.deepEqual(await sql('SELECT * FROM ledger', loginOf(now)), [{ entry: 'kept' }]);
      await assert.rejects(
        session.query('SELECT * FROM ledger'),
        'the session of the previous owner was ended',
      );
      await scene.deleteWithData('second', 'other');
      assert.deepEqual(await databases(), []);
    });

    test('with WaitForSessions the next claim waits for the sessions of the previous owner, and Synced counts them', async () => {
      const scene = open();
      scene.putClass('patient', { reclaimPolicy: 'Retain', forProvider: {} });
      const classRef = { apiVersion, kind: 'MySQLDatabaseClass', name: 'patient' };
      const before = await scene.bound('first', { classRef });
      const resourceRef = await scene.release('first');
      const session = await connect(loginOf(before));
      scene.giveAway(resourceRef.name);
      scene.putClaim('second', { namespace: 'other', resourceRef });
      await scene.process.settle(pollMs);
      assert.notEqual(scene.claim('second', 'other')?.status?.bindingPhase, 'Bound');
      assert.match(
        scene.condition(MySQLDatabaseKind, resourceRef.name, 'Synced').message,
        /has 1 open session of its previous owner; waiting for them to end; to terminate them, set spec\.forProvider\.onDelete/,
      );
      await session.end();
      await noSessions(before);
      await scene.process.settle(5 * 60_000);
      await nextClaimIsServed(scene);
    });

    test('Orphan leaves the database, and a resource of the same name adopts it', async () => {
      const scene = open();
      const put = () =>
        scene.cluster.put(MySQLDatabaseKind, {
          apiVersion,
          kind: 'MySQLDatabase',
          metadata: { name: 'archive' },
          spec: {
            deletionPolicy: 'Orphan',
            writeConnectionSecretToRef: { namespace: 'infra', name: 'archive' },
            forProvider: { onDelete: 'TerminateSessions' },
          },
        });
      put();
      await scene.process.settle();
      await sql('CREATE TABLE archive.old (i INT)');
      scene.cluster.delete(MySQLDatabaseKind, { name: 'archive' });
      await scene.process.settle();
      assert.equal(scene.cluster.get(MySQLDatabaseKind, { name: 'archive' }), undefined);
      assert.deepEqual([await databases(), await users()], [['archive'], ['archive']]);
      put();
      await scene.process.settle();
      assert.equal(scene.condition(MySQLDatabaseKind, 'archive', 'Synced').status, 'True');
      scene.edit(MySQLDatabaseKind, 'archive', { deletionPolicy: 'Delete' });
      scene.cluster.delete(MySQLDatabaseKind, { name: 'archive' });
      await scene.process.settle();
      assert.deepEqual([await databases(), await users()], [[], []]);
    });

    test('an existing database is observed, then managed after the statement of the message', async () => {
      await sql('CREATE DATABASE legacy CHARACTER SET latin1; CREATE TABLE legacy.t (i INT)');
      const scene = open();
      scene.cluster.put(MySQLDatabaseKind, {
        apiVersion,
        kind: 'MySQLDatabase',
        metadata: { name: 'legacy' },
        spec: { managementPolicies: ['Observe', 'LateInitialize'], forProvider: {} },
      });
      await scene.process.settle();
      const observed = scene.cluster.get(MySQLDatabaseKind, { name: 'legacy' });
      assert.equal(observed?.spec.forProvider.characterSet, 'latin1');
      scene.edit(MySQLDatabaseKind, 'legacy', {
        managementPolicies: ['*'],
        writeConnectionSecretToRef: { namespace: 'infra', name: 'legacy' },
      });
      await scene.process.settle(pollMs);
      const { message } = scene.condition(MySQLDatabaseKind, 'legacy', 'Synced');
      const [statement = assert.fail(message)] = /REPLACE INTO [^;]*'\)/.exec(message) ?? [];
      assert.deepEqual(await users(), [], 'nothing was changed before');
      await sql(statement);
      await scene.process.settle(5 * 60_000);
      assert.equal(scene.condition(MySQLDatabaseKind, 'legacy', 'Synced').status, 'True', message);
      assert.deepEqual(await users(), ['legacy']);
      scene.cluster.delete(MySQLDatabaseKind, { name: 'legacy' });
      await scene.process.settle();
      assert.deepEqual(await databases(), []);
    });

    test('a database of an administrator is not taken by a claim that names it', async () => {
      await sql('CREATE DATABASE payroll');
      const scene = open();
      scene.putClaim('thief', { externalName: 'payroll' });
      await scene.process.settle(pollMs);
      assert.notEqual(scene.claim('thief')?.status?.bindingPhase, 'Bound');
      assert.doesNotMatch(scene.says('thief'), /REPLACE INTO/);
      scene.deleteClaim('thief');
      await scene.process.settle();
      assert.deepEqual(await databases(), ['payroll']);
      await sql('DROP DATABASE payroll');
    });
  });

  describe('a view of a previous owner in another database reads nothing of the next one', () => {
    /** A claim whose user defines a view in `shared` that reads its database. */
    const leaking = async (scene: StackScene, options: Parameters<StackScene['bound']>[1]) => {
      const details = await scene.bound('first', options);
      const { database = '', username = '' } = details;
      await sql(`CREATE DATABASE shared; GRANT ALL ON shared.* TO \`${username}\``);
      await sql(
        `CREATE TABLE ledger (entry TEXT); CREATE VIEW shared.leak AS SELECT * FROM \`${database}\`.ledger`,
        loginOf(details),
      );
    };
    const dropIn = (message: string): string =>
      /DROP VIEW `shared`\.`leak`$/.exec(message)?.[0] ?? assert.fail(message);

    test('after a deletion, when another claim takes the name', async () => {
      const scene = open();
      await leaking(scene, { externalName: 'shopdata' });
      scene.deleteClaim('first');
      await scene.process.settle();
      assert.deepEqual([await databases(), await users()], [['shared'], []]);
      scene.putClaim('second', { namespace: 'other', externalName: 'shopdata' });
      await scene.process.settle(pollMs);
      assert.deepEqual([await databases(), await users()], [['shared'], []], 'nothing was created');
      const resource = scene.resource('second', 'other')?.metadata.name ?? '';
      const { message } = scene.condition(MySQLDatabaseKind, resource, 'Synced');
      const claim = JSON.stringify(scene.claim('second', 'other')?.status);
      assert.match(claim, /its external name is already in use/);
      assert.doesNotMatch(claim, /shared|leak/);
      await sql(dropIn(message));
      await scene.process.settle(10 * 60_000);
      assert.equal(scene.claim('second', 'other')?.status?.bindingPhase, 'Bound', message);
      scene.deleteClaim('second', 'other');
      await scene.process.settle();
      await sql('DROP DATABASE shared');
      assert.deepEqual(await databases(), []);
    });

    test('when a kept database is given to another claim', async () => {
      const scene = open();
      scene.putClass('kept', { reclaimPolicy: 'Retain' });
      await leaking(scene, { classRef: { apiVersion, kind: 'MySQLDatabaseClass', name: 'kept' } });
      const before = scene.details('first');
      const resourceRef = await scene.release('first');
      scene.giveAway(resourceRef.name);
      scene.putClaim('second', { namespace: 'other', resourceRef });
      await scene.process.settle(pollMs);
      assert.notEqual(scene.claim('second', 'other')?.status?.bindingPhase, 'Bound');
      assert.equal(await refusal(loginOf(before)), 'ER_ACCESS_DENIED_ERROR', 'it defines no more of them');
      const { message } = scene.condition(MySQLDatabaseKind, resourceRef.name, 'Synced');
      assert.doesNotMatch(JSON.stringify(scene.claim('second', 'other')?.status), /shared|leak/);
      await sql(dropIn(message));
      await scene.process.settle(10 * 60_000);
      assert.equal(
        scene.claim('second', 'other')?.status?.bindingPhase,
        'Bound',
        scene.says('second', 'other'),
      );
      await scene.deleteWithData('second', 'other');
      await sql('DROP DATABASE shared');
      assert.deepEqual(await databases(), []);
    });
  });

  describe('a class with retainFor', () => {
    const released = async (scene: StackScene) => {
      scene.cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
      scene.putClass('kept', { retainFor: '1h', forProvider: {} });
      const classRef = { apiVersion, kind: 'MySQLDatabaseClass', name: 'kept' };
      const details = await scene.bound('orders', { classRef, externalName: 'orders_kept' });
      await sql('CREATE TABLE ledger (entry TEXT); INSERT INTO ledger VALUES ("kept")', loginOf(details));
      scene.deleteClaim('orders');
      await scene.process.settle();
      return { classRef, details };
    };

    test('gives the database back to the same claim, with its password, its open sessions and events', async () => {
      const scene = open();
      const { classRef, details } = await released(scene);
      const session = await connect(loginOf(details));
      await session.query('CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO DELETE FROM ledger');
      assert.deepEqual(await scene.bound('orders', { classRef }), details);
      const [rows] = await session.query('SELECT * FROM ledger');
      assert.deepEqual(rows, [{ entry: 'kept' }]);
      await session.end();
      await noSessions(details);
      const resource = scene.resource('orders')?.metadata.name ?? '';
      scene.edit(MySQLDatabaseKind, resource, { retainFor: undefined } as never);
      scene.deleteClaim('orders');
      await scene.process.settle();
      assert.deepEqual([await databases(), await users()], [[], []]);
    });

    test('keeps it from a claim of another namespace, and deletes it at its date', async () => {
      const scene = open();
      const { classRef } = await released(scene);
      scene.putClaim('orders', { namespace: 'other', classRef, externalName: 'orders_kept' });
      await scene.process.settle(pollMs);
      const thief = scene.claim('orders', 'other');
      assert.notEqual(thief?.status?.bindingPhase, 'Bound');
      assert.match(JSON.stringify(thief?.status), /its external name is already in use, by another resource/);
      scene.deleteClaim('orders', 'other');
      await scene.process.settle(2 * 60 * 60_000);
      assert.deepEqual([await databases(), await users()], [[], []]);
    });
  });

  test('a class with externalNames Prefixed takes names of the namespace only, and with None no name', async () => {
    const scene = open();
    scene.putClass('prefixed', { externalNames: 'Prefixed' });
    scene.putClass('unnamed', { externalNames: 'None' });
    const classRef = (name: string) => ({ apiVersion, kind: 'MySQLDatabaseClass', name });
    scene.putClaim('foreign', { classRef: classRef('prefixed'), externalName: 'other_ledger' });
    scene.putClaim('chosen', { classRef: classRef('unnamed'), externalName: 'team_ledger' });
    const { database } = await scene.bound('own', {
      classRef: classRef('prefixed'),
      externalName: 'team_ledger',
    });
    assert.equal(database, 'team_ledger');
    assert.deepEqual(await databases(), ['team_ledger']);
    for (const name of ['foreign', 'chosen']) {
      assert.notEqual(scene.claim(name)?.status?.bindingPhase, 'Bound');
      scene.deleteClaim(name);
    }
    scene.deleteClaim('own');
    await scene.process.settle();
    assert.deepEqual([await databases(), await users()], [[], []]);
  });

  test('an event of a previous owner sets no password of the next one', async () => {
    const scene = open();
    scene.putClass('kept', { reclaimPolicy: 'Retain' });
    const before = await scene.bound('first', {
      classRef: { apiVersion, kind: 'MySQLDatabaseClass', name: 'kept' },
    });
    await sql(
      `CREATE EVENT back ON SCHEDULE EVERY 1 SECOND DO SET PASSWORD = PASSWORD('of the previous owner')`,
      loginOf(before),
    );
    const resourceRef = await scene.release('first');
    scene.giveAway(resourceRef.name);
    scene.putClaim('second', { namespace: 'other', resourceRef });
    await scene.process.settle(pollMs);
    assert.notEqual(scene.claim('second', 'other')?.status?.bindingPhase, 'Bound');
    const { message } = scene.condition(MySQLDatabaseKind, resourceRef.name, 'Synced');
    await sql(/DROP EVENT `[^`]*`\.`back`$/.exec(message)?.[0] ?? assert.fail(message));
    await scene.process.settle(10 * 60_000);
    await nextClaimIsServed(scene);
  });

  test('a user of the same name at another host is named while it wins', async () => {
    const scene = open();
    const details = await scene.bound('shadowed');
    const resource = scene.resource('shadowed')?.metadata.name ?? '';
    const ready = () => scene.condition(MySQLDatabaseKind, resource, 'Ready').status;
    await sql(`CREATE USER \`${details.username}\`@'127.0.0.1' IDENTIFIED BY 'another'`);
    await scene.process.settle(pollMs);
    assert.equal(await refusal(loginOf(details)), 'ER_ACCESS_DENIED_ERROR');
    assert.equal(ready(), 'False', scene.says('shadowed'));
    const { message } = scene.condition(MySQLDatabaseKind, resource, 'Synced');
    assert.doesNotMatch(JSON.stringify(scene.claim('shadowed')?.status), /DROP USER/);
    await sql(/DROP USER .*$/.exec(message)?.[0] ?? assert.fail(message));
    await scene.process.settle(10 * 60_000);
    assert.equal(ready(), 'True', scene.says('shadowed'));
    scene.deleteClaim('shadowed');
    await scene.process.settle();
  });

  test('a password that an administrator let expire is set again at the next poll', async () => {
    const scene = open();
    const details = await scene.bound('expired');
    await sql(`ALTER USER \`${details.username}\` PASSWORD EXPIRE`);
    await scene.process.settle(2 * pollMs);
    assert.equal(await refusal(loginOf(details)), 'allowed', scene.says('expired'));
    scene.deleteClaim('expired');
    await scene.process.settle();
  });

  test('a user that lost its mark keeps its statement while its resource is deleted, and after a loss', async () => {
    const scene = open();
    const { username = '' } = await scene.bound('marked');
    const forget = `DELETE FROM services_stack.marks WHERE type = 'user'`;
    const statementIn = (name: string): string => {
      const { message } = scene.condition(MySQLDatabaseKind, name, 'Synced');
      return /REPLACE INTO [^;]*'user', [^;]*'\)/.exec(message)?.[0] ?? assert.fail(message);
    };
    const resource = scene.resource('marked')?.metadata.name ?? '';
    await sql(forget);
    scene.deleteClaim('marked');
    await scene.process.settle(pollMs);
    assert.deepEqual(await users(), [username]);
    await sql(statementIn(resource));
    await scene.process.settle(10 * 60_000);
    assert.deepEqual([await databases(), await users()], [[], []]);

    scene.cluster.put(MySQLDatabaseKind, {
      apiVersion,
      kind: 'MySQLDatabase',
      metadata: { name: 'byhand' },
      spec: { writeConnectionSecretToRef: { namespace: 'infra', name: 'byhand' }, forProvider: {} },
    });
    await scene.process.settle();
    await sql(`${forget}; DROP DATABASE byhand`);
    await scene.process.settle(5 * 60_000);
    await sql(statementIn('byhand'));
    await scene.process.settle(10 * 60_000);
    assert.deepEqual([await databases(), await users()], [['byhand'], ['byhand']]);
    scene.cluster.delete(MySQLDatabaseKind, { name: 'byhand' });
    await scene.process.settle(pollMs);
    assert.deepEqual([await databases(), await users()], [[], []]);
  });

  test('a name that the server owns, of a database or its user, says how to set another', async () => {
    const scene = open();
    for (const name of ['mysql', 'root', 'mysql.infoschema']) {
      scene.cluster.put(MySQLDatabaseKind, {
        apiVersion,
        kind: 'MySQLDatabase',
        metadata: { name, annotations: { 'crossplane.io/external-name': name } },
        spec: { writeConnectionSecretToRef: { namespace: 'infra', name }, forProvider: {} },
      });
    }
    await scene.process.settle(pollMs);
    for (const name of ['mysql', 'root', 'mysql.infoschema']) {
      const { message } = scene.condition(MySQLDatabaseKind, name, 'Synced');
      assert.match(message, /is reserved; set another name in the annotation crossplane\.io\/external-name/);
      scene.cluster.delete(MySQLDatabaseKind, { name });
    }
    await scene.process.settle(pollMs);
    assert.deepEqual(scene.cluster.all(MySQLDatabaseKind), []);
  });

  test('a lost database is reported with onLoss Report, and created again otherwise', async () => {
    const scene = open();
    scene.putClass('reports', { onLoss: 'Report' });
    await scene.bound('again');
    await scene.bound('report', { classRef: { apiVersion, kind: 'MySQLDatabaseClass', name: 'reports' } });
    for (const name of ['again', 'report']) await sql(`DROP DATABASE \`${scene.details(name).database}\``);
    await scene.process.settle(5 * 60_000);
    assert.deepEqual(await databases(), [scene.details('again').database]);
    const ready = scene.claim('report')?.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.equal(ready?.status, 'False', scene.says('report'));
    for (const name of ['again', 'report']) scene.deleteClaim(name);
    await scene.process.settle(pollMs);
    assert.deepEqual([await databases(), await users()], [[], []]);
  });

  test('without the table of marks nothing is adopted, created or deleted', async () => {
    const scene = open();
    const { database = '' } = await scene.bound('marked');
    await sql('RENAME TABLE services_stack.marks TO services_stack.away');
    scene.process.stop();
    scene.process = scene.start();
    await scene.process.settle(5 * 60_000);
    const resource = scene.resource('marked')?.metadata.name ?? '';
    assert.equal(scene.condition(MySQLDatabaseKind, resource, 'Ready').status, 'Unknown');
    assert.match(
      scene.condition(MySQLDatabaseKind, resource, 'Synced').message,
      /; if its table services_stack\.marks was lost, restore the table from a dump first; correct the provider\./,
    );
    scene.deleteClaim('marked');
    await scene.process.settle(5 * 60_000);
    assert.deepEqual(await databases(), [database]);
    await sql(
      'DROP TABLE IF EXISTS services_stack.marks; RENAME TABLE services_stack.away TO services_stack.marks',
    );
    await scene.process.settle(15 * 60_000);
    assert.deepEqual(await databases(), []);
  });

  test('a lost table of marks that no dump has: the annotation, and the statements that Synced shows', async () => {
    const scene = open();
    const before = await scene.bound('marked');
    await sql('CREATE TABLE t (i INT)', loginOf(before));
    scene.cluster.put(MySQLUserKind, {
      apiVersion,
      kind: 'MySQLUser',
      metadata: { name: 'reader' },
      spec: { forProvider: {} },
    });
    const resource = scene.resource('marked')?.metadata.name ?? '';
    scene.cluster.put(MySQLGrantKind, {
      apiVersion,
      kind: 'MySQLGrant',
      metadata: { name: 'reads' },
      spec: {
        forProvider: {
          userRef: { name: 'reader' },
          databaseRef: { name: resource },
          privileges: ['SELECT'],
        },
      },
    });
    await scene.process.settle(5 * 60_000);
    await sql('DROP DATABASE services_stack');
    scene.process.stop();
    scene.process = scene.start();
    await scene.process.settle(5 * 60_000);
    const all: readonly (readonly [Kind<Managed>, string])[] = [
      [MySQLDatabaseKind, resource],
      [MySQLUserKind, 'reader'],
      [MySQLGrantKind, 'reads'],
    ];
    for (const [kind, name] of all) {
      assert.equal(scene.condition(kind, name, 'Ready').reason, 'OtherSystem', name);
      scene.annotate(kind, name, { [annotationKeys.adoptIdentity]: 'true' });
    }
    await scene.process.settle(5 * 60_000);
    const ran: string[] = [];
    for (const [kind, name] of [...all.slice(0, 1), ...all.slice(0, 2)]) {
      const { message } = scene.condition(kind, name, 'Synced');
      const [statement = assert.fail(message)] = /REPLACE INTO .*$/.exec(message) ?? [];
      ran.push(/\('(\w+)'/.exec(statement)?.[1] ?? '');
      await sql(statement);
      await scene.process.settle(5 * 60_000);
    }
    assert.deepEqual(ran, ['database', 'user', 'user']);
    for (const [kind, name] of all)
      assert.equal(scene.condition(kind, name, 'Synced').status, 'True', scene.says('marked'));
    assert.deepEqual(scene.details('marked'), before);
    assert.equal(await refusal(loginOf(before), 'SELECT * FROM t'), 'allowed');
    for (const [kind, name] of all.slice(1).toReversed()) scene.cluster.delete(kind, { name });
    await scene.process.settle(5 * 60_000);
    scene.deleteClaim('marked');
    await scene.process.settle(5 * 60_000);
    assert.deepEqual([await databases(), await users()], [[], []]);
  });

  test('a grant to the user of a claim needs a reference, and is exact', async () => {
    const scene = open();
    const { username = '', database = '' } = await scene.bound('shop');
    const forProvider = { user: username, database, privileges: ['SELECT'] as const };
    const put = (name: string, fields: object) =>
      scene.cluster.put(MySQLGrantKind, {
        apiVersion,
        kind: 'MySQLGrant',
        metadata: { name },
        spec: { forProvider: { ...forProvider, ...fields } as never },
      });
    scene.cluster.put(MySQLUserKind, {
      apiVersion,
      kind: 'MySQLUser',
      metadata: { name: 'reporting' },
      spec: { writeConnectionSecretToRef: { namespace: 'infra', name: 'reporting' }, forProvider: {} },
    });
    put('by-name', { user: 'reporting' });
    await scene.process.settle(pollMs);
    assert.match(scene.condition(MySQLGrantKind, 'by-name', 'Synced').message, /databaseRef/);
    scene.cluster.delete(MySQLGrantKind, { name: 'by-name' });
    await scene.process.settle();
    put('by-reference', {
      user: undefined,
      userRef: { name: 'reporting' },
      database: undefined,
      databaseRef: { name: scene.resource('shop')?.metadata.name },
    });
    await scene.process.settle(pollMs);
    assert.equal(scene.condition(MySQLGrantKind, 'by-reference', 'Synced').status, 'True');
    const held = async () =>
      sql<{ Select_priv: string; Insert_priv: string }>("SELECT * FROM mysql.db WHERE User = 'reporting'");
    assert.deepEqual(
      (await held()).map(({ Select_priv, Insert_priv }) => [Select_priv, Insert_priv]),
      [['Y', 'N']],
    );
    await sql(`GRANT INSERT ON \`${database.replaceAll('_', '\\_')}\`.* TO reporting WITH GRANT OPTION`);
    await scene.process.settle(pollMs);
    assert.deepEqual(
      (await held()).map(({ Select_priv, Insert_priv }) => [Select_priv, Insert_priv]),
      [['Y', 'N']],
    );
    scene.cluster.delete(MySQLGrantKind, { name: 'by-reference' });
    scene.cluster.delete(MySQLUserKind, { name: 'reporting' });
    scene.deleteClaim('shop');
    await scene.process.settle(pollMs);
    assert.deepEqual([await databases(), await users()], [[], []]);
  });

  test('a server that is open to strangers is reported on its ProviderConfig, with the statements that end it', async () => {
    await sql(
      "CREATE USER ''@'localhost' IDENTIFIED BY 'x'; GRANT ALL ON test.* TO PUBLIC; FLUSH PRIVILEGES",
    );
    const scene = open();
    await scene.bound('first');
    const event = scene.process.events.find(({ reason }) => reason === 'ServerOpenToStrangers');
    assert.ok(event, JSON.stringify(scene.process.events));
    assert.equal(event.object, 'ProviderConfig default');
    const [, statements = ''] = event.message.split('an administrator of the server runs: ');
    for (const statement of statements.split('; ')) await sql(statement);
    assert.deepEqual(await sql("SELECT 1 FROM mysql.db WHERE User IN ('', 'PUBLIC')"), []);
    scene.deleteClaim('first');
    await scene.process.settle();
  });

  test('a class of RDS hands its new claims over to an own server, and back, without an edit of a claim', async () => {
    const aws = await startAws({ provisioningMs: 0, deletionMs: 0 });
    after(() => aws.stop());
    const scene = new StackScene(fixture, [awsStack]);
    scene.cluster.put<Secret>(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'infra', name: 'aws' },
      data: encodeDetails({ credentials: credentialsFile(exampleAccount) }),
    });
    scene.cluster.put(AwsProviderConfigKind, {
      apiVersion: 'aws.crossplane.io/v1beta1',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: {
        credentials: {
          source: 'Secret',
          secretRef: { namespace: 'infra', name: 'aws', key: 'credentials' },
        },
        endpoint: { url: { type: 'Static', static: aws.url } },
      } as never,
    });
    const labels = { size: 'standard' };
    const putRds = () =>
      scene.cluster.put(RDSInstanceClassKind, {
        apiVersion: 'database.aws.crossplane.io/v1beta1',
        kind: 'RDSInstanceClass',
        metadata: { name: 'rds', labels },
        specTemplate: {
          writeConnectionSecretsToNamespace: 'infra',
          reclaimPolicy: 'Delete',
          forProvider: {
            region: 'us-east-1',
            engine: 'mysql',
            dbInstanceClass: 'db.t3.micro',
            allocatedStorage: 20,
            masterUsername: 'app',
            dbName: 'app',
            skipFinalSnapshotBeforeDeletion: true,
          },
        },
      });
    const classSelector = { matchLabels: labels };
    putRds();
    scene.putClaim('one', { classSelector });
    await scene.process.settle(10 * 60_000);
    scene.cluster.delete(RDSInstanceClassKind, { name: 'rds' });
    scene.putClass('own', {}, labels);
    scene.putClaim('two', { classSelector });
    await scene.process.settle(10 * 60_000);
    scene.cluster.delete(MySQLDatabaseClassKind, { name: 'own' });
    putRds();
    scene.putClaim('three', { classSelector });
    await scene.process.settle(10 * 60_000);
    const served = ['one', 'two', 'three'].map((name) => {
      const claim = scene.claim(name);
      return [claim?.spec.resourceRef?.kind, claim?.status?.bindingPhase];
    });
    assert.deepEqual(served, [
      ['RDSInstance', 'Bound'],
      ['MySQLDatabase', 'Bound'],
      ['RDSInstance', 'Bound'],
    ]);
    const keys = (name: string) => Object.keys(scene.details(name)).toSorted();
    assert.deepEqual(keys('one'), keys('two'), 'an application finds the same entries');
    for (const name of ['one', 'two', 'three']) scene.deleteClaim(name);
    await scene.process.settle(10 * 60_000);
    assert.deepEqual([await databases(), scene.cluster.all(RDSInstanceKind)], [[], []]);
  });

  // The last, since the server stays there.
  test('a server that moves with its table of marks is the same one: claims get its new address', async () => {
    const scene = open();
    const before = await scene.bound('mover');
    await sql('CREATE TABLE t (i INT)', loginOf(before));
    const port = await freePort();
    await fixture.local.restart(port);
    scene.putSecret({ port: String(port) });
    await scene.process.settle(5 * 60_000);
    const now = scene.details('mover');
    assert.deepEqual([now.port, now.password], [String(port), before.password], scene.says('mover'));
    assert.equal(await refusal(loginOf(now), 'SELECT * FROM t'), 'allowed');
    scene.deleteClaim('mover');
    await scene.process.settle();
    assert.deepEqual(await databases(), []);
  });
});
