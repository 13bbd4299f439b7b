/**
 * `npm run demo [-- --once]`: the whole product on this machine. Applies the examples and shows the acts of the controllers
 * and the claims. Then it checks that every claim of the examples can be used, prints instructions, and says nothing more
 * until Ctrl-C, or until the controllers end, which is an error. With `--once` it takes everything down after the check and
 * exits 0, or 1 with the problems.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Observable, Subscription } from 'rxjs';
import { filter, firstValueFrom, map, shareReplay, timeout } from 'rxjs';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import { decodeDetails, SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { GraphNode } from '../dashboard/page/wire.ts';
import { parsedOrExit, readCommandLine } from '../local/read-command-line.ts';
import { stopRequest } from '../local/stop-request.ts';
import { actLine } from '../local/terminal/act-line.ts';
import type { Nodes } from '../local/terminal/claims-table.ts';
import { claimsTable } from '../local/terminal/claims-table.ts';
import { feedOf } from '../local/terminal/feed.ts';
import { createStage } from '../local/terminal/stage.ts';
import { textProgress } from '../local/text-progress.ts';
import { kubernetesClient } from '../runtime/client/http-kubernetes-client.ts';
import { readKubeConfig } from '../runtime/client/kube-config.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import { createLogger } from '../runtime/log/log.ts';
import { realClock } from '../runtime/time/clock.ts';
import { claimKinds, describeClaim, isSettled, isShownSettled, isUsable } from './claims.ts';
import { lastLines } from './last-lines.ts';
import { exampleManifests } from './manifests.ts';
import type { Services } from './services.ts';
import { startServices } from './services.ts';
import { hasPsql, mysqlLine, problemOf, psqlLine, redisLine } from './usability.ts';
import { versionsOf } from './versions.ts';
import { experiments, picture } from './words.ts';

const settlingMs = 90_000;
const stage = createStage(process.stdout);
const { paint } = stage;
/** Nothing may follow the last words. */
let isEnding = false;
const say = (...lines: readonly string[]): void => {
  if (!isEnding) stage.say(...lines);
};
/** Nothing may follow the instructions while everything works. */
let isQuiet = false;
const progress = textProgress({
  prefix: 'demo:',
  write: (line) => {
    if (!isQuiet) say(line);
  },
});

const usage = `flags:
  --once             checks that every claim of the examples can be used, takes everything down, and ends`;
const { once: isOnce } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: { options: { once: { type: 'boolean', default: false } } },
    read: ({ values }) => values,
  }),
);
const stopped = stopRequest();
let services: Services | undefined;
/** The subscription that updates the display. */
let shown: Subscription | undefined;
const end = async (code: number): Promise<never> => {
  isEnding = true;
  shown?.unsubscribe();
  await services?.stop();
  process.exit(code);
};
void stopped.then(() => {
  shown?.unsubscribe();
  say('', 'Goodbye: the controllers, the clouds and the databases are stopped, and their data is deleted.');
  return end(isOnce ? 1 : 0);
});

try {
  services = await startServices(progress);
  if (!isOnce) progress.note(`watch it live: ${services.pageUrl}`);
  const death = deathOfControllers(services);
  await Promise.race([demonstrate(services), death]);
  if (isOnce) await end(0);
  await death;
} catch (error) {
  if (isEnding) await new Promise(() => {}); // a failure while everything ends is expected
  isQuiet = false;
  progress.note(error instanceof Error ? error.message : String(error));
  if (services !== undefined) {
    const last = lastLines(readFileSync(services.logFile, 'utf8'));
    say(...(last.length === 0 ? ['The controllers said nothing.'] : ['The controllers said last:', ...last]));
  }
  await end(1);
}

async function demonstrate(running: Services): Promise<void> {
  const { controlPlane } = running;
  const kubeConfig = await readKubeConfig({
    path: controlPlane.kubeconfigPath,
    environment: process.env,
    clock: realClock(),
  });
  const log = createLogger({ level: 'error', format: 'pretty', clock: realClock() });
  const client = kubernetesClient({ kubeConfig, log, clock: realClock() });
  say('', paint('dim', await versionsOf(client, running)), '', ...picture(paint), '');
  const nodes$ = showFeed(running.pageUrl);
  await progress.step('apply examples/', () =>
    controlPlane.kubectl(['apply', '-f', '-'], exampleManifests(running)),
  );
  await untilSettled(client, nodes$);
  // The instructions come last: later acts of the controllers and notes of the emulators are not printed.
  shown?.unsubscribe();
  isQuiet = true;
  stage.settle();
  await showUsable(client, await claimsOf(client), running);
}

/** Shows the acts of the controllers and the claims, from now on. Emits the objects after each change. */
function showFeed(pageUrl: string): Observable<Nodes> {
  const nodes = new Map<string, GraphNode>();
  const beganMs = performance.now();
  const nodes$ = feedOf(pageUrl).pipe(
    map((batch): Nodes => {
      for (const node of batch.nodes) nodes.set(node.id, node);
      for (const id of batch.deleted) nodes.delete(id);
      // Acts come first: the table then never shows the effect of an act that is not shown yet.
      say(...batch.events.map((event) => actLine(event, performance.now() - beganMs, paint)));
      if (!isEnding) stage.show(claimsTable(nodes, { paint, width: stage.width() }));
      return nodes;
    }),
    shareReplay({ bufferSize: 1, refCount: true }),
  );
  shown = nodes$.subscribe();
  return nodes$;
}

