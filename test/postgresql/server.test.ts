import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { LocalPostgresql } from '../../local/postgresql.ts';
import { startPostgresql } from '../../local/postgresql.ts';

async function sql(server: LocalPostgresql, text: string, host = server.host): Promise<object[]> {
  const { port, superuser: user, password } = server;
  const client = new Client({ host, port, user, password, database: 'postgres', ssl: false });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

test('the data outlive stop and kill, at the same port, and end with dispose', async () => {
  const server = await startPostgresql();
  await sql(server, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)');
  const [row] = (await sql(server, 'SHOW data_directory')) as { data_directory: string }[];
  for (const halt of ['stop', 'kill'] as const) {
    await server[halt]();
    await server[halt]();
    await assert.rejects(sql(server, 'SELECT 1'), { code: 'ECONNREFUSED' });
    await server.start();
    await server.start();
    assert.deepEqual(await sql(server, 'SELECT id FROM kept'), [{ id: 1 }]);
  }
  await server.dispose();
  await server.dispose();
  assert.equal(existsSync(row!.data_directory), false);
});

test('the server listens on 127.0.0.1 only', async () => {
  await using server = await startPostgresql();
  const others = ['127.0.0.2', '::1'];
  for (const host of others) {
    await assert.rejects(
      new Promise((resolve, reject) => {
        const socket = connect(server.port, host, () => resolve(socket.destroy()));
        socket.on('error', reject);
      }),
      ({ code }) => code === 'ECONNREFUSED' || code === 'EADDRNOTAVAIL',
    );
  }
});

test('a port that is taken is an error that shows the server’s log', async () => {
  await using first = await startPostgresql();
  await assert.rejects(startPostgresql({ port: first.port }), /could not bind .*127\.0\.0\.1/s);
});

test('no process or file remains after the process that started the server is killed', async () => {
  const module = fileURLToPath(new URL('../../local/postgresql.ts', import.meta.url));
  const script = `
    import { chmodSync, mkdtempSync } from 'node:fs';
    process.env.TMPDIR = mkdtempSync(process.env.TMPDIR + '/killed-');
    chmodSync(process.env.TMPDIR, 0o755);
    const { startPostgresql } = await import(${JSON.stringify(module)});
    const running = await startPostgresql(), stopped = await startPostgresql();
    await stopped.stop();
    console.log(JSON.stringify({ port: running.port, directory: process.env.TMPDIR }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: tmpdir() },
  });
  const text = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk))),
  );
  const { port, directory } = JSON.parse(text) as { port: number; directory: string };
  assert.equal(readdirSync(directory).length, 2);
  child.kill('SIGKILL');
  for (let waited = 0; waited < 30_000 && readdirSync(directory).length > 0; waited += 50) await delay(50);
  assert.deepEqual(readdirSync(directory), []);
  rmdirSync(directory);
  await assert.rejects(
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy()));
      socket.on('error', reject);
    }),
    { code: 'ECONNREFUSED' },
  );
});
