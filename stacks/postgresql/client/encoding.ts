/** PostgreSQL's normal form of an encoding's name: `utf-8` is `UTF8`. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Other names of the same encoding, after {@link plainName} (pg_encname_tbl in src/common/encnames.c). */
const aliases: Readonly<Record<string, string>> = {
  abc: 'win1258',
  alt: 'win866',
  iso88591: 'latin1',
  iso88592: 'latin2',
  iso88593: 'latin3',
  iso88594: 'latin4',
  iso88599: 'latin5',
  iso885910: 'latin6',
  iso885913: 'latin7',
  iso885914: 'latin8',
  iso885915: 'latin9',
  iso885916: 'latin10',
  koi8: 'koi8r',
  mskanji: 'sjis',
  shiftjis: 'sjis',
  tcvn: 'win1258',
  tcvn5712: 'win1258',
  unicode: 'utf8',
  vscii: 'win1258',
  win: 'win1251',
  win932: 'sjis',
  win936: 'gbk',
  win949: 'uhc',
  win950: 'big5',
};

function canonical(name: string): string {
  const plain = plainName(name).replace(/^windows(?=\d)/, 'win');
  return Object.hasOwn(aliases, plain) ? aliases[plain]! : plain;
}

/** Whether both names mean the same encoding in PostgreSQL. */
export const isSameEncoding = (a: string, b: string): boolean => canonical(a) === canonical(b);
