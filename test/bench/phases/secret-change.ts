import { filter, mergeMap } from 'rxjs';
import type { ObjectKey } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationSource, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import { difference } from '../../cluster/stack-harness.ts';
import { arrivals } from '../arrivals.ts';
import { budgets } from '../budgets.ts';
import { loaders } from '../claims.ts';
import { costFigures, startCost } from '../cost.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import type { Scene, Stack } from '../scene.ts';
import { namespace } from '../scene.ts';
import { quantile, sum } from '../statistics.ts';

const most = 100;
/** So often all are changed at once: one such burst alone says little. */
const rounds = 5;
const key = 'changed';

/** A secret, and the one that it is to be copied from. */
interface Pair {
  readonly source: ObjectKey;
  readonly target: ObjectKey;
}

/** Milliseconds from sending a change of a source to seeing it in its target. */
interface Delays {
  readonly alone: readonly number[];
  /** Of all changed at once, each from sending its own. */
  readonly together: readonly number[];
}

/**
 * A key is added to managed resources' connection Secrets: from sending each change to seeing it in the
 * claim's Secret. There must be bound claims. The same is done by hand, with the same number of Secrets
 * without owner, which this process copies as soon as its watch shows them: no watching process can do less.
 */
export async function secretChange(scene: Scene, stack: Stack): Promise<readonly Figure[]> {
  const pairs = scene.secrets.all().flatMap((secret): readonly Pair[] => {
    const source = propagationSource(secret);
    const isTarget = secret.metadata.namespace === namespace && source !== undefined;
    return isTarget ? [{ source, target: objectKey(secret.metadata) }] : [];
  });
  const changing = pairs.slice(0, most);
  const count = changing.length;
  await byHand(scene, count); // opens the connections, which takes longer than the changes
  const floor = await byHand(scene, count);
  const before = await scene.settledRequests();
  const spent = await startCost(scene, stack);
  const measured = await delays(scene, changing);
  const cost = await spent();
  const after = await scene.settledRequests();
  const changes = count * (1 + rounds);
  const writes = sum(Object.values(difference(before.writes, after.writes))) - changes;

  const name = "secret change to claim's secret";
  const p95 = { alone: quantile(measured.alone, 0.95), together: quantile(measured.together, 0.95) };
  return [
    figure(`${name}, one at a time, p50`, quantile(measured.alone, 0.5), 'ms'),
    figure(`${name}, one at a time, p95`, p95.alone, 'ms', {
      limit: budgets.secretP95Ms,
      note: `of ${count}`,
    }),
    figure(
      `${name}, one at a time, p95 against copies by hand`,
      p95.alone / quantile(floor.alone, 0.95),
      '×',
    ),
    figure(`${name}, ${count} at once, p95`, p95.together, 'ms', {
      limit: budgets.secretsAtOnceP95Ms,
      note: `each from its own, ${rounds} times`,
    }),
    figure(
      `${name}, ${count} at once, p95 against copies by hand`,
      p95.together / quantile(floor.together, 0.95),
      '×',
    ),
    figure(`${name}: writes for each`, writes / changes, 'count', { limit: budgets.writesPerSecretChange }),
    ...costFigures(name, changes, cost),
    figure(`${name}: conflicts`, after.conflicts - before.conflicts, 'count', { limit: budgets.none }),
  ];
}

/** Changes each source alone, and then all of them at once, several times. */
async function delays(scene: Scene, pairs: readonly Pair[]): Promise<Delays> {
  const change = async ({ source }: Pair, value: string): Promise<void> => {
    await scene.bare.patch(SecretKind, source, { data: { [key]: encoded(value) } });
  };
  const alone: number[] = [];
  for (const [index, pair] of pairs.entries()) {
    const value = `alone-${index}`;
    const arrived = arrivals(scene.secrets, 'the change arrives', 1, arrivalIn([pair], value));
    const sentAtMs = performance.now();
    await change(pair, value);
    for (const arrivedAtMs of (await arrived).values()) alone.push(arrivedAtMs - sentAtMs);
  }
  const together: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const value = `together-${round}`;
    const arrived = arrivals(scene.secrets, 'the changes arrive', pairs.length, arrivalIn(pairs, value));
    const sentAtMs = new Map<string, number>();
    await inTurns(pairs.length, pairs.length, async (index) => {
      const pair = pairs[index]!;
      sentAtMs.set(pair.target.name, performance.now());
      await change(pair, value);
    });
    for (const [name, arrivedAtMs] of await arrived) together.push(arrivedAtMs - sentAtMs.get(name)!);
    await scene.settledRequests();
  }
  return { alone, together };
}

/** The same delays where this process copies what its watch shows, and decides nothing. */
async function byHand(scene: Scene, count: number): Promise<Delays> {
  const pairs = Array.from({ length: count }, (_, index): Pair => {
    const name = `by-hand-${index}`;
    return { source: { namespace, name: `${name}-source` }, target: { namespace, name } };
  });
  const all = pairs.flatMap(({ source, target }) => [source, target]);
  const targets = new Map(pairs.map(({ source, target }) => [source.name, target]));
  await inTurns(all.length, loaders, (index) =>
    scene.bare.create(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      type: connectionSecretType,
      metadata: { ...all[index]! },
    }),
  );
  const copying = scene.secrets.changes$
    .pipe(
      filter(({ type, object }) => type !== 'deleted' && object.data?.[key] !== undefined),
      mergeMap(async ({ object: { metadata, data } }) => {
        const target = targets.get(metadata.name ?? '');
        if (target !== undefined)
          await scene.bare.patch(SecretKind, target, { data: { [key]: data![key]! } });
      }),
    )
    .subscribe();
  try {
    return await delays(scene, pairs);
  } finally {
    copying.unsubscribe();
    await inTurns(all.length, loaders, (index) => scene.bare.delete(SecretKind, all[index]!));
  }
}

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** The target that has a value now. */
function arrivalIn(pairs: readonly Pair[], value: string): (change: Change<Secret>) => string | undefined {
  const names = new Set(pairs.map(({ target }) => target.name));
  return ({ type, object: { metadata, data } }) =>
    type !== 'deleted' &&
    metadata.namespace === namespace &&
    names.has(metadata.name ?? '') &&
    data?.[key] === encoded(value)
      ? metadata.name
      : undefined;
}
