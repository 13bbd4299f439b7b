import { basename } from 'node:path';
import { parse } from '@babel/parser';
import type { NameWord } from './words.ts';

/** A name that a file declares: of a variable, parameter, function, class, type, property or method, or its own. */
export interface DeclaredName {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** It is a new `Set` or `Map`: the `seen` of an algorithm. */
  readonly isNewCollection?: boolean;
}

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [key: string]: unknown;
}

/** Keys in quotes and computed keys belong to others, such as the fields of an API: they are not read. */
export function declaredNames(path: string, source: string): readonly DeclaredName[] {
  const file = { name: basename(path).replace(/\.\w+$/, ''), line: 1 };
  if (!path.endsWith('.ts')) return [file];
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const names: DeclaredName[] = [file];
  const visit = (node: Node): void => {
    names.push(...namesIn(node));
    for (const child of Object.values(node).flat()) {
      // The key of a part of a pattern is declared elsewhere.
      if (isNode(child)) visit(node.type === 'ObjectPattern' ? { ...child, key: undefined } : child);
    }
  };
  visit(program as unknown as Node);
  return names;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

const members = /^(?:ObjectMethod|Class(?:Private)?(?:Method|Property)|TS(?:Method|Property)Signature)$/;
const declarations =
  /^(?:FunctionDeclaration|FunctionExpression|ClassDeclaration|TS(?:TypeAlias|Interface)Declaration)$/;

/** The names that one node declares, without those of the nodes below. */
function namesIn(node: Node): readonly DeclaredName[] {
  const params = [node.params, node.parameters].flat().filter(isNode).flatMap(boundNames);
  return [...ownNames(node), ...(node.type === 'TSTypeParameterDeclaration' ? [] : params)];
}

function ownNames(node: Node): readonly DeclaredName[] {
  const { type, id, key } = node;
  if (type === 'VariableDeclarator') return boundNames(id).map(holding(node.init));
  if (type === 'ObjectProperty') return isOwnKey(node) ? boundNames(key) : [];
  if (type === 'TSTypeParameter') return isNode(node.name) ? boundNames(node.name) : [named(node, node.name)];
  if (type === 'TSNamedTupleMember') return boundNames(node.label);
  if (type === 'CatchClause') return boundNames(node.param);
  if (declarations.test(type)) return boundNames(id);
  return members.test(type) && node.computed !== true ? boundNames(key).map(holding(node.value)) : [];
}

/** Whether a property of an object has a key of its own, instead of the name of a variable. */
const isOwnKey = ({ computed, shorthand }: Node): boolean => computed !== true && shorthand !== true;

const holding =
  (init: unknown) =>
  (name: DeclaredName): DeclaredName =>
    isCollection(init) ? { ...name, isNewCollection: true } : name;

function isCollection(init: unknown): boolean {
  if (!isNode(init) || init.type !== 'NewExpression') return false;
  return isNode(init.callee) && ['Set', 'Map'].includes(String(init.callee.name));
}

const named = ({ loc }: Node, name: unknown): DeclaredName => ({ name: String(name), line: loc.start.line });

/** The names that an identifier or a pattern binds. */
function boundNames(node: unknown): readonly DeclaredName[] {
  if (!isNode(node)) return [];
  if (node.type === 'Identifier') return [named(node, node.name)];
  if (node.type === 'PrivateName') return boundNames(node.id);
  if (node.type === 'AssignmentPattern') {
    return boundNames(node.left).map(holding(node.right));
  }
  if (node.type === 'RestElement') return boundNames(node.argument);
  if (node.type === 'ArrayPattern') return (node.elements as readonly unknown[]).flatMap(boundNames);
  if (node.type !== 'ObjectPattern') return [];
  return (node.properties as readonly Node[]).flatMap((property) =>
    boundNames(property.type === 'RestElement' ? property : property.value),
  );
}

/** The words of a name in camel case or kebab case, in small letters. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Whether a name has a word of the list. */
export function isAtFault({ name, isNewCollection }: DeclaredName, word: NameWord): boolean {
  if (word.pattern?.test(name)) return true;
  if (isNewCollection === true && word.isCollectionAllowed === true) return false;
  return wordsOf(name).some((each) => word.words?.includes(each));
}
