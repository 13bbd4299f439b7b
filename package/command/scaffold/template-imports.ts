import { dirname, join, relative } from 'node:path/posix';

/** The targets of the template's imports in a repository. */
export interface ImportTargets {
  /** The path of a file of the template. Throws if the layout has none. */
  pathOf(file: string): string;
  /** The entry of the package that has the contents of a file of the template. Undefined: the file is written. */
  entryFor(file: string): string | undefined;
  /** The module of an entry of the package, such as `stack`: a package, or a path ending in `.ts`. */
  moduleOf(entry: string): string;
}

/** The path of `package/`, relative to the template. */
const entries = '../../../';

const statement = /^(import|import type) \{([^}]*)\} from '(\.[^']*)';$/gm;

/** The source of a file of the template, with its imports adapted to the file's new path. */
export function importsRewritten(
  file: string,
  source: string,
  { pathOf, entryFor, moduleOf }: ImportTargets,
): string {
  const from = dirname(pathOf(file));
  const specifierOf = (module: string): string => {
    if (!module.endsWith('.ts')) return module;
    const path = relative(from, module);
    return path.startsWith('.') ? path : `./${path}`;
  };
  return source.replaceAll(statement, (_statement, keyword: string, list: string, specifier: string) => {
    const target = join(dirname(file), specifier);
    const entry = target.startsWith(entries)
      ? target.slice(entries.length).replace(/\.ts$/, '')
      : entryFor(target);
    const module = entry === undefined ? pathOf(target) : moduleOf(entry);
    const symbols = list.split(',').map((symbol) => symbol.trim());
    const named = symbols.filter((symbol) => symbol !== '').join(', ');
    return `${keyword} { ${named} } from '${specifierOf(module)}';`;
  });
}
