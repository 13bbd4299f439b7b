import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withoutSecrets } from '../../clients/without-secrets.ts';

const rows: Readonly<Record<string, readonly [text: string, secret: string, shown: string]>> = {
  'a short word is kept inside a longer word': [
    'MasterUserPassword is shorter than 8',
    'short',
    'MasterUserPassword is shorter than 8',
  ],
  'a short word is removed where it stands alone': ['"short" is too weak', 'short', '"***" is too weak'],
  'a short word is removed beside digits': ['short1', 'short', '***1'],
  'a short word is removed from a URL': ['//u%20short@h', 'short', '//u%20***@h'],
  'a short word is removed after an escaped line break': ['{"p":"a\\nshort"}', 'short', '{"p":"a\\n***"}'],
  'a short number is kept inside a longer number': ['port 54321', '4321', 'port 54321'],
  'a short number is removed where it stands alone': ['pin 4321.', '4321', 'pin ***.'],
  'a secret of letters and digits is removed inside a word': ['passwordhunter2x', 'hunter2', 'password***x'],
  'a percent-encoded secret is removed': ['//u:a%2Fb-c%21%28@h', 'a/b-c!(', '//u:***@h'],
  'a secret that JavaScript encoded is removed': ['?p=a%2Fb-c!(', 'a/b-c!(', '?p=***'],
  'a secret in a text of JSON is removed': ['{"p":"a\\"b\\\\c1"}', 'a"b\\c1', '{"p":"***"}'],
  'a long secret is removed inside a word': ['xcorrecthorsebatteryx', 'correcthorsebattery', 'x***x'],
  'a short secret of two kinds is removed beside a digit': ['hunter22', 'hunter2', '***2'],
};

describe('secrets in the text of an external system', () => {
  for (const [rule, [text, secret, shown]] of Object.entries(rows)) {
    test(rule, () => assert.equal(withoutSecrets(text, [secret]), shown));
  }

  test('a secret that contains another one leaves no part of itself', () =>
    assert.equal(withoutSecrets('a-secret-1-and-more', ['secret-1', 'a-secret-1-and-more']), '***'));

  const around = fc.string({ unit: 'grapheme' });
  const secret = fc.string({ minLength: 4, unit: 'grapheme' }).filter((text) => !text.includes('*'));

  test('no long secret is left, whatever stands beside it', () =>
    fc.assert(
      fc.property(around, secret, around, (before, text, after) => {
        const long = text.padEnd(12, 'x1');
        assert.ok(!withoutSecrets(`${before}${long}${after}`, [long]).includes(long));
      }),
    ));

  test('no secret is left between separators', () => {
    const separator = fc.constantFrom(' ', '"', "'", ':', '/', '@', '=', ',', '.', '(', ')', '\\', '-', '_');
    fc.assert(
      fc.property(separator, secret, separator, (before, text, after) => {
        const left = withoutSecrets(`a${before}${text}${after}b`, [text]);
        assert.ok(!left.includes(`${before}${text}${after}`), left);
      }),
    );
  });
});
