import { posix } from 'node:path';
import compact from 'lodash/compact.js';

/** Pure. The specifiers of all imports of a built module or of its types. */
const specifiersIn = (text: string): readonly string[] =>
  compact(
    [
      ...text.matchAll(/^(?:import|export|\}).*\bfrom\s+(['"])(.+?)\1|^import\s+(['"])(.+?)\3/gm),
      ...text.matchAll(/\bimport\s*\(\s*(['"])([^'"]+)\1\s*[,)]/g),
    ].map(([, , specifier, , alone]) => specifier ?? alone),
  );

/** Pure. The packages that a built module or its types import, except Node and the package itself. */
export function packagesIn(text: string, own: string): readonly string[] {
  const names = specifiersIn(text).map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]);
  return compact(names).filter((name) => !/^(?:\.|node:)/.test(name) && name !== own);
}

/** All declarations that these entries reach, with the entries. Paths end in `.d.ts`. */
export function reachedDeclarations(
  entries: readonly string[],
  read: (path: string) => string,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const specifier of specifiersIn(read(path)).filter((each) => each.startsWith('.'))) {
      visit(posix.join(posix.dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts')));
    }
  };
  entries.forEach(visit);
  return reached;
}
