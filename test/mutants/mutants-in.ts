import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../docs/project-copy.ts';
import type { Edit, Mutation, Node } from './mutation.ts';
import { applied, childrenOf, parsed } from './mutation.ts';

/** A change of one condition, default or block of a source, or of a guard. */
export interface Mutant extends Mutation {
  /** The fault that a guard prevents. Absent: it is no guard. */
  readonly against?: string;
  /** The line that the change begins in, without its indentation. */
  readonly text: string;
  /** The replaced text, and its replacement: on one line each. */
  readonly was: string;
  readonly becomes: string;
}

/**
 * The mutants of all files that a pattern fits, in the order of the patterns, each file once. Throws if a pattern fits no
 * file: otherwise files that were moved would have no mutants, and no survivors.
 */
export function mutantsOf(patterns: readonly string[]): readonly Mutant[] {
  const files = new Set(patterns.flatMap(filesOf));
  return [...files].flatMap((file) => mutantsIn(file, readFileSync(join(projectRoot, file), 'utf8')));
}

function filesOf(pattern: string): readonly string[] {
  const files = globSync(pattern, { cwd: projectRoot });
  if (files.length === 0) throw new Error(`no file fits the pattern ${JSON.stringify(pattern)}`);
  return files.toSorted();
}

/** The mutants of one file. Those are left out that are no TypeScript. */
export function mutantsIn(file: string, source: string): readonly Mutant[] {
  const seen = new Set<string>();
  const found: Mutant[] = [];
  const visit = (node: Node, parent: Node): void => {
    if (isOfTypes(node)) return;
    for (const edit of editsOf(node, parent, source)) {
      const key = JSON.stringify(edit);
      if (seen.has(key) || !isTypeScript(applied(edit, source))) continue;
      seen.add(key);
      const line = source.slice(0, edit.start).split('\n').length;
      found.push(mutantOf({ file, line, edit }, source));
    }
    for (const child of childrenOf(node)) visit(child, node);
  };
  const { program } = parsed(source) as unknown as { readonly program: Node };
  visit(program, program);
  return found;
}

const valuesOfTypes = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'];
const isOfTypes = ({ type }: Node): boolean => type.startsWith('TS') && !valuesOfTypes.includes(type);

const comparisons = ['===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof'];

/** A condition is true, and false; `??` is `&&`; a boolean is the other one; a block is empty. */
function editsOf(node: Node, parent: Node, source: string): readonly Edit[] {
  const { type, start, end } = node;
  const becoming = (...values: readonly string[]): readonly Edit[] =>
    values.map((becomes) => ({ start, end, becomes }));
  const isTest = ['IfStatement', 'ConditionalExpression'].includes(parent.type) && parent.test === node;
  const isCondition =
    (type === 'BinaryExpression' && comparisons.includes(String(node.operator))) ||
    (type === 'UnaryExpression' && node.operator === '!') ||
    (type === 'LogicalExpression' && node.operator !== '??');
  if (isTest || isCondition) return becoming('true', 'false');
  if (type === 'LogicalExpression') {
    const operator = source.indexOf('??', (node.left as Node).end);
    return [{ start: operator, end: operator + 2, becomes: '&&' }];
  }
  if (type === 'BooleanLiteral') return becoming(String(!node.value));
  const isEmptied = type === 'BlockStatement' && parent.type !== 'IfStatement' && end - start > 2;
  return isEmptied ? becoming('{}') : [];
}

function isTypeScript(source: string): boolean {
  try {
    parsed(source);
    return true;
  } catch {
    return false;
  }
}

/** A mutation of a source, with its texts for people. */
export function mutantOf<M extends Mutation>(mutation: M, source: string) {
  const { line, edit } = mutation;
  return {
    ...mutation,
    text: source.split('\n')[line - 1]?.trim() ?? '',
    was: onOneLine(source.slice(edit.start, edit.end)),
    becomes: onOneLine(edit.becomes),
  };
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
