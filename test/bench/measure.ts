import { budgets, memoryLimit } from './budgets.ts';
import { deleteClaims } from './claims.ts';
import type { BenchOptions } from './command-line.ts';
import type { Figure } from './figures.ts';
import { figure } from './figures.ts';
import type { MinimalWrites } from './minimal-writes.ts';
import { minimalWrites, sampleClaim } from './minimal-writes.ts';
import type { PhaseName } from './phase-names.ts';
import type { AtOnce } from './phases/at-once.ts';
import { atOnceFigures, bindAtOnce } from './phases/at-once.ts';
import type { Deleted } from './phases/deletion.ts';
import { deletion } from './phases/deletion.ts';
import { image } from './phases/image.ts';
import { restartAndIdle } from './phases/restart.ts';
import { secretChange } from './phases/secret-change.ts';
import { simulation } from './phases/simulation.ts';
import { single } from './phases/single.ts';
import { startup } from './phases/startup.ts';
import { staticBinding } from './phases/static-binding.ts';
import { threeServices } from './phases/three-services.ts';
import { turns } from './phases/turns.ts';
import { memoryMiB, peakMemoryMiB } from './process-usage.ts';
import type { Scene, Stack } from './scene.ts';
import { classRef, classSelector } from './scene.ts';
import { mean } from './statistics.ts';

/** Phases that look at many bound claims, which `class-ref` makes. */
const withBoundClaims: readonly PhaseName[] = ['class-ref', 'secret', 'restart', 'idle', 'deletion'];
/** Phases whose times are compared with the minimal writes'. */
const compared: readonly PhaseName[] = ['class-ref', 'deletion', 'selector'];

/**
 * Measures what is asked for, on one control plane, each phase leaving it as empty as it was. The minimal writes are
 * measured first and last, because the machine may be slower at one end.
 */
export async function measure(
  scene: Scene,
  { claims: count, phases }: BenchOptions,
  note: (text: string) => void,
): Promise<readonly Figure[]> {
  const isWanted = (names: readonly PhaseName[]): boolean => names.some((name) => phases.has(name));
  const figures: Figure[] = [];
  const baselines: MinimalWrites[] = [];
  let byClassRef: AtOnce | undefined;
  let bySelector: AtOnce | undefined;
  let deleted: Deleted | undefined;

  const withStack = async (work: (stack: Stack) => Promise<void>): Promise<void> => {
    const stack = await scene.start();
    await work(stack);
    await stack.end();
  };

  if (phases.has('startup')) {
    note('startup');
    figures.push(...(await startup(scene)));
  }
  if (isWanted(['single', 'static'])) {
    await withStack(async (stack) => {
      note('one claim at a time');
      if (phases.has('single')) figures.push(...(await single(scene, stack)));
      note('static binding');
      if (phases.has('static')) figures.push(...(await staticBinding(scene)));
    });
  }

  let loadMinimalWrites = async (): Promise<void> => {};
  if (isWanted(compared)) {
    let sample: Awaited<ReturnType<typeof sampleClaim>> | undefined;
    await withStack(async () => {
      sample = await sampleClaim(scene);
    });
    loadMinimalWrites = async () => {
      note(`the minimal writes for ${count} claims, by hand`);
      baselines.push(await minimalWrites(scene, sample!, count));
    };
  }
  await loadMinimalWrites();

  if (isWanted(withBoundClaims)) {
    let emptyMiB = 0;
    await withStack(async (stack) => {
      emptyMiB = memoryMiB(stack.process.child.pid);
      note(`${count} claims with classRef at once`);
      byClassRef = await bindAtOnce(scene, stack, { prefix: 'direct', count, spec: { classRef } });
      const peak = peakMemoryMiB(stack.process.child.pid);
      if (phases.has('class-ref')) {
        figures.push(
          ...atOnceFigures('classRef', budgets.writesWithClassRef, byClassRef),
          figure(`classRef: peak memory of the process, ${count} claims`, peak, 'MiB', {
            limit: memoryLimit(count),
          }),
        );
      }
      if (phases.has('secret')) {
        note('changes of secrets');
        figures.push(...(await secretChange(scene, stack)));
      }
    });
    note('restart and idle');
    const { stack, memory, restart, idle } = await restartAndIdle(scene, phases.has('idle'));
    if (phases.has('restart')) {
      const perObject = (memory.MiB - emptyMiB) / memory.objects;
      figures.push(
        ...restart,
        figure(
          'memory of a process with 100,000 objects, by the slope',
          emptyMiB + 100_000 * perObject,
          'MiB',
          {
            note: `${Math.round(emptyMiB)} MiB without any, ${Math.round(memory.MiB)} MiB with ${memory.objects}, after a start`,
          },
        ),
      );
    }
    figures.push(...idle);
    await stack.end();
    // Another process than that of `idle`, whose polls would be counted.
    await withStack(async (deleting) => {
      note(`deletion of ${count} claims`);
      deleted = await deletion(scene, deleting);
      if (phases.has('deletion')) figures.push(...deleted.figures);
    });
  }
  if (phases.has('selector')) {
    await withStack(async (stack) => {
      note(`${count} claims with selector at once`);
      bySelector = await bindAtOnce(scene, stack, { prefix: 'selected', count, spec: { classSelector } });
      figures.push(...atOnceFigures('selector', budgets.writesWithSelector, bySelector));
      await deleteClaims(scene);
    });
  }
  if (phases.has('three-services')) {
    note(`${count} claims of a kind with three services at once`);
    figures.push(...(await threeServices(scene, count)));
  }
  if (phases.has('turns')) {
    note(`turns: claims of one team during ${count} of another`);
    figures.push(...(await turns(scene, count)));
  }
  if (phases.has('image')) {
    note(`the start of the image, and its memory with ${count} claims`);
    figures.push(...(await image(scene, count)));
  }
  await loadMinimalWrites();
  if (phases.has('simulation')) {
    note('the simulation');
    figures.push(...(await simulation()));
  }

  return [
    ...figures,
    ...comparisons({
      count,
      baselines,
      byClassRef: phases.has('class-ref') ? byClassRef : undefined,
      bySelector,
      deleted: phases.has('deletion') ? deleted : undefined,
    }),
  ];
}

