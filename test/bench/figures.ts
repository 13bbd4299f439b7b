/** The limit of a figure, and its target. */
export interface Limit {
  readonly budget: number;
  readonly goal?: number;
}

/** One measured number. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `count` does not depend on the machine; `×` is a ratio of two times taken in the same run. */
  readonly unit: 'count' | '×' | 'ms' | 's' | 'KiB' | 'MiB';
  readonly limit?: Limit;
  readonly note?: string;
}

export const figure = (
  name: string,
  value: number,
  unit: Figure['unit'],
  more: Pick<Figure, 'limit' | 'note'> = {},
): Figure => ({ name, value, unit, ...more });

/** `goal`: reached; `ok`: within the budget; `over`: not; `-`: there is nothing to judge by, or no number. */
export type Verdict = 'goal' | 'ok' | 'over' | '-';

export function verdictOf({ value, limit }: Pick<Figure, 'value' | 'limit'>): Verdict {
  if (limit === undefined || Number.isNaN(value)) return '-';
  if (limit.goal !== undefined && value <= limit.goal) return 'goal';
  return value <= limit.budget ? 'ok' : 'over';
}

const digits = { count: 2, '×': 2, ms: 1, s: 2, KiB: 1, MiB: 0 } as const;

export function textOf(value: number | undefined, unit: Figure['unit']): string {
  if (value === undefined) return '';
  if (Number.isNaN(value)) return 'not measured';
  const number = String(Number(value.toFixed(digits[unit])));
  return unit === 'count' ? number : `${number} ${unit}`;
}

/** The figures as lines of text, in columns. */
export function table(figures: readonly Figure[]): string {
  const rows = [
    ['figure', 'measured', 'budget', 'goal', '', 'note'],
    ...figures.map((figure) => {
      const { name, value, unit, limit, note = '' } = figure;
      const limits = [limit?.budget, limit?.goal].map((each) => textOf(each, unit));
      return [name, textOf(value, unit), ...limits, verdictOf(figure), note];
    }),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
