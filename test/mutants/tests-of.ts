import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from '../docs/project-copy.ts';
import type { Mutation } from './mutation.ts';

/** The rooms whose tests are quick. */
const rooms = '{apis,app,clients,controllers,dashboard,runtime,stacks,testing,trace}';

const importing = /^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)'/gm;
const importsOf = new Map<string, ReadonlySet<string>>();

/** All files that a file imports, directly or not, without the imports of types. */
function reachedFrom(file: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (each: string): void => {
    if (reached.has(each)) return;
    reached.add(each);
    for (const next of imports(each)) visit(next);
  };
  visit(file);
  return reached;
}

function imports(file: string): ReadonlySet<string> {
  const known = importsOf.get(file);
  if (known) return known;
  const source = readFileSync(join(projectRoot, file), 'utf8');
  const found = new Set(
    Array.from(source.matchAll(importing), ([, to = '']) => relative('', join(dirname(file), to))),
  );
  importsOf.set(file, found);
  return found;
}

let tests: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/**
 * The test files that may notice a mutation, the nearest first: the one that it names, then those that import its file, in
 * the order of the folders that their path shares with it.
 */
export function testsOf({ file, test }: Pick<Mutation, 'file' | 'test'>): readonly string[] {
  tests ??= new Map(
    globSync(`test/${rooms}/**/*.test.ts`, { cwd: projectRoot })
      .toSorted()
      .map((each) => [each, reachedFrom(each)]),
  );
  const near = [...tests].filter(([, reached]) => reached.has(file)).map(([each]) => each);
  const shared = new Map(near.map((each) => [each, distance(file, each)]));
  near.sort((a, b) => (shared.get(a) ?? 0) - (shared.get(b) ?? 0));
  return [...new Set([...(test === undefined ? [] : [test]), ...near])];
}

/** Folders between a file and a test, by the test's place in `test/`; a test with the name of the file is nearest. */
function distance(file: string, test: string): number {
  const [own, other] = [file.replace(/\.ts$/, ''), test.replace(/^test\/(.*)\.test\.ts$/, '$1')];
  if (own === other) return -1;
  return relative(dirname(own), dirname(other)).split('/').filter(Boolean).length;
}
