/**
 * The checks of the product, as its lists name them. `npm run model -- --ablate` takes each of them out of its list once:
 * the lists are registered on load, so one process can take out any check.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../docs/project-copy.ts';
import type { Node } from '../mutants/mutation.ts';
import { isNode, parsed } from '../mutants/mutation.ts';
import type { Edit } from './rules.ts';

/** The files with the lists. */
const files = [
  'claim-binding/decide.ts',
  'claim-binding/decide-claim-end.ts',
  'claim-binding/decide-orphan.ts',
  'managed/run/decide.ts',
  'managed/run/decide-first.ts',
  'managed/run/decide-observed.ts',
  'managed/run/decide-credential.ts',
].map((file) => `controllers/${file}`);

type Check = (facts: never) => unknown;

declare global {
  var checkLists: Record<string, Check[]> | undefined;
}

interface List {
  readonly name: string;
  /** The names of its checks. Those of another list that it contains are left out. */
  readonly checks: readonly string[];
  /** The edit that registers the list on load. */
  readonly edit: Edit;
}

/** An array of functions, and of the checks of other lists, which a file declares. */
export const lists: readonly List[] = files.flatMap((file) => {
  const source = readFileSync(join(projectRoot, file), 'utf8');
  const { program } = parsed(source) as unknown as { readonly program: { readonly body: readonly Node[] } };
  const textOf = ({ start, end }: Node): string => source.slice(start, end);
  return program.body
    .flatMap((statement) => (statement.declarations ?? []) as readonly Node[])
    .flatMap(({ id, init }) => {
      if (!isNode(id) || !isNode(init) || init.type !== 'ArrayExpression') return [];
      const elements = init.elements as readonly Node[];
      const isOfChecks = elements.every(({ type }) => type === 'Identifier' || type === 'SpreadElement');
      if (!isOfChecks) return [];
      const { name } = id as Node & { readonly name: string };
      const was = textOf(init);
      const becomes = `((globalThis.checkLists ??= {}).${name} = ${was})`;
      const own = elements.filter(({ type }) => type === 'Identifier').map(textOf);
      return [{ name, checks: own, edit: { file, was, becomes } }];
    });
});

/** By list and check: `claimChecks.recordName`. */
export const checks: readonly string[] = lists.flatMap(({ name, checks: own }) =>
  own.map((check) => `${name}.${check}`),
);

/** Runs without a check. The lists were registered on load. */
export function withoutCheck<T>(check: string, run: () => T): T {
  const [list = '', name = ''] = check.split('.');
  const { checkLists: registered = {} } = globalThis;
  const removed = registered[list]?.find((each) => each.name === name);
  if (removed === undefined) throw new Error(`there is no check ${JSON.stringify(check)}`);
  const before = Object.values(registered).map((checksOfList) => [checksOfList, [...checksOfList]] as const);
  try {
    for (const [now, all] of before) now.splice(0, now.length, ...all.filter((each) => each !== removed));
    return run();
  } finally {
    for (const [now, all] of before) now.splice(0, now.length, ...all);
  }
}

/** The checks that no scenario needs, each with the reason. */
export const unneededChecks: Readonly<Record<string, string>> = {
  'resourceChecks.recordExternalName': 'the model has no external names',
  'managedChecks.operationFailed': 'the failure of an operation is only reported',
  'absentChecks.taken': 'the model has no name that another resource takes',
  'presentChecks.awaitEffect': 'the model has no effect that comes late',
};
