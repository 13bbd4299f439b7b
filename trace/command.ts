import { styleText } from 'node:util';
import type { KubeConfig } from '@kubernetes/client-node';
import { Command, CommanderError } from 'commander';
import type { Observable } from 'rxjs';
import { distinctUntilChanged, exhaustMap, lastValueFrom, map, takeUntil, timer } from 'rxjs';
import type { ObjectKey } from '../apis/core/v1alpha1/kind.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { apiErrorIn, messageOf } from '../runtime/client/errors.ts';
import { kubernetesClient } from '../runtime/client/http-kubernetes-client.ts';
import { readKubeConfig } from '../runtime/client/kube-config.ts';
import { KubeConfigError } from '../runtime/client/kube-config-entries.ts';
import { createLogger } from '../runtime/log/log.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { KnownKind } from './catalogue.ts';
import { catalogueOf, UnknownKind } from './catalogue.ts';
import type { Findings } from './model/findings.ts';
import { traceOf } from './model/trace-of.ts';
import { apiSource } from './read/api-source.ts';
import { collect } from './read/collect.ts';
import type { Tone } from './show/text.ts';
import { traceText } from './show/text.ts';

/** `nothingFound`: a wrong flag or kind, no such object, no cluster. */
export const exitCodes = { usable: 0, unusable: 1, nothingFound: 2 } as const;

export interface TraceWorld {
  readonly stacks: readonly DefinedStack[];
  readonly clock: Clock;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>;
  /** Ends a watch. */
  readonly stop$: Observable<unknown>;
}

/** A wrong flag or argument, or no cluster; the message is one sentence. */
class BadInput extends Error {
  override readonly name = 'BadInput';
}

interface Flags {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly lease: string;
  readonly output: string;
  readonly verbose: boolean;
  readonly watch: boolean;
}

interface TraceRequest extends Omit<Flags, 'lease'> {
  readonly kind: string;
  readonly name: string;
  readonly lease: { readonly namespace: string; readonly name: string };
}

const watchPeriodMs = 2_000;

/** Runs `trace` with these arguments and returns the exit code. */
export async function runTrace(argv: readonly string[], world: TraceWorld): Promise<number> {
  try {
    const request = requestIn(argv, world);
    return request === 'helped' ? exitCodes.usable : await trace(request, world);
  } catch (error) {
    if (!(error instanceof BadInput || error instanceof UnknownKind)) throw error;
    world.stderr.write(`${error.message}\n`);
    return exitCodes.nothingFound;
  }
}

function requestIn(argv: readonly string[], { stdout }: TraceWorld): TraceRequest | 'helped' {
  const parsed: { found?: TraceRequest } = {};
  const command = new Command('trace')
    .description('Why a claim, managed resource, class or ProviderConfig can be used, or cannot')
    .usage('<kind> <name> [flags], or <kind>/<name>')
    .argument('<kind>', 'plural, singular, short name or kind, with or without its group')
    .argument('[name]')
    .option('-n, --namespace <name>', 'of a claim; default: that of the kubeconfig')
    .option('--kubeconfig <path>', 'default: $KUBECONFIG, ~/.kube/config or in-cluster')
    .option('--context <name>', 'of the kubeconfig; default: its current one')
    .option(
      '--lease <namespace/name>',
      'of the leader election of the controllers',
      'crossplane-system/services-stack',
    )
    .option('-o, --output <format>', 'text or json', 'text')
    .option('-v, --verbose', 'show the whole chain, its conditions and the Events', false)
    .option('-w, --watch', 'continue, and show changes', false)
    .addHelpText(
      'after',
      '\nThe exit code is 0 if you can use the object, 1 if not, and 2 without an answer.',
    )
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => {} })
    .action((kind: string, name: string | undefined, { lease, ...flags }: Flags) => {
      const [word = '', after] = name === undefined ? kind.split(/\/(.*)/) : [kind];
      const wanted = name ?? after;
      if (!wanted)
        throw new BadInput(`${JSON.stringify(kind)} of what name? trace <kind> <name> [-n <namespace>]`);
      if (!['text', 'json'].includes(flags.output))
        throw new BadInput(
          `--output: ${JSON.stringify(flags.output)} is not allowed; it must be text or json`,
        );
      parsed.found = { ...flags, kind: word, name: wanted, lease: leaseIn(lease) };
    });
  try {
    // kubectl also takes `-n=name`, which commander would read as the value `=name`.
    command.parse(
      argv.map((word) => word.replace(/^(-[no])=/, '$1')),
      { from: 'user' },
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'helped';
    const usage = 'trace <kind> <name> [-n <namespace>]; --help lists every flag';
    throw new BadInput(`${error.message.replace(/^error: /, '')}: ${usage}`, { cause: error });
  }
  return parsed.found!;
}

