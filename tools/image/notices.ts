/** `node tools/image/notices.ts` prints the texts of the licenses of all packages of npm that the process may load. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import groupBy from 'lodash/groupBy.js';
import uniq from 'lodash/uniq.js';
import { onClosedOutput } from '../../local/closed-output.ts';
import type { SystemPackage } from '../../local/image/system-parts.ts';

/** A text that a license asks to hand on. */
interface Notice {
  /** The package and its version. */
  readonly of: string;
  readonly text: string;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

const isLicense = (file: string): boolean => /^(un)?licen[cs]e|^copying|^notice|^copyright/i.test(file);

/** The license texts of a package in a folder. Throws if it has none, and we do not have the text of its license. */
function textsIn(root: string, folder: string, license: string | undefined): readonly string[] {
  const at = join(root, folder);
  const files = readdirSync(at).filter(isLicense).toSorted();
  if (files.length > 0) return files.map((file) => readFileSync(join(at, file), 'utf8').trim());
  const { author } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as {
    readonly author?: string | { readonly name?: string };
  };
  const holder = typeof author === 'string' ? author : author?.name;
  if (license === 'Apache-2.0') return [readFileSync(join(root, 'LICENSE'), 'utf8').trim()];
  if (license === 'MIT') {
    const mit = readFileSync(join(import.meta.dirname, 'MIT.txt'), 'utf8').trim();
    return [mit.replace('HOLDER', holder ?? 'the authors')];
  }
  throw new Error(`${folder} has no text of its license ${license}: add it to tools/image/notices.ts`);
}

/** Of the packages of npm that the process may load, and of this product. `root` is the folder of the project. */
function noticesOfPackages(root: string): readonly Notice[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages)
    .filter(([folder, { dev }]) => dev !== true && existsSync(join(root, folder)))
    .flatMap(([folder, { version, license }]) => {
      const name = folder === '' ? 'services-stack' : folder.replace(/^.*node_modules\//, '');
      return textsIn(root, folder, license).map((text) => ({ of: `${name} ${version}`, text }));
    });
}

/** Of Node and of Debian's packages, from the folder of the system's parts. */
function noticesOfSystem(parts: string): readonly Notice[] {
  const read = (...path: readonly string[]): string => readFileSync(join(parts, ...path), 'utf8').trim();
  const packages = JSON.parse(read('packages.json')) as readonly SystemPackage[];
  const own = packages.map(({ name, version, type }) => ({
    of: `${name} ${version}`,
    text: type === 'application' ? read('LICENSE') : read('debian', 'doc', name, 'copyright'),
  }));
  const named = readdirSync(join(parts, 'debian', 'common-licenses'))
    .filter((name) => own.some(({ text }) => text.includes(`/usr/share/common-licenses/${name}`)))
    .toSorted();
  const common = named.map((name) => ({
    of: `/usr/share/common-licenses/${name}, which texts of Debian name`,
    text: read('debian', 'common-licenses', name),
  }));
  return [...own, ...common];
}

const line = '='.repeat(100);

/** The texts of all licenses, in one. Without the folder of the system's parts: of the packages of npm only. */
export function noticesText(root: string, parts?: string): string {
  const notices = [...noticesOfPackages(root), ...(parts === undefined ? [] : noticesOfSystem(parts))];
  const texts = Object.entries(groupBy(notices, ({ text }) => text));
  const blocks = texts.map(([text, same]) => {
    const packages = uniq(same.map(({ of }) => of)).join('\n');
    return `${line}\n${packages}\n${line}\n\n${text}\n`;
  });
  return blocks.join('\n');
}

if (import.meta.main) {
  onClosedOutput(() => process.exit(0));
  process.stdout.write(noticesText(join(import.meta.dirname, '..', '..')));
}
