import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One entry of the machine's own list of package sources, as far as it matters for reusing its mirror. */
export interface AptSource {
  readonly uris: readonly string[];
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** Further fields of the entry in deb822 form, such as `Signed-By`; several lines as they were. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Names under which Debian's own archive is published, apart from `-updates`, `-security` and the like. */
const DEBIAN_SUITES = new Set([
  ...['buster', 'bullseye', 'bookworm', 'trixie', 'forky', 'duke', 'sid'],
  ...['oldoldstable', 'oldstable', 'stable', 'testing', 'unstable'],
]);

/** Fields that decide how an archive is reached and trusted. The other fields select packages. */
const RETAINED_FIELDS = [
  'Signed-By',
  'Trusted',
  'Check-Valid-Until',
  'Check-Date',
  'Allow-Insecure',
  'By-Hash',
];

const words = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '');

/** Parses the one-line format (`deb [options] uri suite component...`), see sources.list(5). */
export function parseOneLineSources(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (match === null) return [];
    const [, options, uri = '', suite = '', components] = match;
    const fields: Record<string, string> = {};
    for (const option of words(options)) {
      const [key = '', value = ''] = option.split('=', 2);
      const field = RETAINED_FIELDS.find((known) => known.toLowerCase() === key.toLowerCase());
      if (field !== undefined) fields[field] = value.replaceAll(',', ' ');
    }
    return [{ uris: [uri], suites: [suite], components: words(components), fields }];
  });
}

/** Parses the deb822 format (`.sources` files), see sources.list(5); switched-off stanzas are left out. */
export function parseDeb822Sources(text: string): AptSource[] {
  const withoutComments = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
  return withoutComments.split(/\n\s*\n/).flatMap((stanza) => {
    const all = new Map<string, string>();
    let current = '';
    for (const line of stanza.split('\n')) {
      const match = /^([A-Za-z0-9-]+):(.*)$/.exec(line);
      if (match !== null) {
        current = (match[1] ?? '').toLowerCase();
        all.set(current, (match[2] ?? '').trim());
      } else if (/^\s+\S/.test(line) && current !== '') {
        all.set(current, `${all.get(current)}\n${line}`);
      }
    }
    if (!words(all.get('types')).includes('deb') || /^(no|false|0|off)$/i.test(all.get('enabled') ?? ''))
      return [];
    const fields: Record<string, string> = {};
    for (const field of RETAINED_FIELDS) {
      const value = all.get(field.toLowerCase());
      if (value !== undefined) fields[field] = value;
    }
    const [uris, suites, components] = ['uris', 'suites', 'components'].map((key) => words(all.get(key)));
    return [{ uris: uris ?? [], suites: suites ?? [], components: components ?? [], fields }];
  });
}

/** The entries that look like Debian's main archive; third-party archives and partial suites fall out. */
export function debianArchives(sources: readonly AptSource[]): AptSource[] {
  const seen = new Set<string>();
  return sources.flatMap((source) => {
    const isDebian = source.suites.some((suite) => DEBIAN_SUITES.has(suite.replace(/\/$/, '')));
    if (!isDebian || !source.components.includes('main')) return [];
    const uris = source.uris.filter((uri) => !uri.startsWith('cdrom:') && !seen.has(uri));
    for (const uri of uris) seen.add(uri);
    return uris.length === 0 ? [] : [{ ...source, uris }];
  });
}

/** A deb822 stanza that takes binary and source packages of one suite's `main` from the same archive. */
export function renderSource(source: AptSource, suite: string): string {
  const lines = [
    'Types: deb deb-src',
    `URIs: ${source.uris.join(' ')}`,
    `Suites: ${suite}`,
    'Components: main',
    ...Object.entries(source.fields).map(([key, value]) => `${key}: ${value}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Reads every package source the machine's apt uses, from `directory` (apt's own configuration folder). */
export async function readAptSources(directory = '/etc/apt'): Promise<AptSource[]> {
  const parts = join(directory, 'sources.list.d');
  const names = (await readdir(parts).catch(() => [])).toSorted();
  const files = [join(directory, 'sources.list'), ...names.map((name) => join(parts, name))];
  const found: AptSource[] = [];
  for (const file of files) {
    // apt itself ignores every other ending.
    const parse = file.endsWith('.sources')
      ? parseDeb822Sources
      : file.endsWith('.list')
        ? parseOneLineSources
        : undefined;
    const text = parse && (await readFile(file, 'utf8').catch(() => ''));
    if (parse !== undefined && text) found.push(...parse(text));
  }
  return found;
}
