import { Command, CommanderError, Option } from 'commander';
import uniq from 'lodash/uniq.js';
import type { LogFormat, LogLevel } from '../log/log.ts';
import type { BindAddress } from '../probes/serve-http.ts';
import type { FlagSpec, ProcessNames } from './flag-specs.ts';
import { flagSpecs } from './flag-specs.ts';

/** The checked flags of the process. A field is absent if the flag was not given and has no default. */
export interface Flags {
  /** Path of a kubeconfig file; absent: `$KUBECONFIG`, `~/.kube/config` or in-cluster. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig; absent: its current one. */
  readonly context?: string;
  readonly stacks: readonly string[];
  readonly installCrds: boolean;
  readonly takeDefinitions: boolean;
  readonly observeOnly: boolean;
  /** The namespaces whose claims are served; never empty; absent: all namespaces. */
  readonly namespaces?: readonly string[];
  /** The only namespaces whose Secrets are watched, read and written, including those of the claims; absent: all. */
  readonly secretNamespaces?: readonly string[];
  readonly pollIntervalMs: number;
  readonly syncPeriodMs: number;
  /** Per controller. */
  readonly maxConcurrentReconciles: number;
  /** Per provider. */
  readonly maxExternalCallsPerSecond: number;
  readonly leaderElect: boolean;
  /** The name of the Lease. */
  readonly leaderElectionId: string;
  /** Absent: the namespace of the pod, or crossplane-system outside of a pod. */
  readonly leaderElectionNamespace?: string;
  /** Absent: not served. */
  readonly metricsBindAddress?: BindAddress;
  /** Absent: not served. */
  readonly healthProbeBindAddress?: BindAddress;
  /** The address of the live page, with its host. Absent: not served. */
  readonly dashboardBindAddress?: BindAddress;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** Run with flags, or print a text on standard output and exit 0 (`--help`, `--version`). */
export type Invocation =
  | { readonly type: 'run'; readonly flags: Flags }
  | { readonly type: 'print'; readonly text: string };

/** An unknown flag or variable, or one with an invalid value. The message names it and the valid values. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
  /** The exit code of the process. */
  readonly exitCode = 2;
}

export interface FlagOptions extends ProcessNames {
  readonly version: string;
}

type Specs = ReturnType<typeof flagSpecs>;
type FlagName = keyof Specs;
type Values = { readonly [K in FlagName]: NonNullable<ReturnType<Specs[K]['parse']>> | undefined };

const prefix = 'SERVICES_STACK_';
const flagOf = ({ usage }: Pick<FlagSpec<unknown>, 'usage'>): string => usage.split(' ')[0] ?? usage;
/** `--poll-interval` → `SERVICES_STACK_POLL_INTERVAL`. */
const variableOf = (spec: Pick<FlagSpec<unknown>, 'usage'>): string =>
  prefix + flagOf(spec).slice(2).toUpperCase().replaceAll('-', '_');

/**
 * Variables that Kubernetes sets in every pod for each Service of the namespace (`enableServiceLinks`). A Service named
 * `services-stack…` gets variables with our prefix, which are not flags.
 */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$/;

/**
 * Reads flags from `argv` (without node and script), then from environment variables, then from defaults. The variable of
 * `--poll-interval` is `SERVICES_STACK_POLL_INTERVAL`; an empty variable counts as absent. Throws `FlagError`.
 */
export function parseFlags(argv: readonly string[], { version, ...names }: FlagOptions): Invocation {
  const specs = flagSpecs(names);
  const all: readonly FlagSpec<unknown>[] = Object.values(specs);
  const parsed = readArguments(argv, all, version);
  if (typeof parsed === 'string') return { type: 'print', text: parsed };

  const variables = all.map(variableOf);
  for (const [name, value] of Object.entries(process.env)) {
    if (!name.startsWith(prefix) || variables.includes(name) || !value || serviceLink.test(name)) continue;
    throw new FlagError(
      `unknown environment variable ${name}: unset it, or use one of ${variables.join(', ')}`,
    );
  }

  const values = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, checkedValue(spec, parsed[name])]),
  ) as Values;
  return { type: 'run', flags: flagsOf(values) };
}

/** The text of a value and its source: a flag or a variable. */
interface Given {
  readonly text: string;
  readonly source: string;
}

