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
    colours: ['\u001b[31mred\u001b[0m \u001b[1;32mgreen', 'red green'],
    'colours in C1': ['\u009b31mred', 'red'],
    'a title, ended by BEL': ['\u001b]0;title\u0007text', 'text'],
    'a link, ended by ST': ['\u001b]8;;http://evil\u001b\\click', 'click'],
    'a device control string': ['\u001bPq#0\u001b\\text', 'text'],
    'an operating system command in C1': ['\u009d0;title\u009ctext', 'text'],
    'a command that never ends takes nothing along': ['\u001b]0;title', '0;title'],
    'a reset': ['\u001bcclear', 'clear'],
    'escape alone': ['a\u001b', 'a'],
    'backspaces and bells': ['safe\b\b\b\bevil\u0007', 'safeevil'],
    'NUL and DEL': ['a\u0000b\u007fc', 'abc'],
    'C1 controls': ['a\u0080b\u0099c', 'abc'],
    'overrides of direction': ['a\u202eb\u202cc\u202ad\u202be\u202df', 'abcdef'],
    'isolates of direction': ['a\u2066b\u2067c\u2068d\u2069e', 'abcde'],
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
    'nothing but controls': ['\u0000\n\u001b[2J', ''],
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
