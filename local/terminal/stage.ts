import { styleText } from 'node:util';

/** The output of the demo: lines that stay, and below them, on a terminal, a table that is updated. */
export interface Stage {
  /** Lines that stay. */
  say(...lines: readonly string[]): void;
  /** The table as it is now, one line for each row. Only a terminal shows it before `settle`. */
  show(table: readonly string[]): void;
  /** Leaves the last table where it is: everything that is said later stands below it. */
  settle(): void;
  /** In colour, if this is a terminal that shows any, and NO_COLOR is not set. */
  paint: Paint;
  /** How many characters a line of the table may have; undefined: any. */
  width(): number | undefined;
}

export type Colour = 'bold' | 'dim' | 'green' | 'yellow' | 'red';
export type Paint = (colour: Colour, text: string) => string;

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** A stage on this output. */
export function createStage(output: Output & NodeJS.WritableStream): Stage {
  let shown: readonly string[] = [];
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
  };
  const onTerminal = (lines: readonly string[], table: readonly string[]): void => {
    // Up to where the table begins, and away with it.
    if (shown.length > 0) output.write(`\u001b[${shown.length}A\u001b[J`);
    print(lines);
    print(table);
    shown = table;
  };
  return {
    say(...lines) {
      if (output.isTTY) onTerminal(lines, shown);
      else print(lines);
    },
    show(table) {
      if (table.join('\n') === shown.join('\n')) return;
      if (output.isTTY) onTerminal([], table);
      else shown = table;
    },
    settle() {
      if (!output.isTTY) print(shown);
      shown = [];
    },
    paint: (colour, text) => styleText(colour, text, { stream: output }),
    width: () => (output.isTTY && output.columns > 0 ? output.columns : undefined),
  };
}
