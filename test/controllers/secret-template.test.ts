import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Rendered } from '../../controllers/secret-template.ts';
import { rendered } from '../../controllers/secret-template.ts';

const uri = 'postgresql://o%27neil:a%2Bb%25@db.example.org:5432/shop?sslmode=require';

const details = new Map(
  Object.entries({
    host: 'db.example.org',
    password: `a'b "c"\n$d ü`,
    uri,
    'dashed-key.with_all': 'x',
    mysql: 'mysql://shop:a%2Fb@db:3306/shop',
    redis: 'redis://default:x@cache:6379',
    'old-redis': 'rediss://:x@cache:6379',
  }).map(([key, value]) => [key, Buffer.from(value)]),
);
details.set('__proto__', Buffer.from('own'));
details.set('binary', Buffer.from([0xff, 0x00, 0xc3]));

const roomy = 10_000;
const textOf = (result: Rendered): string =>
  'problem' in result ? `problem: ${result.problem}` : result.value.toString('utf8');
const notWellFormed = 'problem: is not well-formed';

/** A template, and the text that it becomes. */
const cases: Readonly<Record<string, readonly (readonly [template: string, want: string])[]>> = {
  'text is itself': [
    ['', ''],
    ['text with } and }} and { and $& and $1', 'text with } and }} and { and $& and $1'],
    ['{"json": {"a": 1}}', '{"json": {"a": 1}}'],
    ['ends with {', 'ends with {'],
    ['ü€😀', 'ü€😀'],
  ],
  'a key is replaced by its entry': [
    ['{{ host }}', 'db.example.org'],
    ['{{host}}:{{  host  }}', 'db.example.org:db.example.org'],
    ['{{ dashed-key.with_all }}', 'x'],
    ['{ {{ host }}}', '{ db.example.org}'],
    ['{{ password }}', `a'b "c"\n$d ü`],
  ],
  'four braces are two': [
    ['{{{{', '{{'],
    ['{{{{ host }}', '{{ host }}'],
    ['{{{{{{ host }}', '{{db.example.org'],
    ['{{{{{{{{', '{{{{'],
    ['{{{{{ host }}', '{{{ host }}'],
  ],
  'a filter changes the entry': [
    ['{{ password | uri }}', 'a%27b%20%22c%22%0A%24d%20%C3%BC'],
    ['{"p":{{ password | json }}}', String.raw`{"p":"a'b \"c\"\n$d ü"}`],
    ['{{host|base64}}', 'ZGIuZXhhbXBsZS5vcmc='],
    ['P={{ password | shell }}', `P='a'\\''b "c"\n$d ü'`],
    ['{{ host | upper }}', 'DB.EXAMPLE.ORG'],
    [
      '{{ uri | jdbc }}',
      'jdbc:postgresql://db.example.org:5432/shop?sslmode=require&user=o%27neil&password=a%2Bb%25',
    ],
    ['{{ mysql | jdbc }}', 'jdbc:mysql://db:3306/shop?user=shop&password=a%2Fb'],
    ['{{ redis | jdbc }}', 'jdbc:redis://cache:6379?user=default&password=x'],
    ['{{ old-redis | jdbc }}', 'jdbc:rediss://cache:6379?password=x'],
  ],
  'a key that does not exist is a problem': [
    ['{{ pasword }}', 'problem: needs the key "pasword"'],
    ['{{ host }} {{ constructor }}', 'problem: needs the key "constructor"'],
    ['{{ toString | upper }}', 'problem: needs the key "toString"'],
    ['{{ a }}{{ b }}', 'problem: needs the key "a"'],
  ],
  'an entry with the name of a property of all objects is an entry': [['{{ __proto__ }}', 'own']],
  'an entry that is no address is a problem for jdbc': [
    ['{{ host | jdbc }}', 'problem: needs an address in the key "host"'],
    ['{{ binary | jdbc }}', 'problem: needs an address in the key "binary"'],
  ],
  'a template that is not well-formed is a problem': [
    ['{{ host', notWellFormed],
    ['{{', notWellFormed],
    ['{{ }}', notWellFormed],
    ['{{ host }', notWellFormed],
    ['{{ host | }}', notWellFormed],
    ['{{ host | lower }}', notWellFormed],
    ['{{ host | uri | json }}', notWellFormed],
    ['{{ {{ host }} }}', notWellFormed],
    ['{{{ host }}}', notWellFormed],
    ['{{ host\n}}', notWellFormed],
    ['{{ hôst }}', notWellFormed],
    ['{{#if host}}x{{/if}}', notWellFormed],
  ],
};

describe('a template', () => {
  for (const [rule, rows] of Object.entries(cases)) {
    test(rule, () => {
      const got = rows.map(([template]) => [template, textOf(rendered(template, details, roomy))]);
      assert.deepEqual(got, rows);
    });
  }

  test('keeps bytes that are no text', () => {
    const bytes = (template: string) => {
      const result = rendered(template, details, roomy);
      return 'value' in result ? result.value.toString('hex') : result.problem;
    };
    assert.equal(bytes('ü{{ binary }}'), 'c3bcff00c3');
    assert.equal(bytes('{{ binary | base64 }}'), Buffer.from('/wDD').toString('hex'));
  });

  test('with a long entry many times is a problem, and is not rendered', () => {
    const long = new Map([['a', Buffer.alloc(1_000_000, 'a')]]);
    assert.equal(
      textOf(rendered('{{ a | json }}'.repeat(290), long, 1_048_576)),
      'problem: makes the Secret too large',
    );
    assert.equal(textOf(rendered('{{ a }}{{ b }}', long, 100)), 'problem: makes the Secret too large');
  });

  test('of 4 KiB with braces everywhere is refused, however they are arranged', () => {
    for (const text of ['{', '{{', '{{ a', '{{ a | ', '{{{{{', '}', '{a']) {
      const template = `${text.repeat(Math.floor(4_000 / text.length))}{{ }}`;
      assert.equal(textOf(rendered(template, details, roomy)), notWellFormed, text);
    }
  });
});
