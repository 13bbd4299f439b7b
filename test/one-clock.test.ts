import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/**
 * Time comes in through `runtime/time/clock.ts` and chance through `runtime/time/random.ts`; `app/run.ts` creates both. Code
 * that bypasses them cannot be tested with a test clock, nor repeated from a seed.
 */
const forbidden: Readonly<Record<string, RegExp>> = {
  'a timer of node': /\b(?:set|clear)(?:Timeout|Interval|Immediate)\b/,
  'the timers module': /['"](?:node:)?timers(?:\/promises)?['"]/,
  // A date from given numbers and a type do not read the clock. Every other use of Date may, under any name.
  'the date of the machine':
    /(?<!: |\binstanceof |\bnew )\bDate\b(?!\.(?:parse|UTC)\()|\bnew Date\b(?!\(\s*[^)\s])|: Date\b\s*[.([?]/,
  'the monotonic clock': /\bperformance\b|['"](?:node:)?perf_hooks['"]|\bhrtime\b|\buptime\b|\bAtomics\b/,
  'a signal with a timer': /\bAbortSignal(?:\.timeout\b|\?|\[)|[=(,]\s*AbortSignal\s*[;,)]/,
  'a scheduler of RxJS': /\b(?:async|asap|animationFrame|queue)Scheduler\b/,
  'RxJS by a door where its names are not seen':
    /(?<!import (?:type )?\{[^}]*\} from )['"`]rxjs(?:\/[^'"`]*)?['"`]|['"`]rxjs\/(?!operators['"`])/,
  'the chance of the machine': /\bMath\b(?!\.(?!random\b)\w)/,
  // A function that is passed in may be called randomBytes; the one of node:crypto must be imported.
  'chance that cannot be repeated':
    /\brandom(?:UUID|Int|FillSync|Fill)\b|\bgetRandomValues\b|\bcrypto\.randomBytes\b|\brandomBytes\b[^}]*\} (?:from ['"](?:node:)?crypto['"]|= crypto\b)/,
  'time or chance of lodash':
    /lodash\/(?:debounce|throttle|delay|defer|now|random|sample|sampleSize|shuffle)\b/,
  'the clock of the machine': /\brealClock\b/,
};

/** The RxJS functions that use the global clock unless another one is passed. */
const timed = [
  'timer',
  'interval',
  'delay',
  'debounceTime',
  'throttleTime',
  'auditTime',
  'sampleTime',
  'timeout',
  'timeoutWith',
  'bufferTime',
  'windowTime',
  'timestamp',
  'timeInterval',
];

/** Files that may use these, each with its reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // An attacker who knows a seed must not be able to guess a password or its salt.
  'stacks/mysql/client/mark.ts': ['chance that cannot be repeated'],
  'stacks/mysql/client/user-creation.ts': ['chance that cannot be repeated'],
  'stacks/postgresql/client/scram-verifier.ts': ['chance that cannot be repeated'],
  'controllers/credential.ts': ['chance that cannot be repeated'],
  'controllers/managed/run/context.ts': ['chance that cannot be repeated'],
  // Nothing waits for this clock: the environment there does nothing.
  'controllers/author/environment-at-rest.ts': ['the clock of the machine'],
  // Where both are made, for everybody else; the identity in a Lease must be another's in no case.
  'app/run.ts': ['the chance of the machine', 'chance that cannot be repeated', 'the clock of the machine'],
  // It observes garbage collections and reads no clock. With a test clock it is not used.
  'runtime/process/heap.ts': ['the monotonic clock'],
  // A command is a process of its own.
  'trace/run-here.ts': ['the clock of the machine'],
  // Time that is moved by hand goes on when nothing else is left to do.
  // It waits for work that takes real time, for example in a cloud.
  'testing/real-moment.ts': ['a timer of node', 'the timers module'],
  // Its acts play on a real server, which has the time of the machine.
  'testing/claims.ts': ['the clock of the machine'],
  'testing/test-clock.ts': ['a timer of node', 'the timers module'],
};

/** The source without its comments. */
const codeOf = (source: string): string =>
  source.replace(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_match, text: string | undefined) => text ?? '',
  );

/** The text between a parenthesis and the one that closes it. */
function inParentheses(code: string, from: number): string {
  let depth = 1;
  let end = from;
  for (; end < code.length && depth > 0; end += 1) {
    if (code[end] === '(') depth += 1;
    if (code[end] === ')') depth -= 1;
  }
  return code.slice(from, end - 1);
}

const rxjsImport = /import \{([^}]*)\} from 'rxjs(?:\/\w+)?'/g;

/** The names under which a source imports from RxJS: its own name → the name in RxJS. */
function rxjsNames(code: string): ReadonlyMap<string, string> {
  return new Map(
    [...code.matchAll(rxjsImport)].flatMap(([, names = '']) =>
      names.split(',').map((text) => {
        const [name = '', own = name] = text.trim().split(/\s+as\s+/);
        return [own, name] as const;
      }),
    ),
  );
}

/** Whether the `delay` among these arguments is, for all one can see, a function, or there is none. */
function isDelayComputed(code: string, given: string): boolean {
  const [, value] = /\bdelay(?:\s*:\s*([^,}]*)|(?=\s*[,}]))/.exec(given) ?? ['', '('];
  const name = value?.trim() ?? 'delay';
  return /^\(|=>/.test(name) || new RegExp(`\\bfunction ${name}\\b|\\bconst ${name} = \\(`).test(code);
}

/** Whether it has something of RxJS go by the global clock, or hands it on to where that cannot be seen. */
function isByGlobalClock(source: string): boolean {
  const code = source.replace(rxjsImport, '');
  return [...rxjsNames(source)].some(([own, name]) =>
    [...code.matchAll(new RegExp(`(?<![.\\w])${own}\\b(?!\\s*:)(?:<[^()]*?>)?(\\()?`, 'g'))].some(
      ({ 0: text, 1: isCall, index }) => {
        if (isCall === undefined) return timed.includes(name);
        const given = inParentheses(code, index + text.length);
        const isMethod = // { delay(error) { … } }, and not `isOver ? delay(10) : of(1)`
          /[{,]\s*$/.test(code.slice(0, index)) &&
          /^\s*[:{]/.test(code.slice(index + text.length + given.length + 1));
        if (isMethod || /\bscheduler\b/.test(given)) return false;
        if (timed.includes(name)) return true;
        if (name === 'retry' || name === 'repeat') return !isDelayComputed(code, given);
        if (name === 'shareReplay')
          return /,/.test(given.replace(/\{.*\}/s, '')) || /\bwindowTime\b/.test(given);
        return name === 'ReplaySubject' && given.includes(',');
      },
    ),
  );
}

/** The names of the rules that a source breaks. */
function broken(source: string): readonly string[] {
  const code = codeOf(source);
  const names = Object.entries(forbidden).flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
  return isByGlobalClock(code) ? [...names, 'an operator by the global clock'] : names;
}

describe('the rules notice', () => {
  const examples: Readonly<Record<string, string>> = {
    'a timer of node': 'await new Promise(setImmediate);',
    'the timers module': "import { scheduler } from 'node:timers/promises';",
    'the date of the machine': 'const { now } = Date;',
    'the monotonic clock': 'process.hrtime.bigint()',
    'a signal with a timer': 'AbortSignal.timeout(1000)',
    'a scheduler of RxJS': "import { asyncScheduler, of } from 'rxjs';",
    'RxJS by a door where its names are not seen': "const { timer } = await import('rxjs');",
    'the chance of the machine': 'const { random } = Math;',
    'chance that cannot be repeated': "import { createHmac, randomBytes as bytes } from 'node:crypto';",
    'time or chance of lodash': "import debounce from 'lodash/debounce.js';",
    'the clock of the machine': 'realClock()',
    'an operator by the global clock': "import { delay } from 'rxjs/operators';\nsource$.pipe(delay(10))",
  };
  for (const [rule, source] of Object.entries(examples)) {
    test(`${rule}: ${source.split('\n').at(-1)}`, () => assert.ok(broken(source).includes(rule)));
  }

  /** Operators that use the global clock only with some arguments, or under another name. */
  const hidden = [
    'source$.pipe(retry({ delay: 1000 }))',
    'source$.pipe(repeat({ count: 3, delay: 10 }))',
    'new ReplaySubject<string>(1, 500)',
    'source$.pipe(shareReplay({ bufferSize: 1, windowTime: 500, refCount: true }))',
    '[10].map(timer)',
  ];
  for (const code of hidden) {
    test(`an operator by the global clock: ${code}`, () => {
      const source = `import { repeat, ReplaySubject, retry, shareReplay, timer } from 'rxjs';\n${code}`;
      assert.deepEqual(broken(source), ['an operator by the global clock']);
    });
  }

  test('each rule has an example', () =>
    assert.deepEqual(
      Object.keys(examples).toSorted(),
      [...Object.keys(forbidden), 'an operator by the global clock'].toSorted(),
    ));
});

describe('time and chance come in by one door', () => {
  const root = join(import.meta.dirname, '..');
  /** The clock itself, the browser, and emulators, which have the clock of their machine. */
  const elsewhere =
    /^(runtime\/time\/|dashboard\/page|stacks\/[\w-]+\/emulator\/|testing\/(emulators|favourite-cloud|vault)\/)/;
  const files = globSync('{apis,clients,controllers,dashboard,runtime,stacks,testing,trace}/**/*.ts', {
    cwd: root,
  }).filter((file) => !elsewhere.test(file));
  test('there are files to look at', () => assert.ok(files.length > 150));
  for (const file of files) {
    test(file, () =>
      assert.deepEqual(broken(readFileSync(join(root, file), 'utf8')), exceptions[file] ?? []),
    );
  }
});
