import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { selfSignedCertificate } from '../../../../../local/postgresql-certificate.ts';
import type { MysqlError } from '../../../../../stacks/mysql/client/error.ts';
import { mariadbFixture, otherOwnerId, owned, ownerId, password, skip } from './fixture.ts';

/** A certificate for 127.0.0.1 and `localhost`, which the account of the server may read. */
const folder = mkdtempSync(join(tmpdir(), 'mysql-tls-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true }));
const { certificate, privateKey } = selfSignedCertificate();
const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
writeFileSync(certificateFile, certificate, { mode: 0o644 });
writeFileSync(keyFile, privateKey, { mode: 0o644 });

/** Names of databases in small letters, TLS, and settings that change the meaning of statements. */
const at = mariadbFixture({
  flags: [
    '--lower-case-table-names=1',
    ...[`--ssl-cert=${certificateFile}`, `--ssl-key=${keyFile}`],
    ...['--skip-character-set-client-handshake', '--character-set-server=latin1'],
    '--autocommit=0',
  ],
});
const { sql, refusal } = at;

const errorOf = (call: Promise<unknown>): Promise<MysqlError> =>
  call.then(
    () => assert.fail('no error'),
    (error: unknown) => error as MysqlError,
  );

describe('point 8: a server that ignores the case of databases', { skip, timeout: 300_000 }, () => {
  test('refuses two names that differ in case only', async () => {
    const server = at.server();
    assert.equal((await server.facts()).ignoresCase, true);
    await server.databases.create('Team_Shop', { user: {} }, { ...owned, password });
    const found = await server.databases.observe('Team_Shop');
    assert.deepEqual([found.database?.name, found.user?.name], ['team_shop', 'Team_Shop']);
    assert.deepEqual(found.grant?.unescaped, []);
    assert.equal(found.grant?.privileges.length, 19);
    const login = { user: 'Team_Shop', password, database: 'team_shop' };
    assert.equal(await refusal(login, 'CREATE TABLE t (id INT)'), 0);
    for (const name of ['team_shop', 'TEAM_SHOP']) {
      const creation = server.databases.create(name, { user: {} }, { ownerId: otherOwnerId, password });
      const error = await errorOf(creation);
      assert.deepEqual([error.code, error.holder], ['NotOurs', { by: 'AnotherResource' }]);
      assert.equal((await server.users.observe(name)) === undefined, true);
    }
    await server.databases.drop('Team_Shop', { ...owned, terminateSessions: true });
    const left = await server.databases.observe('Team_Shop');
    assert.deepEqual([left.database, left.user, left.marks], [undefined, undefined, {}]);
    assert.deepEqual(await sql(`SELECT * FROM mysql.db WHERE User = 'Team_Shop'`), []);
  });

  test('refuses letters that it may take for others, so that no name leads to the database of another', async () => {
    const { databases } = at.server();
    await databases.create('ix', { user: {} }, { ...owned, password });
    for (const name of ['\u0130x', 'serv\u0130ces_stack', '\u0220x', '\u212Aelvin']) {
      const error = await errorOf(databases.create(name, { user: {} }, { ownerId: otherOwnerId, password }));
      assert.equal(error.code, 'Invalid', error.message);
      assert.match(error.message, /must have no capital letters but A to Z/);
      assert.deepEqual((await databases.observe(name)).marks, {});
    }
    await databases.create('Gr\u00f6\u00dfe', { user: {} }, { ...owned, password });
    assert.ok((await databases.observe('Gr\u00f6\u00dfe')).database);
    await databases.drop('Gr\u00f6\u00dfe', { ...owned, terminateSessions: true });
    await databases.drop('ix', { ...owned, terminateSessions: true });
  });

  test('texts arrive as they were written, though the server has latin1', async () => {
    const { databases, users } = at.server();
    const secret = 'pässwörd 日本 \\ \' "';
    await databases.create('größe', { user: {} }, { ownerId, password });
    const found = await databases.observe('größe');
    assert.deepEqual([found.database?.name, found.database?.characterSet], ['größe', 'utf8mb4']);
    // The server takes the name of a user in its own character set at each login.
    await users.create('plain', {}, { ownerId, password: secret });
    assert.equal(await users.checkPassword('plain', secret), true);
  });
});

describe('TLS', { skip, timeout: 300_000 }, () => {
  const as = (more: object) => at.server({ credentials: { ...at.credentials(), ...more } });

  test('is checked as the mode says, for an IP address, too', async () => {
    for (const [more, outcome] of [
      [{ sslmode: 'require' }, 'in'],
      [{ clusterCA: certificate }, 'in'],
      [{ clusterCA: certificate, sslmode: 'verify-ca' }, 'in'],
      [{ clusterCA: certificate, endpoint: 'localhost' }, 'in'],
      [
        { sslmode: 'verify-full' },
        /its certificate comes from an authority that is not trusted .*; put the certificate/,
      ],
      [{ clusterCA: selfSignedCertificate().certificate }, /TLS with server .* failed: /],
    ] as const) {
      const server = as(more);
      const found = await server.facts().then(
        () => 'in',
        (error: MysqlError) => error,
      );
      if (outcome === 'in') assert.equal(found, 'in', JSON.stringify(more));
      else {
        assert.ok(typeof found !== 'string', JSON.stringify(more));
        assert.deepEqual([found.code, found.errorClass], ['TlsFailed', 'TlsFailed'], found.message);
        assert.match(found.message, outcome);
      }
      await server.close();
    }
  });

  test('a certificate for other names is refused', async () => {
    const error = await errorOf(as({ clusterCA: certificate, endpoint: '127.0.0.2' }).facts());
    // Only where 127.0.0.2 leads to the server, which listens at one address.
    assert.ok(['TlsFailed', 'Unreachable'].includes(error.code));
  });

  test('a user that must use it is tested with it, whatever the administrator does', async () => {
    const { users } = at.server();
    await users.create('secure', { tls: 'Required' }, { ...owned, password });
    assert.equal((await users.observe('secure'))?.tls, 'Required');
    assert.equal(await refusal({ user: 'secure', password }), 1045);
    assert.equal(await users.checkPassword('secure', password), true);
    assert.equal(await users.checkPassword('secure', 'another'), false);
    await users.update('secure', { tls: 'Optional' }, owned);
    assert.equal(await refusal({ user: 'secure', password }), 0);
  });
});
