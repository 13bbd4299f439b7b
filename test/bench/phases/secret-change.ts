import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationSource, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import { arrivals } from '../arrivals.ts';
import { budgets } from '../budgets.ts';
import type { Figure } from '../figures.ts';
import { inTurns } from '../in-turns.ts';
import type { Scene } from '../scene.ts';
import { namespace } from '../scene.ts';
import { quantile } from '../statistics.ts';

const most = 100;
const key = 'changed';

/**
 * A key is added to managed resources' connection secrets: from sending each change to seeing it in the claim's
 * secret. There must be bound claims.
 */
export async function secretChange(scene: Scene): Promise<readonly Figure[]> {
  const targets = scene.secrets
    .all()
    .filter((secret) => secret.metadata.namespace === namespace && propagationSource(secret) !== undefined)
    .slice(0, most);
  const count = targets.length;
  const change = (target: Secret, value: string): Promise<unknown> =>
    scene.client.patch(SecretKind, propagationSource(target)!, { data: { [key]: value } });

  const oneAtATime: number[] = [];
  for (const [index, target] of targets.entries()) {
    const value = encoded(`alone-${index}`);
    const arrived = arrivals(scene.secrets, 'the change arrives', 1, arrivalOf(value));
    const sentAtMs = performance.now();
    await change(target, value);
    const [arrivedAtMs = Number.NaN] = (await arrived).values();
    oneAtATime.push(arrivedAtMs - sentAtMs);
  }

  const changeAll = async (value: string): Promise<readonly number[]> => {
    const arrived = arrivals(scene.secrets, 'the changes arrive', count, arrivalOf(value));
    const sentAtMs = performance.now();
    await inTurns(count, count, (index) => change(targets[index]!, value));
    return [...(await arrived).values()].map((arrivedAtMs) => arrivedAtMs - sentAtMs);
  };
  await changeAll(encoded('rehearsal')); // opens the connections, which takes longer than the changes
  await scene.settledRequests();
  const together = await changeAll(encoded('together'));

  const name = "secret change to claim's secret";
  return [
    { name: `${name}, one at a time, p50`, value: quantile(oneAtATime, 0.5), unit: 'ms' },
    {
      name: `${name}, one at a time, p95`,
      value: quantile(oneAtATime, 0.95),
      unit: 'ms',
      limit: budgets.secretP95Ms,
      note: `of ${count}`,
    },
    {
      name: `${name}, ${count} at once, p95`,
      value: quantile(together, 0.95),
      unit: 'ms',
      limit: budgets.secretsAtOnceP95Ms,
      note: 'from the first one sent',
    },
  ];
}

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** The target that has a value now. */
const arrivalOf =
  (value: string) =>
  ({ type, object }: Change<Secret>): string | undefined =>
    type !== 'deleted' && object.metadata.namespace === namespace && object.data?.[key] === value
      ? object.metadata.name
      : undefined;
