import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { subjectFault } from './commits.ts';
import { checkedFiles, root } from './files.ts';
import { findingsOf } from './findings.ts';
import { declaredNames } from './names.ts';
import { textsOf } from './texts.ts';
import { exceptions, nameWords, words } from './words.ts';

/** The findings with their lines. */
function foundIn(path: string, source: string): readonly (readonly [number, string])[] {
  return findingsOf(path, source).map(({ line, found }) => [line, found]);
}

const found = (path: string, source: string): readonly string[] =>
  findingsOf(path, source).map((finding) => finding.found);

const wordy = (count: number): string => `The claim ${'binds '.repeat(count - 3)}now.`;

describe('the language check', () => {
  /** A sentence for each entry of the word list, in the order of the list. */
  const violations: readonly (readonly [sentence: string, found: string])[] = [
    ['The claim is told the reason.', 'told'],
    ['The status says so.', 'says so'],
    ['The identity is on record.', 'on record'],
    ['The Secret has gone.', 'has gone'],
    ['The controller deletes what is left.', 'what is left'],
    ['The controller lets go of it.', 'lets go of'],
    ['The claim gets the offer.', 'the offer'],
    ['The Secret has leave.', 'has leave'],
    ['The password is handed\nover.', 'handed over'],
    ['The former claim owned the resource.', 'former claim'],
    ['The tag says whose it is.', 'whose it is'],
    ['The rightful owner is the claim.', 'rightful'],
    ['The right is taken away.', 'taken away'],
    ['The resource is looked at.', 'looked at'],
    ['The controller deletes what is outside.', 'what is outside'],
    ['The Secret is made anew.', 'anew'],
    ['A renewal of the password is pending.', 'renewal'],
    ['A rotation is due.', 'is due'],
    ['An update is owed.', 'owed'],
    ['The claims contest the resource.', 'contest'],
    ['The run was overtaken.', 'overtaken'],
    ['The heir of the claim gets it.', 'heir'],
    ['The password is in doubt.', 'in doubt'],
    ['The resource is a misfit.', 'misfit'],
    ['Each ending has a reason.', 'each ending'],
    ['Nobody deletes the Secret.', 'nobody'],
    ['MariaDB stands in for MySQL.', 'stands in for'],
    ['The estate has 12 resources.', 'estate'],
    ['The controller mends the Secret.', 'mends'],
    ['The Secret exists by then.', 'by then'],
    ['Meanwhile the claim waits.', 'meanwhile'],
    ['A Secret is written in its place.', 'in its place'],
    ['The Secret is kept in step.', 'kept in step'],
    ['Choose a version, as 18.', ', as 1'],
  ];

  test('each word of the list is found in an example', () => {
    assert.equal(violations.length, words.length);
    for (const [index, [sentence, expected]] of violations.entries()) {
      const [word] = words.slice(index, index + 1);
      const only = { words: word === undefined ? [] : [word], exceptions: [] };
      const findings = findingsOf('docs/page.md', sentence, only);
      assert.deepEqual([sentence, findings.map((finding) => finding.found)], [sentence, [expected]]);
    }
  });

  test('a statement with a clause as its subject is found, and a question and a heading are not', () => {
    assert.deepEqual(found('docs/page.md', 'What was published is deleted.'), ['What …']);
    assert.deepEqual(found('docs/page.md', 'It binds. Who deletes it decides.'), ['Who …']);
    assert.deepEqual(found('docs/page.md', '"Which claim owns it" is written.'), ['Which …']);
    assert.deepEqual(found('docs/page.md', '*What* is deleted remains.'), ['What …']);
    assert.deepEqual(found('docs/page.md', 'What is a claim? Which classes exist?'), []);
    assert.deepEqual(found('docs/page.md', '## What you need'), []);
    assert.deepEqual(found('docs/page.md', 'The status shows What.'), []);
  });

  test('a test name has no clause as its subject, although it begins with a small letter', () => {
    assert.deepEqual(found('test/a.test.ts', "test('what drifts is fixed', () => {});"), ['what …']);
  });

  /** A declaration for each entry of the list of names, in the order of the list. */
  const misnamed: readonly (readonly [source: string, found: string])[] = [
    ['const asked = 1;', 'asked'],
    ['interface KeptFolder {}', 'KeptFolder'],
    ['class A { #said = 1; }', 'said'],
    ['function f({ a: [seen] = [] }) {}', 'seen'],
    ['const f = (...theirs) => 1;', 'theirs'],
    ['type F<Thing> = 1;', 'Thing'],
    ['interface A { readonly habits?: 1 }', 'habits'],
    ['const a = { oddity: 1 };', 'oddity'],
    ['const { claim: ofClaim } = a;', 'ofClaim'],
  ];

  test('each word of the list of names is found in a declared name', () => {
    assert.equal(misnamed.length, nameWords.length);
    for (const [index, [source, expected]] of misnamed.entries()) {
      const only = { words: [], nameWords: nameWords.slice(index, index + 1), exceptions: [] };
      const findings = findingsOf('runtime/a.ts', source, only).map(({ kind, found: name }) => [kind, name]);
      assert.deepEqual([source, findings], [source, [['name', expected]]]);
    }
  });

  test('a set that an algorithm fills may have the name seen', () => {
    const source = 'const seen = new Set(); function f(seen = new Map()) {} function g(seen) {}';
    assert.deepEqual(found('runtime/a.ts', source), ['seen']);
  });

  test('a name is judged by its whole words, where it is declared', () => {
    const foreign = "const nothing = askedFor, b = { 'kept': 1, [said]: 2, theirs }, { seen: c } = d;";
    assert.deepEqual(found('runtime/a.ts', foreign), []);
    assert.deepEqual(found('runtime/isSaid-or-not.ts', 'const isThingKept = 1;'), [
      'isSaid-or-not',
      'isThingKept',
      'isThingKept',
    ]);
  });

  test('a test name that leans on the test above it is found', () => {
    const leaning = [
      'but not if it is deleted',
      'its Secret is deleted',
      'one that is bound',
      'so does a claim',
    ];
    for (const name of leaning) {
      assert.equal(found('test/a.test.ts', `test('${name}', () => {});`).length, 1, name);
    }
    for (const name of ['is bound', 'one exchange serves all', 'another claim waits', 'iterates in order']) {
      assert.deepEqual(found('test/a.test.ts', `test('${name}', () => {});`), []);
    }
    assert.deepEqual(found('test/a.test.ts', "const rows = { 'but not if it is deleted': 1 };"), []);
  });

  test('a sentence of the docs has at most 30 words, and one of a message 25', () => {
    assert.deepEqual(found('docs/page.md', `${wordy(31)} ${wordy(30)}`), ['31 words']);
    assert.deepEqual(found('runtime/a.ts', `f('${wordy(26)} ${wordy(25)}');`), ['26 words']);
    assert.deepEqual(found('apis/a.ts', `f('${wordy(31)} ${wordy(30)}');`), ['31 words']);
    assert.deepEqual(found('runtime/a.ts', `// ${wordy(60)}`), []);
  });

  test('a finding has the line on which its sentence or word stands', () => {
    const page = '# Page\n\nThe claim\nbinds. It is\ntold why.\n\n- One.\n- Nobody.\n';
    assert.deepEqual(foundIn('docs/page.md', page), [
      [5, 'told'],
      [8, 'nobody'],
    ]);
    const code = '/**\n * One.\n *\n * Nobody.\n */\nf();\n// Two.\n// Anew.\n';
    assert.deepEqual(foundIn('runtime/a.ts', code), [
      [4, 'nobody'],
      [8, 'anew'],
    ]);
  });

  test('each exception names a file that has the finding, and gives a reason', () => {
    for (const { path, reason } of exceptions) {
      assert.ok(existsSync(join(root, path)), path);
      assert.notEqual(reason, '');
    }
  });
});

