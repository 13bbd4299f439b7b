import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileFlag, numberFlag } from '../../local/flags.ts';
import { HelpRequested, readCommandLine } from '../../local/read-command-line.ts';

const usage = 'flags:\n  --size N';
const read = (...args: readonly string[]) =>
  readCommandLine(args, {
    usage,
    config: {
      options: { size: { type: 'string' }, name: { type: 'string' }, quick: { type: 'boolean' } },
      allowPositionals: true,
    },
    read: ({ values, positionals }) => ({
      ...values,
      ...(values.size !== undefined && { size: numberFlag('--size', values.size, { max: 9 }) }),
      ...(values.name !== undefined && { name: fileFlag('--name', values.name) }),
      positionals,
    }),
  });

describe('a command line', () => {
  const good: Readonly<Record<string, readonly [args: readonly string[], parsed: object]>> = {
    'may be empty': [[], { positionals: [] }],
    'has flags with values': [['--size', '3', '--quick', 'x'], { size: 3, quick: true, positionals: ['x'] }],
    'has values that begin with a dash': [['--name', '-1'], { name: '-1', positionals: [] }],
    'has values that are a dash': [['--name', '-'], { name: '-', positionals: [] }],
    'has values behind an equals sign': [['--name=--quick', 'x'], { name: '--quick', positionals: ['x'] }],
    'has no flags behind two dashes': [['--', '--name', '--quick'], { positionals: ['--name', '--quick'] }],
  };
  for (const [name, [args, parsed]] of Object.entries(good)) {
    test(name, () => assert.deepEqual(Object.assign({}, read(...args)), parsed));
  }

  const bad: Readonly<Record<string, readonly [args: readonly string[], reported: string]>> = {
    'a negative number': [['--size', '-1'], '--size: "-1" is no number from 0 to 9'],
    'a value that looks like a flag': [['--size', '-2s'], '--size: "-2s" is no number from 0 to 9'],
    'a flag in place of a value': [['--name', '--quick'], '--name: has no value before --quick'],
    'no value': [['--name'], "Option '--name <value>' argument missing"],
    'an empty value': [['--name', ''], '--name: must name a file'],
    'an unknown flag': [['--bogus=secret'], "Unknown option '--bogus'"],
    'an unknown flag of one letter': [['-x'], "Unknown option '-x'"],
    'a value for a flag that takes none': [['--quick=yes'], "Option '--quick' does not take an argument"],
    'control characters, which are escaped': [
      ['--size', '\u001b[31m'],
      '--size: "\\u001b[31m" is no number from 0 to 9',
    ],
  };
  for (const [name, [args, reported]] of Object.entries(bad)) {
    test(`is refused for ${name}`, () => assert.equal(read(...args), `${reported}\n${usage}`));
  }

  for (const args of [
    ['--help'],
    ['-h'],
    ['--bogus', '--help'],
    ['--size', 'x', '-h'],
    ['--name', '--help'],
  ]) {
    test(`asks for help: ${args.join(' ')}`, () => assert.deepEqual(read(...args), new HelpRequested(usage)));
  }

  test('is no reason to hide another error', () => {
    const broken = () => {
      throw new TypeError('of the program');
    };
    assert.throws(() => readCommandLine([], { usage, config: {}, read: broken }), TypeError);
  });
});
