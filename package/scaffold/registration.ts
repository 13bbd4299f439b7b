import { UsageError } from '../usage-error.ts';

export interface Registration {
  /** For messages. */
  readonly file: string;
  /** What is imported, and from where. */
  readonly name: string;
  readonly from: string;
}

const declaration = /(export const stacks\b[^=]*=\s*\[)([^\]]*)\]/;

/** The source of a list of stacks with one more. Throws UsageError if no list is found in it. */
export function registered(source: string, { file, name, from }: Registration): string {
  const [, , items] = declaration.exec(source) ?? [];
  if (items === undefined) {
    throw new UsageError(`${file}: there is no \`export const stacks = […]\` to add the stack to`);
  }
  const listed = items.trim().replace(/,$/, '');
  const list = listed === '' ? name : `${listed}, ${name}`;
  const lines = `import { ${name} } from '${from}';\n`;
  // After the last import, or first of all.
  const imports = [...source.matchAll(/^(?:import\b[^;]*;|\} from [^;]*;)[^\n]*\n/gm)].at(-1);
  const end = imports === undefined ? 0 : imports.index + imports[0].length;
  return (source.slice(0, end) + lines + source.slice(end)).replace(declaration, `$1${list}]`);
}