describe('the texts that the check reads', () => {
  test('Markdown: paragraphs, lists, headings and tables, without blocks of code', () => {
    const page = [
      '# A `b` c',
      '',
      'One [two](x.md)',
      'three.',
      '',
      '```sh',
      'told',
      '```',
      '',
      '1. Four',
      '',
      '| Five | six |',
      '|---|---|',
      '| seven | **eight**<br>nine |',
      '',
    ].join('\n');
    assert.deepEqual(textsOf('docs/page.md', page), [
      { kind: 'heading', text: 'A Code c', line: 1 },
      { kind: 'docs', text: 'One two\nthree.', line: 3 },
      { kind: 'docs', text: 'Four', line: 10 },
      { kind: 'docs', text: 'Five', line: 12 },
      { kind: 'docs', text: 'six', line: 12 },
      { kind: 'docs', text: 'seven', line: 14 },
      { kind: 'docs', text: 'eight\n\nnine', line: 14 },
    ]);
  });

  test('production code: comments, strings with two words, templates, and sums of both', () => {
    const source = [
      "import x from 'a b.ts';",
      '// One `code`',
      '// two.',
      "const a = 'word';",
      "f('two words', `@{a} three words @{g('four words')}`);".replaceAll('@', '$'),
      "f('five ' + 'words' + a, 'SELECT one two FROM three');",
    ].join('\n');
    assert.deepEqual(textsOf('runtime/a.ts', source), [
      { kind: 'comment', text: 'One Code\ntwo.', line: 2 },
      { kind: 'message', text: 'two words', line: 5 },
      { kind: 'message', text: 'Value three words Value', line: 5 },
      { kind: 'message', text: 'four words', line: 5 },
      { kind: 'message', text: 'five wordsValue', line: 6 },
    ]);
  });

  test('tests: comments, and names of tests and of rows of a table', () => {
    const source = [
      "describe('first name', () => {",
      "  test.skip('second name', (t) => t.test(`third @{name} here`, () => f('no name')));".replace(
        '@',
        '$',
      ),
      "  const table = [{ name: 'fourth name', text: 'no name' }];",
      "  const rows = { 'fifth name': 'no name', 'word': 'no name' };",
      '});',
    ].join('\n');
    assert.deepEqual(textsOf('test/a.test.ts', source), [
      { kind: 'test name', text: 'first name', line: 1 },
      { kind: 'test name', text: 'second name', line: 2 },
      { kind: 'test name', text: 'third Value here', line: 2 },
      { kind: 'row name', text: 'fourth name', line: 3 },
      { kind: 'row name', text: 'fifth name', line: 4 },
    ]);
  });

  test('names: those that a file declares, with its own', () => {
    const source = [
      'import { x } from "./x.ts";',
      'export function a<B>({ c, d: { e = 1, ...f } }: G, [h]: I): void {}',
      'class J { k = 1; l(m) {} #n() {} }',
      'type O = { p: 1; q(r: 1): 2; [s: string]: 3 } | readonly [t: 1];',
      'const u = { v: w, x, [y]: 1, z() {} };',
      'try {} catch (error) {}',
    ].join('\n');
    const names = declaredNames('runtime/own-name.ts', source).map(({ name }) => name);
    assert.deepEqual(
      names.toSorted().join(' '),
      'J O a B c e error f h k l m n own-name p q r s t u v z'.split(' ').toSorted().join(' '),
    );
  });
});

