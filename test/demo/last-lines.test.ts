import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastLines } from '../../demo/last-lines.ts';

const cases: Record<string, { readonly log: string; readonly want: readonly string[] }> = {
  'nothing was said': { log: '', want: [] },
  'the last of many': {
    log: Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join(''),
    want: Array.from({ length: 10 }, (_, i) => `  line ${i + 20}`),
  },
  'the words of a process that had no time for a line break': { log: 'one\ntwo', want: ['  one', '  two'] },
  'empty lines are none': { log: 'one\n\n\ntwo\n\n', want: ['  one', '  two'] },
  'a line that is long ends after a word, and says that it goes on': {
    log: `12:00:00.000 INFO  changed ${'message '.repeat(40)}\n`,
    want: [`  12:00:00.000 INFO  changed ${'message '.repeat(15)}message …`],
  },
  'a word that is longer than a line is cut': { log: 'x'.repeat(400), want: [`  ${'x'.repeat(158)} …`] },
  'lines for machines are left out': {
    log: '12:00:00.000 INFO  changed claim=team/cart reconcileID=4f8a row=B7\n',
    want: ['  12:00:00.000 INFO  changed claim=team/cart row=B7'],
  },
};
for (const [name, { log, want }] of Object.entries(cases)) {
  test(`the last lines of a log: ${name}`, () => assert.deepEqual(lastLines(log), want));
}
