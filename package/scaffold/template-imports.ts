import { dirname, join, relative } from 'node:path/posix';

/** Where the imports of the template's files lead to elsewhere. */
export interface Whereabouts {
  /** Where a file of the template goes. Throws if it goes nowhere. */
  pathOf(file: string): string;
  /** What has a symbol of an entry of the package, as `stack`: a package, or a path that ends in `.ts`. */
  moduleOf(entry: string, symbol: string): string;
}

/** `package/`, seen from the template. */
const entries = '../../';

const statement = /^(import|import type) \{([^}]*)\} from '(\.[^']*)';$/gm;

/** The source of a template's file with its imports as they are where the file goes. */
export function importsRewritten(file: string, source: string, { pathOf, moduleOf }: Whereabouts): string {
  const from = dirname(pathOf(file));
  const specifierOf = (module: string): string => {
    if (!module.endsWith('.ts')) return module;
    const path = relative(from, module);
    return path.startsWith('.') ? path : `./${path}`;
  };
  return source.replaceAll(statement, (_statement, keyword: string, list: string, specifier: string) => {
    const target = join(dirname(file), specifier);
    const symbols = list
      .split(',')
      .map((symbol) => symbol.trim())
      .filter((symbol) => symbol !== '');
    const moduleFor = (symbol: string): string => {
      if (!target.startsWith(entries)) return pathOf(target);
      const [imported = symbol] = symbol.split(' as ');
      return moduleOf(target.slice(entries.length).replace(/\.ts$/, ''), imported);
    };
    return [...Map.groupBy(symbols, moduleFor)]
      .map(([module, of]) => `${keyword} { ${of.join(', ')} } from '${specifierOf(module)}';`)
      .join('\n');
  });
}
