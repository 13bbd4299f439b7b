import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { printable, shortened } from '../../../../apis/core/v1alpha1/printable.ts';

describe('printable', () => {
  const rows: Record<string, readonly [given: string, want: string]> = {
    'plain text stays': ['cannot connect: 5 € ‰ 日本 🐘', 'cannot connect: 5 € ‰ 日本 🐘'],
    'spaces stay': ['  a  b ', '  a  b '],
    'a line break is a space': ['one\ntwo\r\nthree', 'one two three'],
    'so is every other break': ['a\tb\vc\fd\u0085e\u2028f\u2029g', 'a b c d e f g'],
    'one at the end goes': ['error\n', 'error'],
    colours: ['\u001b[31mred\u001b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
    'colours in C1': ['\u009b31mred', '\\u{9b}31mred'],
    'a title, ended by BEL': ['\u001b]0;title\u0007text', '\\u{1b}]0;title\\u{7}text'],
    'a link, ended by ST': ['\u001b]8;;http://evil\u001b\\click', '\\u{1b}]8;;http://evil\\u{1b}\\click'],
    'escape alone': ['a\u001b', 'a\\u{1b}'],
    'backspaces and bells': ['safe\bevil\u0007', 'safe\\u{8}evil\\u{7}'],
    'NUL and DEL': ['a\u0000b\u007fc', 'a\\u{0}b\\u{7f}c'],
    'C1 controls': ['a\u0080b\u0099c', 'a\\u{80}b\\u{99}c'],
    'overrides of direction': ['a\u202eb\u202c', 'a\\u{202e}b\\u{202c}'],
    'isolates of direction': ['a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
    'marks of direction': ['a\u200eb\u200fc\u061cd', 'a\\u{200e}b\\u{200f}c\\u{61c}d'],
    'a space without width': ['pay\u200broll', 'pay\\u{200b}roll'],
    'joiners, soft hyphens and byte order marks': [
      'a\u200cb\u200dc\u2060d\u00ade\ufefff',
      'a\\u{200c}b\\u{200d}c\\u{2060}d\\u{ad}e\\u{feff}f',
    ],
    'other spaces': ['a\u00a0b\u2003c\u3000d', 'a\\u{a0}b\\u{2003}c\\u{3000}d'],
    'fillers that look like nothing': ['a\u3164b\u115fc\u2800d', 'a\\u{3164}b\\u{115f}c\\u{2800}d'],
    'tags and variation selectors': ['a\u{e0041}b\ufe0fc', 'a\\u{e0041}b\\u{fe0f}c'],
    'half a character': ['a\ud83d b\ude00', 'a\ufffd b\ufffd'],
    'text that cannot be parsed is not quoted': [
      `answer: Unexpected token 'h', "hunter2" is not valid JSON`,
      'answer: the text is not valid JSON',
    ],
    'nor a part of it, with quotes and breaks in it': [
      `Unexpected token 'h', ..."a": "b"\n hunter2 an"... is not valid JSON; and so on`,
      'the text is not valid JSON; and so on',
    ],
    nothing: ['', ''],
    'nothing but controls': ['\u0000\n\u001b[2J', '\\u{0} \\u{1b}[2J'],
    'nothing but breaks': ['\n\r\n', ''],
  };
  for (const [name, [given, want]] of Object.entries(rows)) {
    test(name, () => {
      assert.equal(printable(given), want);
      assert.equal(printable(want), want, 'and again changes nothing');
    });
  }

  test('a long text of beginnings without an end is printable, too', () => {
    for (const part of ['\u001b]', '\u001b[', '\u009d;', ' \n', '\u001b[1;']) {
      assert.doesNotMatch(printable(part.repeat(200_000)), /\p{Cc}/u);
    }
  });
});

describe('shortened', () => {
  const rows: Record<string, readonly [given: string, length: number, want: string]> = {
    'a text that fits stays': ['abc', 3, 'abc'],
    'a text that does not fit is cut': ['abcd', 3, 'ab…'],
    'between characters': ['ab🐘d', 4, 'ab…'],
    'after a whole one': ['a🐘cd', 4, 'a🐘…'],
  };
  for (const [name, [given, length, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(shortened(given, length), want));
  }
});
