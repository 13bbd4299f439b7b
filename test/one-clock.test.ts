import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/**
 * Time comes in through `runtime/time/clock.ts` and chance through `runtime/time/random.ts`; `main.ts` makes both. Whoever
 * reaches past them cannot be tested by a clock that is moved by hand, nor repeated from a seed.
 */
const forbidden: Readonly<Record<string, RegExp>> = {
  'a timer of node': /\b(?:set|clear)(?:Timeout|Interval|Immediate)\b/,
  'the timers module': /['"](?:node:)?timers(?:\/promises)?['"]/,
  'the date of the machine': /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(/,
  'the monotonic clock': /\bperformance\b|['"](?:node:)?perf_hooks['"]|\bhrtime\b|\bprocess\.uptime\b/,
  'a signal with a timer': /\bAbortSignal\.timeout\b/,
  'a scheduler of RxJS': /\b(?:async|asap|animationFrame)Scheduler\b/,
  'the chance of the machine': /\bMath\.random\b/,
  'chance that cannot be repeated': /\brandom(?:Bytes|UUID|Int|FillSync|Fill)\b|\bgetRandomValues\b/,
  'time or chance of lodash':
    /lodash\/(?:debounce|throttle|delay|defer|now|random|sample|sampleSize|shuffle)\b/,
  'the clock of the machine': /\brealClock\b/,
};

/** What RxJS does by the global clock unless it is given another. */
const timed = [
  ...['timer', 'interval', 'delay', 'debounceTime', 'throttleTime', 'auditTime', 'sampleTime'],
  ...['timeout', 'timeoutWith', 'bufferTime', 'windowTime', 'timestamp', 'timeInterval'],
];

/** What may do so all the same, and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // A password, and the salt of one, must not be guessed by whoever knows a seed.
  'clients/generate-password.ts': ['chance that cannot be repeated'],
  'clients/postgresql/password.ts': ['chance that cannot be repeated'],
  // A program of its own, which ends at once.
  'controllers/generate.ts': ['the clock of the machine'],
};

/** The source without its comments. */
const codeOf = (source: string): string =>
  source.replace(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_match, text: string | undefined) => text ?? '',
  );

/** What stands between a parenthesis and the one that closes it. */
function inParentheses(code: string, from: number): string {
  let depth = 1;
  let end = from;
  for (; end < code.length && depth > 0; end += 1) {
    if (code[end] === '(') depth += 1;
    if (code[end] === ')') depth -= 1;
  }
  return code.slice(from, end - 1);
}

/** What a source calls what it imports from RxJS: its own name → theirs. */
function rxjsNames(code: string): ReadonlyMap<string, string> {
  const imports = code.matchAll(/import \{([^}]*)\} from 'rxjs(?:\/\w+)?'/g);
  return new Map(
    [...imports].flatMap(([, names = '']) =>
      names.split(',').map((text) => {
        const [name = '', own = name] = text.trim().split(/\s+as\s+/);
        return [own, name] as const;
      }),
    ),
  );
}

/** Whether it calls something of RxJS that goes by the global clock. */
function isByGlobalClock(code: string): boolean {
  const names = rxjsNames(code);
  return [...code.matchAll(/(?<![.\w])(\w+)\(/g)].some(({ 0: text, 1: own = '', index }) => {
    const name = names.get(own) ?? '';
    const given = inParentheses(code, index + text.length);
    const isMethod = /^\s*[:{]/.test(code.slice(index + text.length + given.length + 1)); // { delay(error) { … } }
    if (isMethod || /\bscheduler\b/.test(given)) return false;
    if (timed.includes(name)) return true;
    if (name === 'retry' || name === 'repeat') return /\bdelay:\s*[\d.]/.test(given);
    return (name === 'ReplaySubject' || name === 'shareReplay') && given.includes(',');
  });
}

/** The names of the rules that a source breaks. */
function broken(source: string): readonly string[] {
  const code = codeOf(source);
  const names = Object.entries(forbidden).flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
  return isByGlobalClock(code) ? [...names, 'an operator by the global clock'] : names;
}

describe('the rules notice', () => {
  const operators = [...timed, 'ReplaySubject', 'repeat', 'retry', 'shareReplay'].join(', ');
  const rxjs = (code: string): string => `import { ${operators} } from 'rxjs';\n${code}`;
  const examples: Readonly<Record<string, readonly string[]>> = {
    'a timer of node': [
      'setTimeout(wake, 10);',
      'setInterval(wake, 10);',
      'setImmediate(wake);',
      'await new Promise(setImmediate);',
      'clearTimeout(timer);',
    ],
    'the timers module': [
      "import { scheduler } from 'node:timers/promises';",
      "import timers from 'timers';",
      'const { scheduler } = await import("node:timers/promises");',
    ],
    'the date of the machine': ['const at = Date.now();', 'new Date()', 'Date()'],
    'the monotonic clock': [
      'performance.now()',
      'const { now } = performance;',
      "import { hrtime } from 'node:process';",
      'process.hrtime.bigint()',
      "import { performance as clock } from 'perf_hooks';",
      'process.uptime()',
    ],
    'a signal with a timer': ['AbortSignal.timeout(1000)'],
    'a scheduler of RxJS': [
      rxjs('timer(10, asyncScheduler)'),
      "import { asapScheduler } from 'rxjs';",
      "import { asyncScheduler, of } from 'rxjs';",
      'asyncScheduler.schedule(wake);',
    ],
    'the chance of the machine': ['Math.random()', 'const random = Math.random;'],
    'chance that cannot be repeated': [
      'randomUUID()',
      'crypto.randomBytes(8)',
      'crypto.getRandomValues(array)',
      "import { randomInt } from 'node:crypto';",
    ],
    'time or chance of lodash': ["import debounce from 'lodash/debounce.js';"],
    'the clock of the machine': ['realClock()'],
    'an operator by the global clock': [
      rxjs('timer(10)'),
      rxjs('of(1).pipe(delay(drainTimeoutMs))'),
      rxjs('interval(Math.round(period * (1 - random())))'),
      rxjs('source$.pipe(debounceTime(\n  500,\n))'),
      rxjs('source$.pipe(timeout({ first: 10, with: () => EMPTY }))'),
      rxjs('source$.pipe(retry({ delay: 1000 }))'),
      rxjs('source$.pipe(repeat({ count: 3, delay: 10 }))'),
      rxjs('new ReplaySubject(1, 500)'),
      rxjs('source$.pipe(shareReplay(1, 500))'),
      "import { timer as later } from 'rxjs';\nlater(10)",
      "import { delay } from 'rxjs/operators';\nsource$.pipe(delay(10))",
    ],
  };
  for (const [rule, sources] of Object.entries(examples)) {
    for (const source of sources) {
      test(`${rule}: ${source.split('\n').slice(-3).join(' ')}`, () =>
        assert.ok(broken(source).includes(rule)));
    }
  }
  test('each rule has an example', () =>
    assert.deepEqual(
      Object.keys(examples).toSorted(),
      [...Object.keys(forbidden), 'an operator by the global clock'].toSorted(),
    ));

  const fine = [
    "// setTimeout in a comment, and a URL: 'https://example.com'",
    '/* Date.now() */ new Date(nowMs)',
    "const url = 'https://example.com'; new Date(text)",
    rxjs('timer(10, clock.scheduler)'),
    rxjs('source$.pipe(timeout({ first: 10, scheduler, with: () => EMPTY }))'),
    rxjs('source$.pipe(retry({ delay: (error) => timer(10, scheduler) }))'),
    rxjs('source$.pipe(retry({ delay(error) { return timer(10, scheduler); } }))'),
    rxjs('source$.pipe(shareReplay(1))'),
    'limiter.delay(10)',
    'timestamp(10)',
  ];
  for (const source of fine) {
    test(`nothing in: ${source.split('\n').at(-1)}`, () => assert.deepEqual(broken(source), []));
  }
});

describe('time and chance come in by one door', () => {
  const root = join(import.meta.dirname, '..');
  const files = globSync('{apis,clients,controllers,runtime}/**/*.ts', { cwd: root }).filter(
    (file) => !file.startsWith('runtime/time/'),
  );
  test('there are files to look at', () => assert.ok(files.length > 150));
  for (const file of files) {
    test(file, () =>
      assert.deepEqual(broken(readFileSync(join(root, file), 'utf8')), exceptions[file] ?? []),
    );
  }
});