/** The given values by name, or a text to print instead of running. */
function readArguments(
  argv: readonly string[],
  specs: readonly FlagSpec<unknown>[],
  version: string,
): Readonly<Record<string, Given>> | string {
  const written: string[] = [];
  const command = new Command('services-stack')
    .description("Crossplane's claims, classes and binding as reactive Kubernetes controllers")
    .usage('[flags]')
    .version(version, '--version')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => written.push(text), writeErr: () => {} })
    .addHelpText(
      'after',
      `\nEach flag is also an environment variable: --poll-interval is ${prefix}POLL_INTERVAL.`,
    )
    .configureHelp({ optionDescription: ({ description }) => description });
  for (const spec of specs) {
    const shown = spec.default === '' ? spec.description : `${spec.description} (default ${spec.default})`;
    command.addOption(new Option(spec.usage, shown).env(variableOf(spec)));
  }
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return written.join('');
    const cause = error.message
      .replace(/^error: /, '')
      .replace(/\.?\n?$/, '')
      .replace('\n', ' ');
    const allowed = specs.find(({ usage }) => cause.includes(`'${usage}'`))?.allowed;
    throw new FlagError(
      allowed === undefined
        ? `${cause}: use one of ${specs.map(flagOf).join(', ')}`
        : `${cause}; it must be ${allowed}`,
      { cause: error },
    );
  }
  return Object.fromEntries(
    command.options.flatMap((option): [string, Given][] => {
      const name = option.attributeName();
      const text: unknown = command.getOptionValue(name);
      if (text === undefined) return [];
      const isVariable = command.getOptionValueSource(name) === 'env';
      const source = (isVariable ? option.envVar : option.long) ?? name;
      return [[name, { text: String(text), source }]]; // a flag without its optional argument is `true`
    }),
  );
}

/** The checked value of one flag; undefined if it is absent and has no default. */
function checkedValue(spec: FlagSpec<unknown>, given: Given | undefined): unknown {
  // An empty value counts as absent, for example a value that a manifest leaves open.
  const text = given?.text || spec.default;
  if (text === '') return undefined;
  const value = spec.parse(text);
  if (value !== undefined) return value;
  throw new FlagError(`${given?.source}: ${JSON.stringify(text)} is not allowed; it must be ${spec.allowed}`);
}

/** Throws `FlagError` without `--namespace`: then the Secrets of claims are in all namespaces. */
function secretsOf(namespaces: readonly string[] | undefined, others: readonly string[]): readonly string[] {
  if (namespaces !== undefined) return uniq([...namespaces, ...others]);
  throw new FlagError(
    '--secret-namespaces requires --namespace: the Secrets of claims are in the namespaces of the claims',
  );
}

/** Throws `FlagError` without `--install-crds`: then the process writes no definition. */
function takenOver(flags: { readonly takeDefinitions: boolean; readonly installCrds: boolean }): boolean {
  if (flags.installCrds || !flags.takeDefinitions) return flags.takeDefinitions;
  throw new FlagError('--take-definitions requires --install-crds, which installs definitions');
}

/** The values under the names, and with the units, that the process uses. */
function flagsOf(values: Values): Flags {
  const { kubeconfig, context, namespace: namespaces, secretNamespaces, leaderElectionNamespace } = values;
  const { metricsBindAddress, healthProbeBindAddress, dashboardBindAddress } = values;
  // All other flags have defaults.
  const rest = values as { readonly [K in FlagName]: NonNullable<Values[K]> };
  return {
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    stacks: rest.stacks,
    installCrds: rest.installCrds,
    takeDefinitions: takenOver(rest),
    observeOnly: rest.observeOnly,
    ...(namespaces !== undefined && { namespaces }),
    ...(secretNamespaces !== undefined && { secretNamespaces: secretsOf(namespaces, secretNamespaces) }),
    pollIntervalMs: rest.pollInterval,
    syncPeriodMs: rest.syncPeriod,
    maxConcurrentReconciles: rest.maxConcurrentReconciles,
    maxExternalCallsPerSecond: rest.maxExternalCallsPerSecond,
    leaderElect: rest.leaderElect,
    leaderElectionId: rest.leaderElectionId,
    ...(leaderElectionNamespace !== undefined && { leaderElectionNamespace }),
    ...(metricsBindAddress && metricsBindAddress !== 'disabled' && { metricsBindAddress }),
    ...(healthProbeBindAddress && healthProbeBindAddress !== 'disabled' && { healthProbeBindAddress }),
    ...(dashboardBindAddress && dashboardBindAddress !== 'disabled' && { dashboardBindAddress }),
    logLevel: rest.logLevel,
    logFormat: rest.logFormat,
  };
}
