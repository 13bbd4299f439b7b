import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { decodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { FancySQLInstance } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { difference } from '../../cluster/stack-harness.ts';
import { budgets } from '../budgets.ts';
import { createClaim, loaders, numbered, whenBound } from '../claims.ts';
import type { Cost } from '../cost.ts';
import { costFigures, listed, startCost } from '../cost.ts';
import type { Figure, Limit } from '../figures.ts';
import { figure } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import type { Usage } from '../meter.ts';
import { startMeter } from '../meter.ts';
import type { Scene, Stack } from '../scene.ts';
import { namespace } from '../scene.ts';
import { quantile, sum } from '../statistics.ts';

/** The time to bind claims that came at once. */
export interface AtOnce extends Usage {
  readonly claims: number;
  /** From sending the first claim to seeing the last one Bound. */
  readonly seconds: number;
  /** From sending the first claim to seeing the first one Bound. */
  readonly firstSeconds: number;
  /** From sending a claim to seeing it Bound, the median, as a share of `seconds`. */
  readonly p50Share: number;
  /** Writes of the stack by `VERB resource`, Events aside, until nothing more came. */
  readonly writes: Readonly<Record<string, number>>;
  readonly eventWrites: number;
  readonly conflicts: number;
  /** Until nothing more came. */
  readonly cost: Cost;
  /** Objects that were read one by one. */
  readonly reads: number;
  readonly externalCalls: number;
  /** Claims that have another number of managed resources than one. */
  readonly claimsNotOneToOne: number;
  /** Managed resources that have another number of external resources than one. */
  readonly managedNotOneToOne: number;
  /** Bound claims whose secret lacks a connection key, or has another password than the cloud. */
  readonly incompleteSecrets: number;
}

export async function bindAtOnce(
  scene: Scene,
  stack: Stack,
  { prefix, count, spec }: { prefix: string; count: number; spec: FancySQLInstance['spec'] },
): Promise<AtOnce> {
  const names = numbered(prefix, count);

  const requestsBefore = await scene.settledRequests();
  const callsBefore = scene.externalCalls();
  const bound = whenBound(scene, names);
  const spent = await startCost(scene, stack);
  const used = await startMeter(scene, stack.process.child.pid);
  const startedAtMs = performance.now();
  const sentAtMs = new Map<string, number>();
  await inTurns(count, loaders, (index) => {
    const name = names[index]!;
    sentAtMs.set(name, performance.now());
    return createClaim(scene, name, spec);
  });
  const boundAtMs = await bound;
  const firstAtMs = Math.min(...boundAtMs.values());
  const lastAtMs = Math.max(...boundAtMs.values());
  const usage = used();
  const delays = names.map((name) => boundAtMs.get(name)! - sentAtMs.get(name)!);
  const cost = await spent();
  const requests = await scene.settledRequests();
  const { 'POST fancysqlinstances': _ours, ...writes } = difference(requestsBefore.writes, requests.writes);
  return {
    claims: count,
    seconds: (lastAtMs - startedAtMs) / 1000,
    firstSeconds: (firstAtMs - startedAtMs) / 1000,
    p50Share: quantile(delays, 0.5) / (lastAtMs - startedAtMs),
    ...usage,
    cost,
    writes,
    eventWrites: requests.eventWrites - requestsBefore.eventWrites,
    conflicts: requests.conflicts - requestsBefore.conflicts,
    reads: requests.reads - requestsBefore.reads,
    externalCalls: scene.externalCalls() - callsBefore,
    ...wrongResources(scene, names),
  };
}

function wrongResources(
  { claims, managed, secrets, fixture }: Scene,
  names: readonly string[],
): Pick<AtOnce, 'claimsNotOneToOne' | 'managedNotOneToOne' | 'incompleteSecrets'> {
  const resources = managed.flatMap(({ store }) => store.all());
  const instances = [fixture.favourite, fixture.other].flatMap((cloud) => cloud.instances());
  const perClaim = Map.groupBy(resources, ({ spec }) => spec.claimRef?.uid);
  const perName = Map.groupBy(instances, ({ item }) => item.name);

  const isComplete = (name: string): boolean => {
    const claim = claims.get({ namespace, name });
    const details = decodeDetails(secrets.get({ namespace, name }));
    const [resource] = perClaim.get(claim?.metadata.uid) ?? [];
    const [instance] = perName.get((resource && externalName(resource)) ?? '') ?? [];
    return (
      ['endpoint', 'port', 'username', 'password'].every((key) => Boolean(details[key])) &&
      details.password === instance?.item.password
    );
  };
  const resourcesOf = (name: string) => perClaim.get(claims.get({ namespace, name })?.metadata.uid);
  return {
    claimsNotOneToOne: names.filter((name) => resourcesOf(name)?.length !== 1).length,
    managedNotOneToOne: resources.filter((each) => perName.get(externalName(each) ?? '')?.length !== 1)
      .length,
    incompleteSecrets: names.filter((name) => !isComplete(name)).length,
  };
}

/** The common part of both ways of choosing a class. */
export function atOnceFigures(how: string, writesLimit: Limit, run: AtOnce): readonly Figure[] {
  const { claims } = run;
  const writes = sum(Object.values(run.writes));
  const perClaim = (count: number): number => count / claims;
  return [
    figure(`${how}: writes per claim, creation to Bound with secret`, perClaim(writes), 'count', {
      limit: writesLimit,
      note: listed(run.writes, claims),
    }),
    figure(`${how}: writes of Events per claim`, perClaim(run.eventWrites), 'count', {
      limit: budgets.eventsPerClaim,
    }),
    figure(`${how}: conflicts per claim`, perClaim(run.conflicts), 'count'),
    figure(`${how}: reads per claim`, perClaim(run.reads), 'count', { limit: budgets.readsPerClaim }),
    figure(`${how}: external calls per claim`, perClaim(run.externalCalls), 'count'),
    figure(`${how}: claims without exactly one managed resource`, run.claimsNotOneToOne, 'count', {
      limit: budgets.none,
    }),
    figure(
      `${how}: managed resources without exactly one external resource`,
      run.managedNotOneToOne,
      'count',
      { limit: budgets.none },
    ),
    figure(`${how}: Bound claims with an incomplete secret`, run.incompleteSecrets, 'count', {
      limit: budgets.none,
    }),
    figure(`${how}: the first of ${claims} claims Bound after`, run.firstSeconds, 's', {
      limit: budgets.firstBoundSeconds,
    }),
    figure(`${how}: create to Bound, p50, as a share of the whole`, run.p50Share, '×', {
      limit: budgets.p50Share,
    }),
    figure(`${how}: time for each of ${claims} claims`, (run.seconds * 1000) / claims, 'ms'),
    ...costFigures(`${how}, a claim`, claims, run.cost),
    // The claims' own creations are among the writes.
    figure(`${how}: API server CPU for each write`, (run.apiServerSeconds * 1000) / (writes + claims), 'ms', {
      note: 'watches, reads and Events included',
    }),
  ];
}
