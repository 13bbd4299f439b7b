import { styleText } from 'node:util';

/** The output of the demo: lines that stay, and below them, on a terminal, a table that is updated. */
export interface Stage {
  /** Lines that stay. */
  say(...lines: readonly string[]): void;
  /** The table as it is now. Elsewhere than on a terminal its rows that changed are said, each with all its lines. */
  show(table: readonly Row[]): void;
  /** In colour, if this is a terminal that shows any, and NO_COLOR is not set. */
  paint: Paint;
  /** How many characters a line of the table may have; undefined: any. */
  width(): number | undefined;
}

/** A row of a table: the line itself, and those that belong below it. */
export type Row = readonly string[];

export type Colour = 'bold' | 'dim' | 'green' | 'yellow' | 'red';
export type Paint = (colour: Colour, text: string) => string;

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** A stage on this output. */
export function createStage(output: Output & NodeJS.WritableStream): Stage {
  let shown: readonly Row[] = [];
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
  };
  const onTerminal = (lines: readonly string[], table: readonly Row[]): void => {
    // Up to where the table begins, and away with it.
    if (shown.length > 0) output.write(`\u001b[${shown.flat().length}A\u001b[J`);
    print(lines);
    print(table.flat());
    shown = table;
  };
  return {
    say(...lines) {
      if (output.isTTY) onTerminal(lines, shown);
      else print(lines);
    },
    show(table) {
      if (output.isTTY) {
        onTerminal([], table);
        return;
      }
      const before = new Set(shown.map(textOf));
      print(table.filter((row) => !before.has(textOf(row))).flat());
      shown = table;
    },
    paint: (colour, text) => styleText(colour, text, { stream: output }),
    width: () => (output.isTTY && output.columns > 0 ? output.columns : undefined),
  };
}

const textOf = (row: Row): string => row.join('\n');
