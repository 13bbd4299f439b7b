/**
 * A guard is code that protects against a fault: a crash, a race, a stale read, a wrong answer. A comment marks it, and
 * states what happens without it:
 *
 * ```ts
 * if (isPast(event.object)) return; // guard: otherwise a late event restores a deleted object
 * const marked = await confirmed(context, announced); // guard: otherwise it creates a second one after a stale read
 * ```
 *
 * The comment stands at the end of the guarded line, or above it. It names the fault, and then, in parentheses, a test
 * file if no test near the code notices. The mutation is derived from the code that begins on the guarded line. Some
 * guards have a value in `values.ts`:
 *
 * | guarded line begins with | without a value | with a value |
 * |---|---|---|
 * | `if`, a conditional expression | its condition is false | its condition is the value |
 * | a statement that is an expression | removed | replaced |
 * | an operand of `&&` or `||`, an element, a property | removed | replaced |
 * | `return`, `throw`, `const`, the body of an arrow function, an argument | an error | its expression is replaced |
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../docs/project-copy.ts';
import type { Mutant } from './mutants-in.ts';
import { mutantOf } from './mutants-in.ts';
import type { Edit, Node } from './mutation.ts';
import { childrenOf, isNode, parsed } from './mutation.ts';
import { values } from './values.ts';

/** A guard of the product, and the edit that removes it. */
interface Guard extends Mutant {
  /** The fault that the guard prevents. */
  readonly against: string;
}

/** The key of a guard in `values`. */
export const keyOf = ({ file, against }: Pick<Guard, 'file' | 'against'>): string => `${file}: ${against}`;

/** All guards of the product, in the order of their files and lines. */
export function allGuards(): readonly Guard[] {
  const files = globSync('{apis,app,clients,controllers,runtime,stacks,trace}/**/*.ts', { cwd: projectRoot });
  return files.toSorted().flatMap((file) => guardsIn(file, readFileSync(join(projectRoot, file), 'utf8')));
}

/** `guard: otherwise fault (test file)`. */
const mark = /^ guard: otherwise (?<against>.+?)(?: \((?<test>test\/\S+)\))?$/;

/** The guards of one file. Throws if a mark has no fault, or if no mutation can be derived from a marked line. */
export function guardsIn(file: string, source: string): readonly Guard[] {
  if (!source.includes('// guard')) return [];
  const lines = source.split('\n');
  const { program, comments } = parsed(source);
  return ((comments ?? []) as unknown as readonly Node[]).flatMap((comment) => {
    const text = String(comment.value);
    if (!/^ guard\b/.test(text)) return [];
    const line = guardedLine(comment, lines);
    const { against = '', test } = mark.exec(text)?.groups ?? {};
    if (against === '') throw new Error(`${file}:${line}: write "guard: otherwise" and the fault`);
    const value = values[keyOf({ file, against })];
    const edit = editOfLine(program as unknown as Node, { source, line, value });
    if (!edit) throw new Error(`${file}:${line}: no mutation can be derived from the guarded line`);
    return [mutantOf({ file, line, against, test, edit }, source)];
  });
}

/** The line of the comment, or the next line of code if the comment stands alone. */
function guardedLine({ loc: { start } }: Node, lines: readonly string[]): number {
  const isAlone = lines[start.line - 1]?.slice(0, start.column).trim() === '';
  if (!isAlone) return start.line;
  return lines.findIndex((line, index) => index >= start.line && !/^\s*\/\//.test(line)) + 1;
}

interface Marked {
  readonly source: string;
  readonly line: number;
  readonly value: string | undefined;
}

/** The edit of the outermost node that begins where the line begins and that has one. */
function editOfLine(program: Node, marked: Marked): Edit | undefined {
  const before = marked.source.split('\n').slice(0, marked.line - 1);
  const begin = before.reduce((length, line) => length + line.length + 1, 0);
  const [punctuation = ''] = /^[\s?:(}]*(?:else |export )?\(*/.exec(marked.source.slice(begin)) ?? [];
  const visit = (node: Node, parent: Node): Edit | undefined => {
    const isFirst = node.start >= begin && node.start <= begin + punctuation.length;
    const edit = isFirst ? editOf(node, parent, marked) : undefined;
    if (edit) return edit;
    for (const child of childrenOf(node)) {
      const below = visit(child, node);
      if (below) return below;
    }
    return undefined;
  };
  return visit(program, program);
}

/** The operand that makes no difference. */
const neutral: Readonly<Record<string, string>> = { '&&': 'true', '||': 'false' };

function editOf(node: Node, parent: Node, { source, value }: Marked): Edit | undefined {
  const removed = { start: node.start, end: node.end, becomes: '' };
  switch (node.type) {
    case 'IfStatement':
      return replaced(node.test, value ?? 'false');
    case 'ExpressionStatement':
      return value === undefined ? removed : replaced(node.expression, value);
    case 'ReturnStatement':
    case 'ThrowStatement':
      return forced(node.argument, value);
    case 'VariableDeclaration': {
      const [{ init }] = node.declarations as [{ init: Node }];
      return forced(init.type === 'ArrowFunctionExpression' ? init.body : init, value);
    }
    case 'ConditionalExpression':
      return forced(node, value);
    case 'ObjectProperty':
    case 'SpreadElement': {
      const rest = /^,?/.exec(source.slice(node.end))?.[0].length ?? 0;
      return value === undefined
        ? { ...removed, end: node.end + rest }
        : replaced(node.value ?? node.argument, value);
    }
    default:
  }
  if (isNode(parent.body) && parent.body === node) return forced(node, value);
  if (parent.type === 'CallExpression' && parent.callee !== node)
    return value ? replaced(node, value) : undefined;
  if (parent.type !== 'LogicalExpression' || node.loc.start.line !== node.loc.end.line) return undefined;
  return replaced(node, value ?? neutral[String(parent.operator)] ?? 'undefined');
}

/** Of a conditional expression the condition is forced, of any other the whole. */
function forced(expression: unknown, value: string | undefined): Edit | undefined {
  if (isNode(expression) && expression.type === 'ConditionalExpression')
    return replaced(expression.test, value ?? 'false');
  return value === undefined ? undefined : replaced(expression, value);
}

function replaced(node: unknown, becomes: string): Edit | undefined {
  return isNode(node) ? { start: node.start, end: node.end, becomes } : undefined;
}
