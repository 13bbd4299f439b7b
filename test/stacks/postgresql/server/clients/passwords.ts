import { seededRandom } from '../../../../../runtime/time/random.ts';
import {
  leftToRight,
  refused,
  rightToLeft,
} from '../../../../../stacks/postgresql/client/saslprep-tables.ts';

/** Passwords whose normal form is disputed, and the reason. */
export const disputedPasswords: Readonly<Record<string, string>> = {
  'an ellipsis': 'secret…',
  'an emoji': 'pässword🐘½',
  'an emoji with a variation selector': 'heart❤️ﬁ',
  'compatibility characters': 'ﬁ½²ΩÅ',
  'a letter that Unicode 3.2 lacks': '🄰ﬁ',
  'only characters that are mapped to nothing': '\u00ad\u200d',
  'a soft hyphen': 'co\u00adop½',
  'spaces that are not ASCII': 'a\u00a0b\u3000c\u200bd½',
  'a control character and a ligature': 'a\u0007ﬁ',
  'control characters of ASCII': 'a\u0001\u001b\u007f\t\r\nb',
  'a tone mark that is prohibited, and that normalisation would replace': 'a\u0340½',
  'right to left': 'שלוםﬡ',
  'right to left with a digit at the end': 'ﬡ1',
  'both directions': 'aﬡ',
  'a character for private use': 'ﬁ\ue000',
  'combining characters': 'e\u0301ﬁ',
  Hangul: '\u1112\u1161\u11abﬁ',
  'signs of an address': 'p@ss:w/rd?#[%41]&=+ \'"\\',
  'a space at the ends': ' ﬁ ',
  'a thousand characters': 'ﬁ…🐘'.repeat(400),
};

/** A text with each code point at which a table of SASLprep begins or ends, and random texts. */
export function generatedPasswords(count: number): readonly string[] {
  const tables = [refused, leftToRight, rightToLeft];
  const membership = (codePoint: number) => tables.map((table) => table.has(codePoint)).join();
  const borders: number[] = [];
  for (let codePoint = 0x80; codePoint < 0x10ffff; codePoint++) {
    if (membership(codePoint) === membership(codePoint + 1)) continue;
    borders.push(...[codePoint, codePoint + 1].filter((each) => each < 0xd800 || each > 0xdfff));
  }
  const random = seededRandom(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const pool = [...[...'aZ1 ﬁ½ﬡש…\u00ad\u00a0'].map((each) => each.codePointAt(0)!), ...borders];
  const texts = Array.from({ length: count }, () =>
    String.fromCodePoint(...Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(pool))),
  );
  return [...borders.map((each) => `ﬁ${String.fromCodePoint(each)}`), ...texts];
}
