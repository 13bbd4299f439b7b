import { isDeepStrictEqual } from 'node:util';

/** An expression in the part of CEL that our rules are written in; see {@link parseRule}. */
export type Expression =
  | { readonly type: 'literal'; readonly value: string | boolean }
  /** `self.a.b`: the variable and the fields under it. */
  | { readonly type: 'path' | 'has'; readonly path: readonly string[] }
  | { readonly type: 'not'; readonly operand: Expression }
  | {
      readonly type: '||' | '&&' | '==' | '!=';
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'choice';
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    };

/** A field that an expression selects is absent: the API server would refuse the object with an error. */
export class NoSuchField extends Error {
  override readonly name = 'NoSuchField';
}

/**
 * Reads a rule: `||`, `&&`, `==`, `!=`, `!`, `? :`, parentheses, `has()`, texts in quotes, `true`, `false` and paths
 * from `self` and `oldSelf`, with CEL's precedence (google/cel-spec, langdef). Throws a SyntaxError for all else.
 */
export function parseRule(rule: string): Expression {
  const tokens = rule.match(/\|\||&&|[=!]=|[!?:().]|'[^'\\]*'|[A-Za-z_]\w*|\S/g) ?? [];
  let position = 0;
  const peek = () => tokens[position];
  const accept = (token: string): boolean => {
    if (peek() !== token) return false;
    position += 1;
    return true;
  };
  const fail = (expected: string): never => {
    throw new SyntaxError(`${expected} expected instead of ${peek() ?? 'the end'} in ${rule}`);
  };
  const expect = (token: string): void => {
    if (!accept(token)) fail(token);
  };

  const word = (): string => {
    const token = peek() ?? '';
    if (!/^[A-Za-z_]/.test(token)) fail('a name');
    position += 1;
    return token;
  };
  const path = (first: string): readonly string[] => {
    if (first !== 'self' && first !== 'oldSelf') fail('self or oldSelf');
    const names = [first];
    while (accept('.')) names.push(word());
    return names;
  };
  const primary = (): Expression => {
    if (accept('(')) {
      const inner = choice();
      expect(')');
      return inner;
    }
    const token = peek() ?? '';
    if (token.startsWith("'") && token.length > 1) {
      position += 1;
      return { type: 'literal', value: token.slice(1, -1) };
    }
    const name = word();
    if (name === 'true' || name === 'false') return { type: 'literal', value: name === 'true' };
    if (name !== 'has') return { type: 'path', path: path(name) };
    expect('(');
    const selected = path(word());
    if (selected.length < 2) fail('a field');
    expect(')');
    return { type: 'has', path: selected };
  };
  const unary = (): Expression => (accept('!') ? { type: 'not', operand: unary() } : primary());
  const binary = (types: readonly ('||' | '&&' | '==' | '!=')[], operand: () => Expression) => () => {
    let left = operand();
    for (;;) {
      const type = types.find(accept);
      if (type === undefined) return left;
      left = { type, left, right: operand() };
    }
  };
  const relation = binary(['==', '!='], unary);
  const disjunction = binary(['||'], binary(['&&'], relation));
  function choice(): Expression {
    const condition = disjunction();
    if (!accept('?')) return condition;
    const yes = disjunction();
    expect(':');
    return { type: 'choice', condition, yes, no: choice() };
  }

  const expression = choice();
  if (position < tokens.length) fail('the end');
  return expression;
}

/** Every path an expression selects or asks for. */
export function pathsOf(expression: Expression): readonly (readonly string[])[] {
  switch (expression.type) {
    case 'literal':
      return [];
    case 'path':
    case 'has':
      return [expression.path];
    case 'not':
      return pathsOf(expression.operand);
    case 'choice':
      return [expression.condition, expression.yes, expression.no].flatMap(pathsOf);
    default:
      return [expression.left, expression.right].flatMap(pathsOf);
  }
}

/** Whether a rule holds for an object and, where it is changed, the one before. Throws NoSuchField. */
export function holds(
  rule: string,
  variables: { readonly self: unknown; readonly oldSelf?: unknown },
): boolean {
  return evaluate(parseRule(rule), variables) === true;
}

function evaluate(expression: Expression, variables: object): unknown {
  const value = (of: Expression) => evaluate(of, variables);
  switch (expression.type) {
    case 'literal':
      return expression.value;
    case 'path':
      return select(variables, expression.path);
    case 'has':
      return Object.hasOwn(
        select(variables, expression.path.slice(0, -1)) as object,
        unescaped(expression.path.at(-1) ?? ''),
      );
    case 'not':
      return value(expression.operand) !== true;
    case 'choice':
      return value(expression.condition) === true ? value(expression.yes) : value(expression.no);
    case '==':
      return isDeepStrictEqual(value(expression.left), value(expression.right));
    case '!=':
      return !isDeepStrictEqual(value(expression.left), value(expression.right));
    case '||':
      return value(expression.left) === true || value(expression.right) === true;
    case '&&':
      return value(expression.left) === true && value(expression.right) === true;
  }
}

/** The field that a name in a rule stands for: `__namespace__` is `namespace`, which CEL reserves. */
export const unescaped = (name: string): string => /^__(\w+?)__$/.exec(name)?.[1] ?? name;

function select(from: object, path: readonly string[]): unknown {
  return path.map(unescaped).reduce<unknown>((object, name) => {
    if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) {
      throw new NoSuchField(path.join('.'));
    }
    return (object as Readonly<Record<string, unknown>>)[name];
  }, from);
}
