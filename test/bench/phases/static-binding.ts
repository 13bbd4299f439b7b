import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import { favouriteRef } from '../../cluster/fancysql-fixture.ts';
import { arrivals } from '../arrivals.ts';
import { budgets } from '../budgets.ts';
import { createClaim, deleteClaims, deleteManaged, numbered, whenBound } from '../claims.ts';
import type { Figure } from '../figures.ts';
import { figure } from '../figures.ts';
import type { Scene } from '../scene.ts';
import { quantile } from '../statistics.ts';

const claims = 30;

const readyName = ({ type, object }: Change<Managed>): string | undefined =>
  type !== 'deleted' &&
  object.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')
    ? object.metadata.name
    : undefined;

/**
 * A claim waits for a managed resource that a user creates, one at a time: from seeing the managed resource
 * Ready to seeing the claim Bound. The stack must be running.
 */
export async function staticBinding(scene: Scene): Promise<readonly Figure[]> {
  const [favourite] = scene.managed;
  const samples: number[] = [];
  for (const name of numbered('static', claims)) {
    const waits = arrivals(scene.claims, 'the claim waits', 1, ({ object }) =>
      object.metadata.name === name && object.status?.conditions !== undefined ? name : undefined,
    );
    await createClaim(scene, name, { resourceRef: favouriteRef(name) });
    await waits;
    const ready = arrivals(favourite!.store, 'the managed resource is Ready', 1, (change) =>
      readyName(change) === name ? name : undefined,
    );
    const bound = whenBound(scene, [name]);
    await scene.fixture.managed(name);
    const [readyAtMs = Number.NaN] = (await ready).values();
    const [boundAtMs = Number.NaN] = (await bound).values();
    samples.push(boundAtMs - readyAtMs);
  }
  await deleteClaims(scene);
  await deleteManaged(scene); // made by hand, they outlive their claims
  const name = 'static: managed resource Ready to claim Bound';
  return [
    figure(`${name}, p50`, quantile(samples, 0.5), 'ms'),
    figure(`${name}, p95`, quantile(samples, 0.95), 'ms', {
      limit: budgets.staticP95Ms,
      note: `of ${claims}; slowest ${Math.max(...samples).toFixed(1)} ms`,
    }),
  ];
}