function leaseIn(text: string): TraceRequest['lease'] {
  const [namespace, name, ...rest] = text.split('/');
  if (namespace && name && rest.length === 0) return { namespace, name };
  throw new BadInput(`--lease: ${JSON.stringify(text)} is not allowed; it must be <namespace>/<name>`);
}

async function trace(request: TraceRequest, world: TraceWorld): Promise<number> {
  const { clock, stacks, stop$ } = world;
  const catalogue = catalogueOf(stacks);
  const known = catalogue.named(request.kind);
  const kubeConfig = await kubeConfigOf(request, clock);
  const subject = { known, key: keyOf(request, known, kubeConfig) };
  const client = kubernetesClient({ kubeConfig, log: silentLog(clock), clock });
  const options = { catalogue, source: apiSource(client), clock, lease: request.lease };
  const look = (): Promise<Findings> => collect(options, subject).catch(refuse(kubeConfig));
  try {
    if (!request.watch) return show(await look(), request, world);
    const findings$ = timer(0, watchPeriodMs, clock.scheduler).pipe(takeUntil(stop$), exhaustMap(look));
    return await lastValueFrom(shown$(findings$, request, world), { defaultValue: exitCodes.nothingFound });
  } finally {
    await client.close();
  }
}

/** On a terminal the text is updated in place; otherwise it is printed after a change. */
function shown$(
  findings$: Observable<Findings>,
  request: TraceRequest,
  world: TraceWorld,
): Observable<number> {
  const isInPlace = request.output === 'text' && world.stdout.isTTY;
  const isSame = (a: Findings, b: Findings) => !isInPlace && fingerprint(a) === fingerprint(b);
  return findings$.pipe(
    distinctUntilChanged(isSame),
    map((findings) => {
      if (isInPlace) world.stdout.write('\u001b[H\u001b[2J\u001b[3J');
      return show(findings, request, world);
    }),
  );
}

/** Equal for equal objects at different times. */
const fingerprint = ({ lease: _lease, now: _now, runs: _runs, services: _s, ...found }: Findings): string =>
  JSON.stringify(found, (key, value: unknown) =>
    ['managedService', 'service', 'kindOf', 'known'].includes(key) ? undefined : value,
  );

/** Returns the exit code. */
function show(findings: Findings, request: TraceRequest, { stdout, stderr }: TraceWorld): number {
  const { output, kind, name, verbose: isVerbose } = request;
  const report = traceOf(findings);
  if (output === 'json') stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  else if (report.verdict === 'absent' || report.verdict === 'withheld') {
    const why = report.verdict === 'absent' ? 'does not exist' : 'may not be read with your rights';
    stderr.write([`${report.subject} ${why} (${kind} ${name})`, ...(report.hints ?? []), ''].join('\n'));
  } else {
    const width = Math.max(stdout.columns ?? 100, 40);
    stdout.write(traceText(report, { width, now: findings.now, isVerbose, paint: painter(stdout) }));
  }
  if (report.verdict === 'absent' || report.verdict === 'withheld') return exitCodes.nothingFound;
  return report.isUsable ? exitCodes.usable : exitCodes.unusable;
}

const colours = { good: 'green', bad: 'red', wait: 'yellow', faint: 'dim', strong: 'bold' } as const;

/** In colours if the stream supports them and NO_COLOR is not set. */
const painter =
  (stream: NodeJS.WriteStream) =>
  (tone: Tone, text: string): string =>
    styleText(colours[tone], text, { stream });

/** The command prints failures itself. */
const silentLog = (clock: Clock) =>
  createLogger({ level: 'error', format: 'pretty', clock, write: () => {} });

/** An error of the client as one sentence. */
const refuse =
  (kubeConfig: KubeConfig) =>
  (error: unknown): never => {
    if (apiErrorIn(error) === undefined) throw error;
    const server = kubeConfig.getCurrentCluster()?.server;
    throw new BadInput(`cannot read from ${server}: ${messageOf(error)}`, { cause: error });
  };

async function kubeConfigOf({ kubeconfig: path, context }: TraceRequest, clock: Clock): Promise<KubeConfig> {
  try {
    // An empty value is an absent one, as for kubectl.
    const chosen = { path: path || undefined, context: context || undefined };
    return await readKubeConfig({ ...chosen, environment: process.env, clock });
  } catch (error) {
    if (!(error instanceof KubeConfigError)) throw error;
    throw new BadInput(`${error.place}: ${error.message}`, { cause: error });
  }
}

function keyOf({ name, namespace }: TraceRequest, { kind }: KnownKind, kubeConfig: KubeConfig): ObjectKey {
  if (kind.scope === 'Cluster') return { name };
  const own = kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace;
  return { namespace: namespace || own || 'default', name };
}
