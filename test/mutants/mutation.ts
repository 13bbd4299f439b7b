import { parse } from '@babel/parser';

/** Replaces the text between two offsets. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly becomes: string;
}

/** An edit of a source file, which a test must notice. */
export interface Mutation {
  /** From the root of the project. */
  readonly file: string;
  /** The line in which the edit begins, from 1. */
  readonly line: number;
  readonly edit: Edit;
  /** A test file that is tried first. */
  readonly test?: string | undefined;
}

/** A source after an edit. */
export const applied = ({ start, end, becomes }: Edit, source: string): string =>
  source.slice(0, start) + becomes + source.slice(end);

/** Throws if a source is no TypeScript. */
export const parsed = (source: string) => parse(source, { sourceType: 'module', plugins: ['typescript'] });

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A node of the syntax tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: Position; readonly end: Position };
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

export const childrenOf = (node: Node): readonly Node[] =>
  Object.entries(node)
    .filter(([key]) => !key.endsWith('Comments'))
    .flatMap(([, value]) => value)
    .filter(isNode);