describe('the language check', () => {
  test('covers docs, code, tests, examples and manifests, and no generated file', () => {
    const files = checkedFiles();
    for (const file of ['README.md', 'main.ts', 'test/rooms.test.ts', 'deploy/base/deployment.yaml']) {
      assert.ok(files.includes(file), file);
    }
    assert.ok(!files.includes('docs/api-reference.md'));
    const below = checkedFiles(['./docs/flow.md', 'deploy/base/']);
    assert.deepEqual([below[0], below.at(-1)], ['deploy/base/00-namespace.yaml', 'docs/flow.md']);
  });
});

describe('the subject of a commit', () => {
  const subjects: readonly (readonly [subject: string, fault: string | undefined])[] = [
    ['binding: write Bound before the Secret is copied', undefined],
    ['test/language: check subjects', undefined],
    [`docs: ${'x'.repeat(66)}`, undefined],
    [`docs: ${'x'.repeat(67)}`, 'it has 73 characters, and 72 are allowed'],
    ['All numbers stand on one product', 'it has no room: write `room: what`'],
    ['Binding: write Bound', 'it has no room: write `room: what`'],
    ['binding:', 'it has no room: write `room: what`'],
    ['binding: write Bound.', 'it ends with a full stop'],
  ];
  for (const [subject, fault] of subjects) {
    test(`${JSON.stringify(subject)}: ${fault ?? 'allowed'}`, () =>
      assert.equal(subjectFault(subject), fault));
  }
});
