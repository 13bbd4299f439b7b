import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { promtool as program } from '../../tools/offline/debian-program.ts';
import { objectOf, objectsOf } from './manifests.ts';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

interface PrometheusRule extends KubernetesObject {
  readonly spec: { readonly groups: readonly RuleGroup[] };
}

/** The groups of the PrometheusRule. */
export const ruleGroups = (): readonly RuleGroup[] =>
  objectOf<PrometheusRule>(objectsOf('deploy/optional'), 'PrometheusRule', 'services-stack').spec.groups;

const support = await program.support();

/** Why what needs promtool is left out; false: it is there. */
export const withoutPromtool: string | false = support.by === 'none' ? support.reason : false;

/** Runs promtool; answers its exit code and all that it says. */
export async function promtool(
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number | null; readonly output: string }> {
  if (support.by === 'none') throw new Error(support.reason);
  const child = spawn(support.path, args);
  child.stdin.end(input);
  const [out, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { code, output: `${out}${errors}`.trim() };
}

/** Samples of a series, one for each interval, in promtool's notation (`0 1x5`, `_` for none). */
export interface Series {
  readonly series: string;
  readonly values: string;
}

interface AlertsAt {
  readonly evalTime: string;
  /** The labels of the alerts that fire then, by alert; an alert that is left out does not fire. */
  readonly firing: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
}

export interface RuleTest {
  readonly groups: readonly RuleGroup[];
  readonly interval: string;
  readonly series: readonly Series[];
  readonly expected: readonly AlertsAt[];
}

/** A folder for the time of a test. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The report of promtool on rules by themselves, their annotations included. */
export const checkRules = (groups: readonly RuleGroup[]): ReturnType<typeof promtool> =>
  inFolder(async (folder) => {
    const file = join(folder, 'rules.yaml');
    await writeFile(file, JSON.stringify({ groups }));
    return promtool(['check', 'rules', '--lint-fatal', file]);
  });

/** The report of promtool on rules and series: nothing if exactly the expected alerts fire. */
export function testRules({ groups, interval, series, expected }: RuleTest): Promise<string> {
  // Annotations have values in them, which are not what this is about.
  const bare = groups.map(({ name, rules }) => ({
    name,
    rules: rules.map(({ annotations: _, ...rule }) => rule),
  }));
  const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const alerts = expected.flatMap(({ evalTime, firing }) =>
    names.map((alertname) => ({
      eval_time: evalTime,
      alertname,
      exp_alerts: (firing[alertname] ?? []).map((labels) => ({ exp_labels: labels })),
    })),
  );
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'rules.yaml'), JSON.stringify({ groups: bare }));
    const tests = [{ interval, input_series: series, alert_rule_test: alerts }];
    const file = join(folder, 'tests.yaml');
    await writeFile(
      file,
      JSON.stringify({ rule_files: ['rules.yaml'], evaluation_interval: interval, tests }),
    );
    const { code, output } = await promtool(['test', 'rules', file]);
    return code === 0 ? '' : output;
  });
}
