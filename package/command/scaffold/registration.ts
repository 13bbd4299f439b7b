import { UsageError } from '../usage-error.ts';

export interface Registration {
  /** The name of the file, for messages. */
  readonly file: string;
  /** The name to import, and its module. */
  readonly name: string;
  readonly from: string;
}

const declaration = /(export const stacks\b[^=]*=\s*\[)([^\]]*)\]/;

/** The source of a list of stacks with one more stack. Throws UsageError if the source has no list. */
export function registered(source: string, { file, name, from }: Registration): string {
  const [, , items] = declaration.exec(source) ?? [];
  if (items === undefined) {
    throw new UsageError(`cannot add the stack to ${file}: it has no \`export const stacks = […]\``);
  }
  const listed = items.trim().replace(/,$/, '');
  const list = listed === '' ? name : `${listed}, ${name}`;
  const lines = `import { ${name} } from '${from}';\n`;
  // After the last import, or at the beginning.
  const imports = [...source.matchAll(/^(?:import\b[^;]*;|\} from [^;]*;)[^\n]*\n/gm)].at(-1);
  const end = imports === undefined ? 0 : imports.index + imports[0].length;
  return (source.slice(0, end) + lines + source.slice(end)).replace(declaration, `$1${list}]`);
}
