import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ConnectionOptions } from 'mysql2';
import { createPool } from 'mysql2';
import { Client } from 'pg';
import { parse } from 'yaml';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { databaseUri } from '../../clients/database-details.ts';
import { copyFor } from '../../controllers/claim-secret.ts';
import { codeBlocks } from './code-blocks.ts';
import { projectRoot } from './project-copy.ts';

const page = readFileSync(join(projectRoot, 'docs', 'use-the-secret.md'), 'utf8');
const claims = codeBlocks(page)
  .filter(({ language }) => language === 'yaml')
  .map(({ content }) => parse(content) as Claim)
  .filter(({ kind }) => ['PostgreSQLInstance', 'MySQLInstance'].includes(kind));

/** A user and a password with everything that an address, a shell or a file can misread. */
const login = { username: `o'neil "x"`, password: `a'b"c $d\`e\\f %41 @/:?#[]&=+ ü\tz` };
const server = { host: 'db.example.org', port: 5432, database: 'team shop' };
const uri = databaseUri({ scheme: 'postgresql', ...login, ...server, query: { sslmode: 'require' } });
const details = { ...login, ...server, port: String(server.port), uri };
/** The same for a claim of MySQL. */
const mysqlServer = { ...server, port: 3306 };
const mysqlUri = databaseUri({ scheme: 'mysql', ...login, ...mysqlServer });
const mysqlDetails = { ...login, ...mysqlServer, port: String(mysqlServer.port), uri: mysqlUri };

const secretOf = (name: string, data = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'team-shop', name },
  data,
});

/** The entries of the Secret of the claim with this name. */
function entriesOf(name: string): Readonly<Record<string, string>> {
  const claim = claims.find(({ metadata }) => metadata.name === name) ?? assert.fail(name);
  const facts = {
    source: secretOf('source', encodeDetails(claim.kind === 'MySQLInstance' ? mysqlDetails : details)),
    resourceClass: undefined,
  };
  const { secret, incomplete } = copyFor({ ...facts, claim, target: secretOf(name) });
  assert.equal(incomplete, undefined);
  return decodeDetails(secret);
}

/** The connection that a program with the client `pg` makes from an address. */
function connectionOf(address = ''): object {
  const { user, password, host, port, database } = new Client({ connectionString: address });
  return { username: user, password, host, port, database };
}

interface PoolConfig {
  readonly connectionConfig: ConnectionOptions;
}

/** The connection that a program with the client `mysql2` makes from an address. */
function mysqlConnectionOf(address = ''): object {
  const pool = createPool({ uri: address }); // it connects at its first statement
  const { connectionConfig } = (pool as unknown as { readonly config: PoolConfig }).config;
  const { user, password, host, port, database } = connectionConfig;
  return { username: user, password, host, port: Number(port), database };
}

describe('docs/use-the-secret.md has entries that give back each user and password', () => {
  test('Django: DATABASE_URL', () => {
    assert.deepEqual(connectionOf(entriesOf('cart-django').DATABASE_URL), { ...login, ...server });
  });

  test('Rails: DATABASE_URL alone, with a parameter of its own', () => {
    const entries = entriesOf('cart-rails');
    assert.deepEqual(Object.keys(entries), ['DATABASE_URL']);
    assert.deepEqual(connectionOf(entries.DATABASE_URL), { ...login, ...server });
    assert.equal(new URL(entries.DATABASE_URL ?? '').searchParams.get('pool'), '10');
  });

  test('Spring: an address for JDBC, whose parameters are decoded as by the driver', () => {
    const { SPRING_DATASOURCE_URL: address = '' } = entriesOf('cart-spring');
    assert.match(address, /^jdbc:postgresql:\/\/db\.example\.org:5432\/team%20shop\?/);
    const { searchParams } = new URL(address.slice('jdbc:'.length));
    assert.deepEqual(Object.fromEntries(searchParams), {
      sslmode: 'require',
      user: login.username,
      password: login.password,
    });
  });

  test('Laravel: one variable for each part', () => {
    const { DB_CONNECTION, DB_HOST, DB_PORT, DB_DATABASE, DB_USERNAME, DB_PASSWORD } =
      entriesOf('cart-laravel');
    assert.deepEqual(
      [DB_CONNECTION, DB_HOST, DB_PORT, DB_DATABASE, DB_USERNAME, DB_PASSWORD],
      ['pgsql', server.host, details.port, server.database, login.username, login.password],
    );
  });

  test('.env: a file that a shell reads', () => {
    const { '.env': file = '' } = entriesOf('cart-env');
    const script = `${file}printf '%s\\0%s' "$DATABASE_URL" "$PGPASSWORD"`;
    const printed = execFileSync('sh', ['-euc', script], { encoding: 'utf8' });
    assert.deepEqual(printed.split('\0'), [uri, login.password]);
  });

  test('Django with MySQL: DATABASE_URL', () => {
    assert.deepEqual(mysqlConnectionOf(entriesOf('cart-mysql').DATABASE_URL), { ...login, ...mysqlServer });
  });

  test('Rails with MySQL: DATABASE_URL alone, with the adapter and a parameter', () => {
    const { DATABASE_URL: address = '', ...others } = entriesOf('cart-mysql-rails');
    assert.deepEqual(others, {});
    assert.match(address, /^mysql2:/);
    assert.deepEqual(mysqlConnectionOf(address), { ...login, ...mysqlServer });
    assert.equal(new URL(address).searchParams.get('pool'), '10');
  });

  test('Spring with MySQL: an address, and the login beside it', () => {
    const entries = entriesOf('cart-mysql');
    assert.equal(entries.SPRING_DATASOURCE_URL, 'jdbc:mariadb://db.example.org:3306/team%20shop');
    const { SPRING_DATASOURCE_USERNAME: username, SPRING_DATASOURCE_PASSWORD: password } = entries;
    assert.deepEqual({ username, password }, login);
  });

  test('Laravel with MySQL: one variable for each part', () => {
    const { DB_CONNECTION, DB_HOST, DB_PORT, DB_DATABASE, DB_USERNAME, DB_PASSWORD } =
      entriesOf('cart-mysql');
    assert.deepEqual(
      [DB_CONNECTION, DB_HOST, DB_PORT, DB_DATABASE, DB_USERNAME, DB_PASSWORD],
      ['mysql', server.host, mysqlDetails.port, server.database, login.username, login.password],
    );
  });

  test('the page shows a claim for each framework', () => {
    assert.deepEqual(
      claims.map(({ metadata }) => metadata.name),
      [
        ...['cart-django', 'cart-rails', 'cart-spring', 'cart-laravel', 'cart-env'],
        ...['cart-mysql', 'cart-mysql-rails'],
      ],
    );
  });
});
