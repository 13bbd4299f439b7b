import type { Figure } from './figures.ts';
import { textOf, verdictOf } from './figures.ts';

/** Where and when figures were measured. */
export interface Conditions {
  readonly claims: number;
  /** The commit; with a plus sign if files differ from it. */
  readonly commit: string;
  readonly date: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryMiB: number;
  readonly node: string;
  readonly apiServer: string;
}

const beginOf = (claims: number): string =>
  `<!-- measured with ${claims} claims: npm run bench writes this -->`;
const end = '<!-- end of what was measured -->';

/** The section of docs/performance.md with the figures of a run. */
export function section(figures: readonly Figure[], conditions: Conditions): string {
  const { claims, commit, date, cores, cpu, memoryMiB, node, apiServer } = conditions;
  const rows = figures.map((figure) => {
    const { name, value, unit, limit, note = '' } = figure;
    const limits = [limit?.budget, limit?.goal].map((each) => textOf(each, unit));
    return `| ${[name, textOf(value, unit), ...limits, verdictOf(figure), note].map(cell).join(' | ')} |`;
  });
  return [
    beginOf(claims),
    `### ${claims.toLocaleString('en')} claims`,
    '',
    `Commit ${commit}, ${date.slice(0, 10)}; ${cores} cores of ${cpu}, ${memoryMiB} MiB; Node ${node}; kube-apiserver ${apiServer}.`,
    '',
    '| figure | measured | budget | goal | | note |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    end,
  ].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The page with a section in place of the one for the same number of claims, or after the others. */
export function withSection(page: string, claims: number, text: string): string {
  const begin = page.indexOf(beginOf(claims));
  if (begin === -1) return `${page.trimEnd()}\n\n${text}\n`;
  const after = page.indexOf(end, begin) + end.length;
  return page.slice(0, begin) + text + page.slice(after);
}
