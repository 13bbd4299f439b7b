import { arrivals } from '../arrivals.ts';
import { budgets } from '../budgets.ts';
import { createClaim, deleteClaims, whenBound } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { LaunchOptions, Scene } from '../scene.ts';
import { classRef } from '../scene.ts';
import { quantile } from '../statistics.ts';

const launches = 5;

/** `node main.ts` with one claim waiting in an empty cluster, until the claim is first written to. */
export async function startup(scene: Scene): Promise<readonly Figure[]> {
  const { seconds, cpuSeconds: cpu } = await starts(scene);
  return [
    figure('`node main.ts` to the first write of a reconcile', quantile(seconds, 0.5), 's', {
      limit: budgets.startupSeconds,
      note: `median of ${launches}; slowest ${Math.max(...seconds).toFixed(2)} s`,
    }),
    figure('`node main.ts`: process CPU until the first write of a reconcile', cpu, 's'),
  ];
}

interface Starts {
  /** Of each launch. */
  readonly seconds: readonly number[];
  /** The median of the process. */
  readonly cpuSeconds: number;
}

/** Launches a process several times, each time with one claim waiting, until the claim is first written to. */
export async function starts(scene: Scene, options: LaunchOptions = {}): Promise<Starts> {
  const seconds: number[] = [];
  const cpu: number[] = [];
  for (let attempt = 0; attempt < launches; attempt += 1) {
    const name = `waiting-${attempt}`;
    const created = arrivals(scene.claims, 'the claim exists', 1, ({ object }) => object.metadata.name);
    await createClaim(scene, name, { classRef });
    await created;
    const recorded = arrivals(scene.claims, 'the claim is reconciled', 1, ({ object }) =>
      object.spec.resourceRef === undefined ? undefined : name,
    );
    const bound = whenBound(scene, [name]);
    const stack = scene.launch(options);
    const [reconciledAtMs = Number.NaN] = (await recorded).values();
    cpu.push(cpuSeconds(stack.process.child.pid));
    seconds.push((reconciledAtMs - stack.launchedAtMs) / 1000);
    await bound;
    await deleteClaims(scene);
    await stack.end();
  }
  return { seconds, cpuSeconds: quantile(cpu, 0.5) };
}