async function claimsOf(client: KubernetesClient): Promise<readonly Claim[]> {
  const pages = await Promise.all(claimKinds.map((kind) => client.list<Claim>(kind, {})));
  return pages.flatMap(({ items }) => items);
}

/** Throws an Error that names the claims that do not have the state that their example wants, after a time limit. */
async function untilSettled(client: KubernetesClient, nodes$: Observable<Nodes>): Promise<void> {
  const applied = await claimsOf(client);
  const settled$ = nodes$.pipe(filter((nodes) => applied.every((claim) => isShownSettled(nodes, claim))));
  try {
    await firstValueFrom(settled$.pipe(timeout({ first: settlingMs })));
  } catch {
    const unsettled = (await claimsOf(client)).filter((claim) => !isSettled(claim));
    throw new Error(
      `not every claim got what it asked for:\n${unsettled.map((claim) => `  ${describeClaim(claim)}`).join('\n')}`,
    );
  }
}

/** Rejects if the controllers end, which they must not do by themselves. Never resolves. */
async function deathOfControllers({ controllers }: Services): Promise<never> {
  const [code, signal] = (await once(controllers, 'exit')) as [number | null, string | null];
  if (isEnding) return new Promise(() => {});
  throw new Error(`the controllers ended by themselves, with ${signal ?? `code ${code}`}`);
}

/** Tries each claim's Secret, and prints its content and the next steps. */
async function showUsable(
  client: KubernetesClient,
  claims: readonly Claim[],
  running: Services,
): Promise<void> {
  const problems: string[] = [];
  say('', 'Each bound claim has a secret beside it:');
  for (const claim of claims.filter(isUsable)) {
    const { namespace = '' } = claim.metadata;
    const name = claim.spec.writeConnectionSecretToRef?.name;
    if (name === undefined) continue;
    const details = decodeDetails(await client.get(SecretKind, { namespace, name }));
    say(`  ${namespace}/${name}: ${Object.keys(details).toSorted().join(', ')}`);
    const problem = await problemOf(claim, details, running);
    if (problem !== undefined) problems.push(`  ${describeClaim(claim)}: ${problem}`);
  }
  for (const claim of claims.filter((each) => !isUsable(each))) say('', describeClaim(claim));
  if (problems.length > 0) throw new Error(`not every claim can be used:\n${problems.join('\n')}`);
  say('', paint('bold', `Checked: all ${claims.filter(isUsable).length} bound claims can be used.`));
  if (!isOnce) await showNextSteps(claims, running);
}

async function showNextSteps(claims: readonly Claim[], running: Services): Promise<void> {
  const { controlPlane, logFile, pageUrl, kubectl, mariadb, redis } = running;
  const databases = claims.filter((claim) => claim.kind === 'PostgreSQLInstance' && isUsable(claim));
  const own = databases.find(({ spec }) => spec.resourceRef?.kind === 'PostgreSQLDatabase');
  const rdsDatabase = databases.find(({ spec }) => spec.resourceRef?.kind === 'RDSInstance');
  const mysql = claims.find((claim) => claim.kind === 'MySQLInstance' && isUsable(claim));
  const cache = claims.find((claim) => claim.kind === 'RedisCluster' && isUsable(claim));
  const trials = experiments({
    kubectl,
    claim: {
      namespace: own?.metadata.namespace ?? '',
      secret: own?.spec.writeConnectionSecretToRef?.name ?? '',
    },
    google: {
      url: running.google.url,
      claim: `RedisCluster ${cache?.metadata.namespace ?? ''}/${cache?.metadata.name ?? ''}`,
    },
  });
  say(
    '',
    paint('bold', 'Go on in another terminal:'),
    '',
    `  export KUBECONFIG=${controlPlane.kubeconfigPath}`,
    `  ${kubectl} get claims -A`,
    `  ${kubectl} get managed`,
    `  ${kubectl} get classes`,
    `  ${kubectl} -n team-blog describe fancysqlinstance dreams`,
    ...[own, rdsDatabase].flatMap((claim) => (claim === undefined ? [] : [`  ${psqlLine(claim, kubectl)}`])),
    ...(mysql === undefined || mariadb.by === 'none'
      ? []
      : [`  ${mysqlLine(mysql, { kubectl, client: mariadb.client })}`]),
    ...(cache === undefined || redis.by === 'none'
      ? []
      : [`  ${redisLine(cache, { kubectl, cli: redis.cli })}`]),
    ...((await hasPsql())
      ? []
      : ['  (psql is not on this machine: install a PostgreSQL client for that line)']),
    '',
    paint('bold', `Three things to try there. You see their effects at ${pageUrl}`),
    ...trials.flatMap(({ title, lines, see }, i) => [
      '',
      `${i + 1}. ${title}: ${see}.`,
      ...lines.map((line) => `  ${line}`),
    ]),
    '',
    `The controllers log to ${logFile}. Ctrl-C ends everything.`,
    '',
  );
}
