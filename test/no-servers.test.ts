import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import './no-servers.ts';
import { testFiles } from './processes.ts';

const root = join(import.meta.dirname, '..');
const refused = /no server here/;

describe('under no-servers.ts', () => {
  test('a free port of loopback may be listened on, and again after a pause', async () => {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const address = first.address();
    assert.ok(address !== null && typeof address === 'object');
    first.close();
    await once(first, 'close');
    const second = createServer().listen(address.port, '127.0.0.1');
    await once(second, 'listening');
    second.close();
  });

  const elsewhere: Record<string, () => unknown> = {
    'a port that is fixed': () => createServer().listen(18080, '127.0.0.1'),
    'every interface': () => createServer().listen(0),
    'another address': () => createServer().listen({ port: 0, host: '0.0.0.0' }),
    'a socket in the file system': () => createServer().listen('/tmp/no-such-directory/socket'),
  };
  for (const [what, start] of Object.entries(elsewhere)) {
    test(`${what} may not`, () => assert.throws(start, refused));
  }

  const servers: Record<string, () => unknown> = {
    'by its name': () => spawn('postgres', ['-D', '/tmp']),
    'by its path': () => execFileSync('/usr/local/bin/kube-apiserver'),
    'by its path, for a cloud': () => spawn('/usr/bin/redis-server', ['-']),
    'by way of a shell': () => execFileSync('sh', ['-c', 'exec etcd --data-dir /tmp']),
  };
  for (const [how, start] of Object.entries(servers)) {
    test(`no server is started ${how}`, () => assert.throws(start, refused));
  }

  test('other programs are', () => {
    assert.equal(execFileSync(process.execPath, ['-p', '1'], { encoding: 'utf8' }), '1\n');
  });

  test('a child process of node starts no server', () => {
    const program = "require('node:net').createServer().listen(18080, '127.0.0.1')";
    assert.throws(() => execFileSync(process.execPath, ['-e', program], { stdio: 'pipe' }), refused);
  });
});

test('test:unit runs under it, and has tests of every stack', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  assert.equal(scripts['test:unit'], 'node --import ./test/no-servers.ts test/main.ts unit');
  const stacks = globSync('stacks/**/stack.ts', { cwd: root }).map((file) => dirname(file));
  assert.ok(stacks.length >= 3, stacks.join());
  const tested = testFiles('unit');
  const untested = stacks.filter((stack) => !tested.some((file) => file.startsWith(`test/${stack}/`)));
  assert.deepEqual(untested, []);
});