interface Measured {
  readonly count: number;
  readonly baselines: readonly MinimalWrites[];
  readonly byClassRef: AtOnce | undefined;
  readonly bySelector: AtOnce | undefined;
  readonly deleted: Deleted | undefined;
}

/**
 * Seconds of the whole machine: what a time would have been, had others not used their share of it. Without them, or
 * where the system does not tell of them, the time itself.
 */
const ownSeconds = (seconds: number, othersShare: number): number =>
  seconds * (1 - (Number.isNaN(othersShare) ? 0 : othersShare));

const others = (share: number): string => `others used ${Math.round(share * 100)} % of the machine`;

/** The times of the big runs, beside what the fewest writes took. */
function comparisons(measured: Measured): readonly Figure[] {
  const { count, baselines, byClassRef, bySelector, deleted } = measured;
  if (baselines.length === 0) return [];
  const both = (of: keyof MinimalWrites, othersOf?: keyof MinimalWrites): string =>
    baselines
      .map((each) => `${each[of].toFixed(2)} s${othersOf ? ` (${others(each[othersOf])})` : ''}`)
      .join(', then ');
  const bindSeconds = mean(baselines.map((each) => each.bindSeconds));
  const removeSeconds = mean(baselines.map((each) => each.deleteSeconds));
  const ownBinding = mean(baselines.map((each) => ownSeconds(each.bindSeconds, each.othersBinding)));
  const ownRemoval = mean(baselines.map((each) => ownSeconds(each.deleteSeconds, each.othersDeleting)));
  const ratioOf = ({ seconds, others: share }: AtOnce): number => ownSeconds(seconds, share) / ownBinding;
  const apiServerSeconds = mean(baselines.map((each) => each.apiServerSeconds));
  const minimal = `minimal writes for ${count} claims by hand`;
  const timesOf = (run: AtOnce, how: string): readonly Figure[] => [
    figure(`${how}: ${count} claims at once, all Bound`, run.seconds, 's', { note: others(run.others) }),
    figure(`${how}: against the minimal writes`, ratioOf(run), '×', { limit: budgets.againstMinimalWrites }),
    figure(`${how}: API server CPU against the minimal writes`, run.apiServerSeconds / apiServerSeconds, '×'),
  ];

  const timesOfDeletion = (run: Deleted): readonly Figure[] => [
    figure(`${minimal}, deletion, 6 per claim`, removeSeconds, 's', {
      note: both('deleteSeconds', 'othersDeleting'),
    }),
    figure(`${count} claims deleted, all managed resources gone`, run.seconds, 's', {
      note: others(run.others),
    }),
    figure('deletion against the minimal writes', ownSeconds(run.seconds, run.others) / ownRemoval, '×'),
    figure(
      'deletion: API server CPU against the minimal writes',
      run.apiServerSeconds / mean(baselines.map((each) => each.apiServerDeletingSeconds)),
      '×',
    ),
  ];

  return [
    figure(`${minimal}, 8 per claim`, bindSeconds, 's', { note: both('bindSeconds', 'othersBinding') }),
    figure(`${minimal}, API server CPU`, apiServerSeconds, 's', { note: both('apiServerSeconds') }),
    ...(byClassRef === undefined ? [] : timesOf(byClassRef, 'classRef')),
    ...(bySelector === undefined ? [] : timesOf(bySelector, 'selector')),
    ...(deleted === undefined ? [] : timesOfDeletion(deleted)),
  ];
}
