import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foreignToRe2 } from '../../../apis/core/foreign-to-re2.ts';

describe('patterns that RE2 knows', () => {
  const fine = [
    /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
    /^(a|b){2,1000}$/,
    /\d\D\w\W\s\S\b\B\n\t\x41\0/,
    /\/\.-\[\]\(\?=/,
    /[(?=\]\-\d\\1]/,
    /\\1\\u/,
    /\p{L}\P{Lu}/u,
    /[\p{L}-]/u,
    /^$/,
  ];
  for (const { source } of fine) test(source, () => assert.deepEqual(foreignToRe2(source), []));
});

describe('each part of a pattern that RE2 does not know is named once', () => {
  const cases: readonly (readonly [{ readonly source: string }, ...string[]])[] = [
    [/^(?=a)/, '(?='],
    [/^(?!a)(?!b)/, '(?!'],
    [/(?<=a)(?<!b)$/, '(?<=', '(?<!'],
    [/^(a)\1$/, '\\1'],
    [/^(?<n>a)\k<n>$/, '(?<n>', '\\k<n>'],
    [/\u0041[\u0042]/, '\\u0041', '\\u0042'],
    [/\u{1F600}/u, '\\u{1F600}'],
    [/\cA/, '\\cA'],
    [/[a\b]/, '\\b'],
    [/\p{Letter}\p{Script=Greek}/u, '\\p{Letter}', '\\p{Script=Greek}'],
    [{ source: '[]|[^]' }, '[]', '[^]'],
    [/a{1001}b{2,2000}/, '{1001}', '{2,2000}'],
  ];
  for (const [{ source }, ...want] of cases) test(source, () => assert.deepEqual(foreignToRe2(source), want));
});
