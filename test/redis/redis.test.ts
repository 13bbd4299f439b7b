import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '../../local/redis.ts';
import type { RedisSupport } from '../../local/redis-binaries.ts';
import { redisSupport } from '../../local/redis-binaries.ts';
import { redisCli } from './redis-cli.ts';

const support = await redisSupport();
const skip = support.by === 'none' && support.reason;
const binaries = support as Exclude<RedisSupport, { by: 'none' }>;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a real Redis', { skip, timeout: 300_000 }, () => {
  test('takes the password that it was given, and no other', async () => {
    await using redis = await startRedis({ binaries, password: 'open "sesame"' });
    assert.equal(await redisCli(support, { ...redis, password: 'open "sesame"' }, 'PING'), 'PONG');
    assert.match(await redisCli(support, redis, 'PING'), /^NOAUTH/);
    assert.match(await redisCli(support, { ...redis, password: 'other' }, 'PING'), /WRONGPASS/);
  });

  test('is changed without a pause and without losing anything', async () => {
    await using redis = await startRedis({ binaries, configs: { maxmemory: '1048576' } });
    await redisCli(support, redis, 'SET', 'kept', 'yes');
    await redis.configure({ password: 'new', configs: { 'maxmemory-policy': 'allkeys-lru' } });
    const client = { ...redis, password: 'new' };
    assert.equal(await redisCli(support, client, 'GET', 'kept'), 'yes');
    assert.match(await redisCli(support, client, 'CONFIG', 'GET', 'maxmemory-policy'), /allkeys-lru/);
    assert.match(await redisCli(support, client, 'CONFIG', 'GET', 'maxmemory'), /1048576/);
    await redis.configure({});
    assert.equal(await redisCli(support, redis, 'PING'), 'PONG');
  });

  test('says no to a configuration that it does not know', async () => {
    await using redis = await startRedis({ binaries });
    await assert.rejects(
      redis.configure({ configs: { nonsense: '1' } }),
      /does not take its configuration.*nonsense/,
    );
    await assert.rejects(startRedis({ binaries, configs: { nonsense: '1' } }), /Redis did not start/);
  });

  test('says that its port is taken', async () => {
    await using redis = await startRedis({ binaries });
    await assert.rejects(
      startRedis({ binaries, port: redis.port }),
      /did not start: .*Address already in use/s,
    );
  });

  test('is gone after its stop, and may be stopped twice', async () => {
    const redis = await startRedis({ binaries });
    await redis.stop();
    await redis.stop();
    assert.match(await redisCli(support, redis, 'PING'), /Connection refused/);
  });

  test('ends when the process that started it is killed', async () => {
    const program = [
      `const { startRedis } = await import(${JSON.stringify(join(import.meta.dirname, '../../local/redis.ts'))});`,
      `const redis = await startRedis({ binaries: ${JSON.stringify(binaries)} });`,
      'console.log(redis.pid); setInterval(() => {}, 1000);',
    ];
    const child = spawn(process.execPath, ['--input-type=module', '-e', program.join('\n')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    assert.ok(isRunning(Number(line)));
    child.kill('SIGKILL');
    for (let attempt = 0; isRunning(Number(line)) && attempt < 200; attempt += 1) await sleep(50);
    assert.equal(isRunning(Number(line)), false);
  });
});
