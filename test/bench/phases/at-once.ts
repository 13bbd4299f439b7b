import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { decodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { difference } from '../../cluster/stack-harness.ts';
import { budgets } from '../budgets.ts';
import { createClaim, loaders, numbered, whenBound } from '../claims.ts';
import type { Figure, Limit } from '../figures.ts';
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
  {
    prefix,
    count,
    spec,
  }: { readonly prefix: string; readonly count: number; readonly spec: FancySQLInstance['spec'] },
): Promise<AtOnce> {
  const names = numbered(prefix, count);

  const requestsBefore = await scene.settledRequests();
  const callsBefore = scene.externalCalls();
  const bound = whenBound(scene, names);
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
  const requests = await scene.settledRequests();
  const { 'POST fancysqlinstances': _ours, ...writes } = difference(requestsBefore.writes, requests.writes);
  return {
    claims: count,
    seconds: (lastAtMs - startedAtMs) / 1000,
    firstSeconds: (firstAtMs - startedAtMs) / 1000,
    p50Share:
      quantile(
        names.map((name) => boundAtMs.get(name)! - sentAtMs.get(name)!),
        0.5,
      ) /
      (lastAtMs - startedAtMs),
    ...usage,
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
  return {
    claimsNotOneToOne: names.filter(
      (name) => perClaim.get(claims.get({ namespace, name })?.metadata.uid)?.length !== 1,
    ).length,
    managedNotOneToOne: resources.filter(
      (resource) => perName.get(externalName(resource) ?? '')?.length !== 1,
    ).length,
    incompleteSecrets: names.filter((name) => !isComplete(name)).length,
  };
}

/** The common part of both ways of choosing a class. */
export function atOnceFigures(how: string, writesLimit: Limit, run: AtOnce): readonly Figure[] {
  const { claims } = run;
  const perClaim = (count: number): number => count / claims;
  const kinds = Object.entries(run.writes)
    .toSorted()
    .map(([kind, count]) => `${kind} ${Number(perClaim(count).toFixed(2))}`);
  return [
    {
      name: `${how}: writes per claim, creation to Bound with secret`,
      value: perClaim(sum(Object.values(run.writes))),
      unit: 'count',
      limit: writesLimit,
      note: kinds.join(', '),
    },
    { name: `${how}: writes of Events per claim`, value: perClaim(run.eventWrites), unit: 'count' },
    { name: `${how}: conflicts per claim`, value: perClaim(run.conflicts), unit: 'count' },
    { name: `${how}: reads per claim`, value: perClaim(run.reads), unit: 'count' },
    { name: `${how}: external calls per claim`, value: perClaim(run.externalCalls), unit: 'count' },
    {
      name: `${how}: claims without exactly one managed resource`,
      value: run.claimsNotOneToOne,
      unit: 'count',
      limit: budgets.none,
    },
    {
      name: `${how}: managed resources without exactly one external resource`,
      value: run.managedNotOneToOne,
      unit: 'count',
      limit: budgets.none,
    },
    {
      name: `${how}: Bound claims with an incomplete secret`,
      value: run.incompleteSecrets,
      unit: 'count',
      limit: budgets.none,
    },
    {
      name: `${how}: the first of ${claims} claims Bound after`,
      value: run.firstSeconds,
      unit: 's',
      limit: budgets.firstBoundSeconds,
    },
    {
      name: `${how}: create to Bound, p50, as a share of the whole`,
      value: run.p50Share,
      unit: '×',
      limit: budgets.p50Share,
    },
    { name: `${how}: time for each of ${claims} claims`, value: (run.seconds * 1000) / claims, unit: 'ms' },
    {
      name: `${how}: process CPU for ${claims} claims`,
      value: run.stackSeconds,
      unit: 's',
    },
    {
      name: `${how}: API server CPU for ${claims} claims`,
      value: run.apiServerSeconds,
      unit: 's',
    },
    {
      name: `${how}: API server CPU for each write`,
      // The claims' own creations are among them.
      value: (run.apiServerSeconds * 1000) / (sum(Object.values(run.writes)) + claims),
      unit: 'ms',
      note: 'watches, reads and Events included',
    },
  ];
}
