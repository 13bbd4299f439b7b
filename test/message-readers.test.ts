import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { messageReaders } from './message-readers.ts';

const root = join(import.meta.dirname, '..');

/** The places that may look into a message, and why. None of them decides anything. */
const allowed: Readonly<Record<string, { readonly found: readonly string[]; readonly because: string }>> = {
  'controllers/managed/connecting/provider-health-connector.ts': {
    found: ['messageOf(error).replace('],
    because:
      'The text about a provider leaves out the name of the resource, which differs from call to call.',
  },
  'controllers/provider/provider-readiness.ts': {
    found: ['message.includes('],
    because: 'The text about a provider names the Secret of its credentials once.',
  },
  'controllers/log-changes.ts': {
    found: ['s.message === message'],
    because: 'A condition is logged again if its text changed.',
  },
  'controllers/author/server-survey.ts': {
    found: ['t.message !== before'],
    because: 'An Event is recorded again if its text changed.',
  },
  'trace/command.ts': {
    found: ['message.replace('],
    because:
      'The parser of the command line prints "error:" before its text, and this command does that too.',
  },
};

test('controllers and trace read data, and no text for people', () => {
  const files = globSync(
    ['{app,controllers,trace}/**/*.ts', 'stacks/*/{*,!(client|emulator|kinds)/**/*}.ts'],
    { cwd: root },
  ).toSorted();
  const found = files.flatMap((file) => {
    const readers = messageReaders(readFileSync(join(root, file), 'utf8'));
    return readers.length === 0 ? [] : [[file, readers] as const];
  });
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(Object.entries(allowed).map(([file, place]) => [file, place.found])),
  );
});

describe('a reader of messages is found', () => {
  const cases: Readonly<Record<string, readonly [source: string, found: readonly string[]]>> = {
    'by a method of strings': [
      "if (condition.message?.startsWith('connect failed')) retry();",
      ['message?.startsWith('],
    ],
    'by a regular expression': ['const isDown = /unreachable/.test(error.message);', ['.test(error.message']],
    'by what an expression captures': [
      'const [, name] = /lacks (.*)/.exec(said ?? "") ?? [];',
      ['.exec(said'],
    ],
    'on the text of anything thrown': [
      "return messageOf(error).includes('quota');",
      ['messageOf(error).includes('],
    ],
    'in a list of texts': ['return known.includes(failure.message);', ['.includes(failure.message']],
    'by a comparison': ["if (message === 'done') return;", ["message === '"]],
    'under another name': ['const { message: why } = failure; if (why.match(/no/)) return;', ['why.match(']],
    'under the name of a variable': [
      'const why = synced.message ?? ""; return why.search(/x/);',
      ['why.search('],
    ],
    'by the absence of a text': [
      'if (ready.message === undefined) removeFinalizer();',
      ['y.message === undefined'],
    ],
    'after a default': ["(message ?? '').split(',')", ["message ?? '').split("]],
  };
  for (const [name, [source, found]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(messageReaders(source), found));
  }
});
