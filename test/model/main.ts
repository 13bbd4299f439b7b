/**
 * `npm run model [-- SCENARIO ...]`: explores the scenarios, and prints a shortest trace of each failure. With
 * `--ablate`, takes out each rule and each check of the product in turn, and prints the failure that it prevents. Ends with
 * 0 only if nothing but the known limits fails, or with `--ablate` if each one is needed that is not listed as unseen; with
 * 2 for a wrong argument.
 */
import sortBy from 'lodash/sortBy.js';
import { BadFlag } from '../../local/flags.ts';
import { parsedOrExit, readCommandLine } from '../../local/read-command-line.ts';
import type { Ablation } from './ablation.ts';
import { ablation } from './ablation.ts';
import { checks, unneededChecks } from './checks.ts';
import type { Exploration } from './explore.ts';
import { explore } from './explore.ts';
import { production } from './production.ts';
import { rules } from './rules.ts';
import { scenarios } from './scenarios.ts';

/** A scenario with more states is not explored to the end. */
const mostStates = 3_000_000;
/** Without a rule or check, so many states of each scenario are explored first. */
const fewStates = [300, 3_000];
const smallFirst = sortBy(
  Object.keys(scenarios).filter((each) => !scenarios[each]!.isKnownLimit),
  (each) => scenarios[each]!.acts.length ** scenarios[each]!.maxActs,
);

const usage = `npm run model [-- SCENARIO ...]
npm run model -- --ablate [RULE | CHECK ...] [SCENARIO ...]
flags:
  --ablate           take out each rule and check in turn; one that is named is shown with its trace
scenarios: ${Object.keys(scenarios).join(' ')}
rules: ${Object.keys(rules).join(' ')}
checks: ${checks.join(' ')}`;

const { isAblation, chosenScenarios, chosenNames } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      allowPositionals: true,
      options: { ablate: { type: 'boolean', default: false } },
    },
    read: ({ values: { ablate }, positionals }) => ({
      isAblation: ablate,
      chosenScenarios: positionals.filter((word) => word in scenarios),
      chosenNames: positionals.filter((word) => isRuleOrCheck(word, ablate)),
    }),
  }),
);
const print = (...lines: readonly string[]): void => {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
};

process.exitCode = (await (isAblation ? ablate() : exploreScenarios())) ? 0 : 1;

/** Throws BadFlag if the word is no scenario either. */
function isRuleOrCheck(word: string, isAblation: boolean): boolean {
  const isKnown = word in rules || checks.includes(word);
  if (!(word in scenarios) && !(isAblation && isKnown)) {
    throw new BadFlag(
      `${JSON.stringify(word)} is no scenario${isKnown ? ' (rules and checks need --ablate)' : ''}`,
    );
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

/** Whether each rule is needed, and each check that is not listed as unseen. */
async function ablate(): Promise<boolean> {
  const names = chosenNames.length > 0 ? chosenNames : [...checks, ...Object.keys(rules)];
  await using checkAblation = ablation();
  const unneeded: string[] = [];
  for (const name of names) {
    if (!(await (name in rules ? isRuleNeeded(name) : isNeeded(name, checkAblation)))) unneeded.push(name);
  }
  const others = unneeded.length > 0 ? `, not needed by a scenario: ${unneeded.join(', ')}` : '';
  print('', `${names.length} rules and checks, ${names.length - unneeded.length} needed${others}`);
  return unneeded.every((name) => name in unneededChecks);
}

async function isRuleNeeded(name: string): Promise<boolean> {
  await using process = ablation(name);
  return await isNeeded(name, process);
}

/**
 * Whether a scenario fails without the rule or check. Failures are usually near the start, so few states of each scenario
 * are explored first, then more. Small scenarios come first.
 */
async function isNeeded(name: string, process: Ablation): Promise<boolean> {
  const first = rules[name]?.scenario;
  const ablated = name in rules ? {} : { check: name };
  const open = new Set(
    chosenScenarios.length > 0 ? chosenScenarios : first ? [first, ...smallFirst] : smallFirst,
  );
  const tried = first !== undefined && open.has(first) ? [[first, mostStates] as const] : [];
  const bounds = name in unneededChecks ? fewStates : [...fewStates, 50_000, mostStates];
  const growing = bounds.flatMap((bound) => [...open].map((each) => [each, bound] as const));
  for (const [scenario, bound] of [...tried, ...growing]) {
    if (!open.has(scenario)) continue;
    const result = await process.explore({ scenario, mostStates: bound, ...ablated });
    if (result.verdict === 'holds') open.delete(scenario);
    if (result.verdict !== 'fails') continue;
    print(`${name.padEnd(37)} ${scenario}: ${result.violation?.why}`);
    if (chosenNames.includes(name)) print(...traceOf(scenarios[scenario]!.situation, result));
    return true;
  }
  print(`${name.padEnd(37)} NO SCENARIO FAILS${unneededChecks[name] ? `: ${unneededChecks[name]}` : ''}`);
  return false;
}

function describeResult({ verdict, states, violation }: Exploration): string {
  const words = { holds: 'holds', fails: 'FAILS', limit: 'has more states' } as const;
  return `${words[verdict]} ${String(states).padStart(7)} states${violation ? `: ${violation.why}` : ''}`;
}

function traceOf(situation: string, { violation }: Exploration): string[] {
  return [situation, ...(violation?.trace ?? [])].map((line) => `    ${line}`);
}
