import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, annotate } from '../../../runtime/client/errors.ts';
import type { LogOptions } from '../../../runtime/log/log.ts';
import { createLogger } from '../../../runtime/log/log.ts';
import { loggable } from '../../../runtime/log/loggable.ts';
import { testClock } from '../../../testing/test-clock.ts';

function logging(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    write: (line) => lines.push(line),
    clock: testClock('2026-01-02T03:04:05.678Z'),
    ...options,
  });
  return { log, lines };
}

describe('log', () => {
  test('a line is one JSON object: time, level, message, where, the rest, error', () => {
    const { log, lines } = logging();
    const where = { name: 'n', namespace: 'ns' };
    const facts = { error: new Error('boom'), durationMs: 3, ...where };
    log.child({ controller: 'c' }).error('reconcile failed', facts);
    assert.deepEqual(lines, [
      '{"ts":"2026-01-02T03:04:05.678Z","level":"error","msg":"reconcile failed","controller":"c","namespace":"ns","name":"n","durationMs":3,"error":{"message":"boom"}}\n',
    ]);
  });

  test('only the level and what is more important is written', () => {
    const written = (level: LogOptions['level']) => {
      const { log, lines } = logging({ level });
      log.debug('d');
      log.info('i');
      log.warn('w');
      log.error('e');
      return lines.map((line) => (JSON.parse(line) as { msg: string }).msg).join('');
    };
    assert.deepEqual((['debug', 'info', 'warn', 'error'] as const).map(written), ['diwe', 'iwe', 'we', 'e']);
  });

  test('facts do not overwrite what the line says of itself, nor what winston calls its own', () => {
    const { log, lines } = logging();
    log.info('constant', { level: 'x', msg: 'y', ts: 'z', message: 'm', splat: 1, extra: true });
    const own = { ts: '2026-01-02T03:04:05.678Z', level: 'info', msg: 'constant' };
    assert.deepEqual(JSON.parse(lines[0]!), { ...own, message: 'm', splat: 1, extra: true });
  });

  test('percent signs in a message mean nothing', () => {
    const { log, lines } = logging();
    log.info('100 %s %d', { a: 1 });
    assert.equal((JSON.parse(lines[0]!) as { msg: string }).msg, '100 %s %d');
  });

  test("a child's fields add to its parent's, the newest wins", () => {
    const { log, lines } = logging();
    const child = log.child({ controller: 'c', a: 1 }).child({ a: 2 });
    child.info('m', { b: 3 });
    log.info('m');
    assert.match(lines[0]!, /"controller":"c","a":2,"b":3/);
    assert.doesNotMatch(lines[1]!, /controller/);
  });

  test('an error brings its causes, codes and reasons; its stack at level debug only', async () => {
    const cause = new ApiError('not found', { code: 404, reason: 'NotFound' });
    const failing = annotate('cannot get widget', Promise.reject(cause));
    const error: unknown = await failing.catch((thrown: unknown) => thrown);
    const { log, lines } = logging();
    log.error('m', { error });
    assert.deepEqual((JSON.parse(lines[0]!) as { error: unknown }).error, {
      message: 'cannot get widget: not found',
      cause: { message: 'not found', name: 'ApiError', code: 404, reason: 'NotFound' },
    });
    const debugging = logging({ level: 'debug' });
    debugging.log.error('m', { error });
    const { stack } = (JSON.parse(debugging.lines[0]!) as { error: { stack: string } }).error;
    assert.match(stack, /^ {4}at annotate \(.*errors\.ts/);
  });

  test('pretty: a line for people', () => {
    const { log, lines } = logging({ format: 'pretty' });
    const facts = { namespace: 'ns', name: 'n', text: 'two words', error: new Error('boom') };
    log.child({ controller: 'c' }).warn('it happened', facts);
    assert.deepEqual(lines, [
      '03:04:05.678 WARN  it happened object=ns/n controller=c text="two words" error=boom\n',
    ]);
  });

  for (const format of ['json', 'pretty'] as const) {
    test(`${format}: what others wrote cannot forge lines, colours or directions, wherever it stands`, () => {
      const evil = 'a\nINFO forged\r\u001b[31mred\u001b]0;title\u0007\u009b1mbold\u0000\u202edesrever\ud83d';
      const { log, lines } = logging({ format, level: 'debug' });
      log.info(evil, { [evil]: evil, name: evil, namespace: evil, error: new Error(evil, { cause: evil }) });
      assert.equal(lines.length, 1);
      const [line = ''] = lines;
      // A stack is a line for each frame, none of them the message's.
      assert.ok(line.split('\n').every((part, index) => index === 0 || part === '' || /^ {4}at /.test(part)));
      assert.doesNotMatch(line.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\ud83d]/u);
      assert.match(line, /a INFO forged \\+u\{1b\}\[31mred.*\\+u\{202e\}desrever\ufffd/);
    });
  }
});

describe('the values that may be written to a log', () => {
  const shown = (value: unknown): unknown => loggable(value, { withStack: false });

  for (const name of [
    'password',
    'Password',
    'adminPassword',
    'token',
    'accessToken',
    'api-key',
    'client_secret_key',
    'data',
    'stringData',
    'authorization',
    'Set-Cookie',
    'credentials',
    'connectionDetails',
    'private.key',
  ]) {
    test(`the value of a field named ${name} is not`, () =>
      assert.deepEqual(shown({ deep: { [name]: 'hunter2' } }), { deep: { [name]: '[redacted]' } }));
  }
  for (const name of ['name', 'namespace', 'key', 'secretName', 'database', 'tokens', 'update']) {
    test(`the value of a field named ${name} is`, () =>
      assert.deepEqual(shown({ [name]: 'plain' }), { [name]: 'plain' }));
  }

  const texts: Record<string, readonly [given: string, want: string]> = {
    'a password in a URL': ['at postgres://u:hunter2@h:5432/d', 'at postgres://u:[redacted]@h:5432/d'],
    'a password without user': ['redis://:hunter2@h', 'redis://:[redacted]@h'],
    'a bearer token': ['Bearer abcdefgh.ijkl', 'Bearer [redacted]'],
    'a URL without password': ['https://h:443/a@b', 'https://h:443/a@b'],
    'a plain text': ['basic facts', 'basic facts'],
  };
  for (const [name, [given, want]] of Object.entries(texts)) {
    test(name, () => {
      assert.equal(shown(given), want);
      assert.deepEqual(shown(new Error(given)), { message: want });
    });
  }

  test('a long text is cut, whatever it looks like', () => {
    for (const text of ['x'.repeat(5_000_000), 'a.'.repeat(2_500_000), 'a://'.repeat(1_250_000)]) {
      assert.equal((shown(text) as string).length, 8193);
    }
  });

  test('a password that reaches beyond the cut does not show', () => {
    const text = `${'x '.repeat(4090)}postgres://u:${'p'.repeat(100)}@h`;
    assert.doesNotMatch(shown(text) as string, /ppp/);
  });

  const circular: Record<string, unknown> = { a: 1 };
  circular.self = circular;
  const values: Record<string, readonly [given: unknown, want: unknown]> = {
    'a cycle': [circular, { a: 1, self: '[circular]' }],
    'the same object twice is no cycle': [
      [circular.a, [circular.a]],
      [1, [1]],
    ],
    'a map': [new Map([['token', 'x']]), { token: '[redacted]' }],
    'a set': [new Set([1]), [1]],
    'a date': [new Date(0), '1970-01-01T00:00:00.000Z'],
    'no date': [new Date(Number.NaN), 'invalid date'],
    bytes: [Buffer.from('hunter2'), '[7 bytes]'],
    'a big number': [10n, '10'],
    'no number': [Number.NaN, 'NaN'],
    'a URL': [new URL('http://u:hunter2@h/'), 'http://u:[redacted]@h/'],
    nothing: [{ a: undefined, b: null, c: () => 1 }, { b: null }],
    'a value that cannot be read': [
      {
        get a() {
          throw new Error('no');
        },
      },
      '[unreadable]',
    ],
    'many errors': [
      new AggregateError([new Error('a')], 'all'),
      { message: 'all', name: 'AggregateError', errors: [{ message: 'a' }] },
    ],
  };
  for (const [name, [given, want]] of Object.entries(values)) {
    test(name, () => assert.deepEqual(shown(given), want));
  }
  test('a value that is nested too deep', () => {
    const nest = (depth: number): object => (depth === 0 ? {} : { in: nest(depth - 1) });
    assert.match(JSON.stringify(shown(nest(100))), /"\[deep\]"/);
  });
});
