import { parse } from '@babel/parser';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import type { TextKind } from './words.ts';

/** A paragraph, a comment, a test name or a message of a file. */
export interface Text {
  readonly kind: TextKind;
  /** Code in it is `Code`, and a value that is filled in is `Value`, so that each counts as a word. */
  readonly text: string;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

/** The texts of a file, by what its path says that it is. */
export function textsOf(path: string, source: string): readonly Text[] {
  if (path.endsWith('.md')) return markdownTexts(source);
  if (path.endsWith('.yaml')) return yamlComments(source);
  if (path.endsWith('.ts')) return typescriptTexts(path, source);
  return [];
}

interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly alt?: string | null | undefined;
  readonly children?: readonly MarkdownNode[];
  readonly position?: { readonly start: { readonly line: number } } | undefined;
}

const blockKinds: Readonly<Record<string, TextKind>> = {
  paragraph: 'docs',
  heading: 'heading',
  tableCell: 'docs',
};

/** Paragraphs, headings and cells of tables. Blocks of code are not read. */
function markdownTexts(source: string): readonly Text[] {
  const tree: MarkdownNode = fromMarkdown(source, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  const texts: Text[] = [];
  const visit = (node: MarkdownNode): void => {
    const kind = blockKinds[node.type];
    if (kind === undefined) for (const child of node.children ?? []) visit(child);
    else texts.push({ kind, text: inlineText(node), line: node.position?.start.line ?? 1 });
  };
  visit(tree);
  return texts;
}

function inlineText({ type, value, alt, children }: MarkdownNode): string {
  if (type === 'inlineCode') return 'Code';
  if (type === 'html') return value?.startsWith('<br') ? '\n\n' : '';
  if (type === 'break') return '\n';
  return value ?? alt ?? (children ?? []).map(inlineText).join('');
}

/** Comments of a YAML file; lines that follow one another are one comment. */
function yamlComments(source: string): readonly Text[] {
  const lines = source.split('\n').flatMap((line, index) => {
    const [, before = '', text] = /^(.*?)(?<!\S)#+(?: (.*))?$/.exec(line) ?? [];
    return text === undefined ? [] : [{ text, line: index + 1, isAlone: before.trim() === '' }];
  });
  return paragraphs('comment', joined(lines));
}

interface Line {
  readonly text: string;
  readonly line: number;
}

interface CommentLine extends Line {
  /** No code stands before it on its line. */
  readonly isAlone: boolean;
}

/** Comments on lines that follow one another are one; a comment behind code is one by itself. */
function joined(lines: readonly CommentLine[]): readonly Line[] {
  const all: { text: string; line: number; last: number }[] = [];
  for (const { text, line, isAlone } of lines) {
    const before = all.at(-1);
    if (isAlone && before !== undefined && before.last === line - 1) {
      before.text += `\n${text}`;
      before.last = line;
    } else all.push({ text, line, last: isAlone ? line : 0 });
  }
  return all;
}

/** Each paragraph and item of a list by itself, without code. */
function paragraphs(kind: TextKind, comments: readonly Line[]): readonly Text[] {
  return comments.flatMap(({ text, line }) => {
    const found: { kind: TextKind; text: string; line: number }[] = [];
    let isOpen = false;
    let isCode = false;
    for (const [index, raw] of text.split('\n').entries()) {
      if (raw.trimStart().startsWith('```')) isCode = !isCode;
      const isBreak = isCode || raw.trim() === '' || /^\s*(?:```|\||@|biome-ignore|https?:)/.test(raw);
      if (isBreak) isOpen = false;
      else if (isOpen && !/^\s*(?:[-*]|\d+\.) /.test(raw))
        (found.at(-1) as { text: string }).text += `\n${raw}`;
      else {
        found.push({ kind, text: raw.replace(/^\s*(?:[-*]|\d+\.) /, ''), line: line + index });
        isOpen = true;
      }
    }
    return found.map((each) => ({ ...each, text: withoutCode(each.text) }));
  });
}

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`/g, (code) => `Code${'\n'.repeat(code.split('\n').length - 1)}`);
}

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [key: string]: unknown;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Comment {
  readonly type: string;
  readonly value: string;
  readonly loc: { readonly start: Position };
}

/** Adds the texts of a node; answers with the nodes below that are still to be visited. */
type Collect = (node: Node, texts: Text[]) => readonly Node[];

/** Comments of all files, the names of tests, and the messages of files that are no tests. */
function typescriptTexts(path: string, source: string): readonly Text[] {
  const { program, comments } = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const texts: Text[] = [...commentTexts(source, (comments ?? []) as unknown as readonly Comment[])];
  const visit = (node: Node): void => {
    for (const child of collectorOf(path)(node, texts)) visit(child);
  };
  visit(program as unknown as Node);
  return texts;
}

/** Descriptions of fields are docs: the API reference and `kubectl explain` show them. */
function collectorOf(path: string): Collect {
  if (path.startsWith('test/') || path.endsWith('.test.ts')) return testNames;
  return messages(path.startsWith('apis/') ? 'docs' : 'message');
}

function commentTexts(source: string, comments: readonly Comment[]): readonly Text[] {
  const sourceLines = source.split('\n');
  const isAlone = ({ line, column }: Position): boolean =>
    sourceLines[line - 1]?.slice(0, column).trim() === '';
  const blocks = comments
    .filter(({ type }) => type === 'CommentBlock')
    .map(({ value, loc }) => ({ text: value.replace(/^\s*\*+ ?/gm, ''), line: loc.start.line }));
  const lines = comments
    .filter(({ type }) => type === 'CommentLine')
    .map(({ value, loc: { start } }) => ({
      text: value.replace(/^ /, ''),
      line: start.line,
      isAlone: isAlone(start),
    }));
  return paragraphs('comment', [...blocks, ...joined(lines)]);
}

/** Fields of a node that hold no nodes with text of their own, or texts that are found elsewhere. */
const notVisited = new Set(['loc', 'extra', 'leadingComments', 'trailingComments', 'innerComments']);

function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  for (const key in node) {
    const value = node[key];
    if (typeof value !== 'object' || value === null || notVisited.has(key)) continue;
    if (!Array.isArray(value)) children.push(...(isNode(value) ? [value] : []));
    else for (const child of value) if (isNode(child)) children.push(child);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

const naming = new Set(['test', 'describe', 'it', 'suite']);

/** The first argument of `test`, `describe`, `t.test` and `test.skip`, and in a table the field `name` and the keys. */
function testNames(node: Node, texts: Text[]): readonly Node[] {
  const isTest = node.type === 'CallExpression' && isNaming(node.callee);
  const named = isTest ? argumentOf(node) : tableName(node);
  const text = isNode(named) ? literalText(named) : undefined;
  if (text?.includes(' ') && isNode(named)) {
    const kind = isTest ? 'test name' : 'row name';
    texts.push({ kind, text: withoutCode(text), line: named.loc.start.line });
  }
  return childrenOf(node);
}

function argumentOf(node: Node): unknown {
  return (node.arguments as readonly unknown[])[0];
}

function isNaming(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee.type === 'Identifier') return naming.has(String(callee.name));
  if (callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  return isNaming(object) || (isNode(property) && property.name === 'test');
}

/** The name of a row: its field `name`, or its key. */
function tableName(node: Node): unknown {
  if (node.type !== 'ObjectProperty' || !isNode(node.key)) return undefined;
  return node.key.name === 'name' ? node.value : node.key;
}

/** Strings, templates and sums of them that are prose; and those in the values that are filled in. */
function messages(kind: TextKind): Collect {
  return (node, texts) => {
    const text = literalText(node);
    const { line } = node.loc.start;
    for (const paragraph of text?.split(/\n\s*\n|\n(?=\s)/) ?? []) {
      if (isProse(paragraph)) texts.push({ kind, text: withoutCode(paragraph), line });
    }
    return text === undefined ? childrenOf(node) : filledIn(node);
  };
}

/** The values that are filled into a text: a sum is one text, and its sides are not visited again. */
function filledIn(node: Node): readonly Node[] {
  if (node.type !== 'BinaryExpression') return childrenOf(node);
  return childrenOf(node).flatMap((side) => (literalText(side) === undefined ? [side] : filledIn(side)));
}

/** Neither one word, nor a statement of SQL, nor code: two words of letters follow one another. */
function isProse(text: string): boolean {
  return (
    /[a-z]{2,} [a-z]{2,}/i.test(text) && !/^\s*(?:[A-Z]{2,} |import |export |const |<)|[{;]\n/.test(text)
  );
}

/** The text of a string, a template or a sum of them; undefined for anything else. */
function literalText(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return String(node.value);
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
    return quasis.map(({ value }) => value.cooked).join('Value');
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [node.left, node.right].map((side) => (isNode(side) ? literalText(side) : undefined));
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? 'Value'}${right ?? 'Value'}`;
}
