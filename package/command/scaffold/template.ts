import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of the template with the claim kind. */
export const claimFile = 'src/toy-shop/any-gadget.ts';

const folder = join(import.meta.dirname, 'template');

/** The files of the template, a complete service, by their paths in it. */
export const template = (): ReadonlyMap<string, string> =>
  new Map(
    globSync('**/*.{ts,yaml}', { cwd: folder })
      .toSorted()
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );

/** A source without comments and strings. */
const bareCode = (source: string): string =>
  source.replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, ' ');

/** The names in the code of the template. */
export interface Identifiers {
  /** All names. */
  readonly used: ReadonlySet<string>;
  /** The names that the template declares. */
  readonly declared: ReadonlySet<string>;
}

export function identifiersIn(sources: Iterable<string>): Identifiers {
  const code = [...sources].map(bareCode);
  const declarations = /\b(?:const|function|class|interface|type)\s+([A-Za-z_]\w*)/g;
  return {
    used: new Set(code.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? [])),
    declared: new Set(code.flatMap((text) => [...text.matchAll(declarations)].map(([, name = '']) => name))),
  };
}
