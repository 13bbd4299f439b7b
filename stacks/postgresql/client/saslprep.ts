import { leftToRight, refused, rightToLeft } from './saslprep-tables.ts';

/**
 * The form of a password that PostgreSQL and libpq hash (RFC 4013, src/common/saslprep.c). A text that SASLprep refuses is
 * hashed as it stands: with an unassigned or prohibited character, with mixed directions of writing, or with nothing in it.
 * PostgreSQL examines the characters before they are normalised, so `🄰` (unassigned in Unicode 3.2) is refused, although
 * its normal form is `A`. Libraries for SASLprep examine them afterwards, as the RFC has it, and hash `A`.
 */
export function saslprep(password: string): string {
  if (/^[\0-\x7f]*$/.test(password)) return password;
  const mapped = password.replace(spaces, ' ').replace(nothing, '');
  return isRefused(mapped) ? password : mapped.normalize('NFKC');
}

/** C.1.2: spaces that are not ASCII. */
const spaces = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g;
/** B.1: characters that are commonly mapped to nothing. */
const nothing = /\u00AD|\u034F|\u1806|[\u180B-\u180D]|\u200C|\u200D|\u2060|[\uFE00-\uFE0F]|\uFEFF/g;

function isRefused(mapped: string): boolean {
  const characters = [...mapped].map((character) => character.codePointAt(0) ?? 0);
  const first = characters[0];
  const last = characters.at(-1);
  if (first === undefined || last === undefined) return true;
  if (characters.some((each) => refused.has(each))) return true;
  if (!characters.some((each) => rightToLeft.has(each))) return false;
  const isMixed = characters.some((each) => leftToRight.has(each));
  return isMixed || !rightToLeft.has(first) || !rightToLeft.has(last);
}
