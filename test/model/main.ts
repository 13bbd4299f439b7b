/**
 * `npm run model [-- SCENARIO ...]`: explores the scenarios, and prints a shortest trace of each failure. With
 * `--ablate`, turns off each rule in turn and prints the failure that the rule prevents. Ends with 0 only if nothing but
 * the known limits fails, or with `--ablate` if each rule is needed; with 2 for a wrong argument.
 */
import { BadFlag } from '../../local/flags.ts';
import { askedOf, readCommandLine } from '../../local/read-command-line.ts';
import { withoutRule } from './ablation.ts';
import type { Exploration } from './explore.ts';
import { explore } from './explore.ts';
import { production } from './production.ts';
import { rules } from './rules.ts';
import { scenarios } from './scenarios.ts';

/** A scenario with more states is not explored to the end. */
const mostStates = 3_000_000;

const usage = `npm run model [-- SCENARIO ...]
npm run model -- --ablate [RULE ...] [SCENARIO ...]
flags:
  --ablate           turn off each rule in turn; a rule that is named is shown with its trace
scenarios: ${Object.keys(scenarios).join(' ')}
rules: ${Object.keys(rules).join(' ')}`;

const { isAblation, chosenScenarios, chosenRules } = askedOf(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      allowPositionals: true,
      options: { ablate: { type: 'boolean', default: false } },
    },
    read: ({ values: { ablate }, positionals }) => ({
      isAblation: ablate,
      chosenScenarios: positionals.filter((word) => word in scenarios),
      chosenRules: positionals.filter((word) => isRule(word, ablate)),
    }),
  }),
);
const print = (...lines: readonly string[]): void => {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
};

process.exitCode = (await (isAblation ? ablateRules() : exploreScenarios())) ? 0 : 1;

/** Throws BadFlag if the word is no scenario either. */
function isRule(word: string, isAblation: boolean): boolean {
  const isKnown = word in rules;
  if (!(word in scenarios) && !(isAblation && isKnown)) {
    throw new BadFlag(`${JSON.stringify(word)} is no scenario${isKnown ? ' (rules need --ablate)' : ''}`);
  }
  return isKnown;
}

/** Whether nothing but the known limits fails. */
function exploreScenarios(): boolean {
  const names = chosenScenarios.length > 0 ? chosenScenarios : Object.keys(scenarios);
  const limits: string[] = [];
  const incomplete: string[] = [];
  let states = 0;
  let violations = 0;
  for (const name of names) {
    const { situation, isKnownLimit = false } = scenarios[name]!;
    const startedMs = performance.now();
    const result = explore(scenarios[name]!, production, mostStates);
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    states += result.states;
    print(`${name.padEnd(21)} ${describeResult(result)}, ${seconds} s`);
    if (result.verdict === 'limit') incomplete.push(name);
    if (result.verdict !== 'fails') continue;
    print(...traceOf(`${situation}${isKnownLimit ? ' (known limit)' : ''}`, result));
    if (isKnownLimit) limits.push(name);
    else violations += 1;
  }
  const known = limits.length > 0 ? `, known limit: ${limits.join(', ')}` : '';
  const open = incomplete.length > 0 ? `, not explored to the end: ${incomplete.join(', ')}` : '';
  print('', `${names.length} scenarios, ${states} states, ${violations} violations${known}${open}`);
  return violations === 0 && incomplete.length === 0;
}

/** Whether each rule is needed that is not listed as one that no scenario needs. */
async function ablateRules(): Promise<boolean> {
  const names = chosenRules.length > 0 ? chosenRules : Object.keys(rules);
  const unneeded: string[] = [];
  let unexpected = 0;
  for (const name of names) {
    const isNeeded = await ablate(name, chosenRules.includes(name));
    if (isNeeded) continue;
    unneeded.push(name);
    if (rules[name]!.scenario !== undefined) unexpected += 1;
  }
  const others = unneeded.length > 0 ? `, not needed by a scenario: ${unneeded.join(', ')}` : '';
  print('', `${names.length} rules, ${names.length - unneeded.length} needed${others}`);
  return unexpected === 0;
}

/**
 * Whether a scenario fails without the rule. Failures are usually near the start, so few states of each scenario are
 * explored first, then more.
 */
async function ablate(name: string, hasTrace: boolean): Promise<boolean> {
  const { scenario: first } = rules[name]!;
  const all = Object.keys(scenarios).filter((each) => !scenarios[each]!.isKnownLimit);
  const open = new Set(chosenScenarios.length > 0 ? chosenScenarios : first ? [first, ...all] : all);
  await using process = withoutRule(name);
  const tried = first !== undefined && open.has(first) ? [[first, mostStates] as const] : [];
  const growing = [5_000, 50_000, mostStates].flatMap((bound) =>
    [...open].map((each) => [each, bound] as const),
  );
  for (const [scenario, bound] of [...tried, ...growing]) {
    if (!open.has(scenario)) continue;
    const result = await process.explore({ scenario, mostStates: bound });
    if (result.verdict === 'holds') open.delete(scenario);
    if (result.verdict !== 'fails') continue;
    print(`${name.padEnd(31)} ${scenario}: ${result.violation?.why}`);
    if (hasTrace) print(...traceOf(scenarios[scenario]!.situation, result));
    return true;
  }
  print(`${name.padEnd(31)} NO SCENARIO FAILS${open.size > 0 ? ` within ${mostStates} states` : ''}`);
  return false;
}

function describeResult({ verdict, states, violation }: Exploration): string {
  const words = { holds: 'holds', fails: 'FAILS', limit: 'has more states' } as const;
  return `${words[verdict]} ${String(states).padStart(7)} states${violation ? `: ${violation.why}` : ''}`;
}

function traceOf(situation: string, { violation }: Exploration): string[] {
  return [situation, ...(violation?.trace ?? [])].map((line) => `    ${line}`);
}
