import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'template');

/** The files of the template: a service like any other, by their paths in it. */
export const template = (): ReadonlyMap<string, string> =>
  new Map(
    globSync('**/*.{ts,yaml}', { cwd: folder })
      .toSorted()
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );

/** A source without comments and texts. */
const bareCode = (source: string): string =>
  source.replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, ' ');

/** Names in the code of the template. */
export interface Identifiers {
  /** What it says anywhere. */
  readonly used: ReadonlySet<string>;
  /** Those of them that it gives to something of its own. */
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
