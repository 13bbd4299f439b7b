import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMariadbDatabase } from '../../demo/aws/mariadb-database.ts';
import { freePort } from '../../local/free-port.ts';
import { quotedText, runClient, startMariadb } from '../../local/mariadb.ts';
import type { MariadbBinaries } from '../../local/mariadb-binaries.ts';
import { mariadbSupport } from '../../local/mariadb-binaries.ts';
import { databaseServers } from '../../stacks/aws/emulator/rds/database-servers.ts';

const support = await mariadbSupport();
const skip = support.by === 'none' && support.reason;
const binaries = support as MariadbBinaries;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a real MariaDB', { skip, timeout: 300_000 }, () => {
  test('knows the users that its administrator created, and no others', async () => {
    await using mariadb = await startMariadb({ binaries });
    const password = 'open \'"\\ sesame';
    await mariadb.run(`create user me@'%' identified by ${quotedText(password)};`);
    const { address, port } = mariadb;
    await runClient(binaries.client, 'select 1;', { address, port, username: 'me', password });
    for (const username of ['root', '', 'me']) {
      const access = { address, port, username, password: '' };
      await assert.rejects(runClient(binaries.client, 'select 1;', access), /Access denied/);
    }
  });

  test('has the same data at another port', async () => {
    await using mariadb = await startMariadb({ binaries });
    await mariadb.run('create database app; create table app.kept (id int);');
    const port = await freePort();
    await mariadb.restart(port);
    assert.equal(mariadb.port, port);
    await mariadb.run('select * from app.kept;');
  });

  test('says that its port is taken', async () => {
    await using mariadb = await startMariadb({ binaries });
    await assert.rejects(
      startMariadb({ binaries, port: mariadb.port }),
      /did not start: .*Address already in use/s,
    );
  });

  test('leaves nothing when it is stopped', async () => {
    const mariadb = await startMariadb({ binaries });
    const pid = mariadb.pid ?? assert.fail('no process');
    await mariadb.stop();
    await mariadb.stop();
    assert.equal(isRunning(pid), false);
  });
});

describe('the database of a DB instance', { skip, timeout: 300_000 }, () => {
  test('is at an address of its own, and takes another password', async () => {
    const servers = databaseServers({ engines: { mysql: startMariadbDatabase(binaries) } });
    const settings = { Engine: 'mysql', Port: 3306, MasterUsername: 'me', DBName: 'app' } as never;
    const instance = { id: 'shop', region: 'us-east-1', resourceId: 'db-TEST', settings, password: 'first' };
    try {
      const reach = () => servers.reach(instance, { isStarting: true });
      assert.equal(reach().state, 'starting');
      while (reach().state === 'starting') await sleep(20);
      const where = reach();
      assert.equal(where.state, 'up');
      const { address, port } = where;
      assert.match(address, /^127\./);
      assert.equal(port, 3306);
      const login = (password: string) =>
        runClient(binaries.client, 'create table if not exists kept (id int);', {
          address,
          port,
          username: 'me',
          password,
          database: 'app',
        });
      await login('first');
      await servers.setPassword('db-TEST', 'second');
      await login('second');
      await assert.rejects(login('first'), /Access denied/);
    } finally {
      await servers.stop();
    }
    assert.equal(
      servers.reach(instance, { isStarting: false }).state,
      'up',
      'told by a name that leads nowhere',
    );
  });
});
