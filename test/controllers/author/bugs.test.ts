import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster } from '../cluster-fake.ts';
import type { FakeProcess } from '../environment-fake.ts';
import type { ExternalMethod } from '../external-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { claim, claimKind, classKind, classRef, managedKind, resourceClass, service } from '../objects.ts';

/** The error that a mistake of an author throws. */
function mistake(): never {
  const answer = {} as { readonly instance: { readonly id: string } };
  throw new Error(answer.instance.id);
}
const reported =
  /bug in the stack fcp: Cannot read properties of undefined \(reading 'id'\) \(TypeError at author\/bugs\.test\.ts:\d+\)/;

/** A claim by class, and a stack with something wrong in it. */
async function broken({
  method,
  configure,
}: {
  readonly method?: ExternalMethod;
  readonly configure?: ClaimService['configure'];
}) {
  const cluster = new FakeCluster();
  const external = new FakeExternal();
  const log = recordedLog();
  cluster.put(classKind, resourceClass('small'));
  cluster.put(claimKind, claim({ classRef: classRef('small') }));
  if (method !== undefined) external.before(method, mistake);
  const services = [{ ...service, ...(configure && { configure }) }];
  const process = startStack(cluster, external, { services, log });
  await process.settle();
  return { cluster, external, process, log };
}

const messageOf = (objects: readonly (Claim | Managed)[]): string =>
  getCondition(objects[0]?.status?.conditions, 'Synced').message ?? '';

/** A user wants another value. */
async function edit(cluster: FakeCluster, process: FakeProcess): Promise<void> {
  const [
    {
      metadata: { name },
    },
  ] = cluster.all(managedKind) as [Managed];
  cluster.edit(managedKind, { name }, ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, forProvider: { ...spec.forProvider, fancinessLevel: 9 } },
  }));
  await process.settle();
}

/** The lines of the log that tell of bugs. */
const errorsIn = ({ lines }: ReturnType<typeof recordedLog>) =>
  lines.filter(({ level }) => level === 'error');

describe('a bug in what an author wrote', () => {
  for (const method of ['connect', 'observe', 'create', 'update'] as const) {
    test(`a bug in ${method} is reported on the managed resource, and in the log with its stack trace`, async () => {
      const { cluster, process, log } = await broken({ method });
      if (method === 'update') await edit(cluster, process);
      assert.match(messageOf(cluster.all(managedKind)), reported);
      const lines = errorsIn(log);
      const messages = lines.map(({ message, fields: { error } }) => [message, error instanceof TypeError]);
      assert.deepEqual(messages, [['reconcile met a bug', true]]);
      process.stop();
    });
  }

  test('a bug in configure is reported on the claim without advice to its author, and in the log', async () => {
    const { cluster, process, log } = await broken({ configure: mistake });
    const [{ status } = assert.fail('no claim')] = cluster.all<Claim>(claimKind);
    assert.match(messageOf(cluster.all(claimKind)), reported);
    assert.doesNotMatch(messageOf(cluster.all(claimKind)), /correct the claim/);
    assert.equal(getCondition(status?.conditions, 'Ready').reason, 'StackBug');
    const logged = errorsIn(log).map(({ message }) => message);
    assert.deepEqual(logged, ['reconcile met a bug']);
    process.stop();
  });

  test('is met at each retry, and logged once', async () => {
    const { cluster, external, process, log } = await broken({ method: 'observe' });
    await process.settle(500_000);
    assert.ok(external.count('observe') > 5, `${external.count('observe')} looks`);
    assert.equal(errorsIn(log).length, 1);
    assert.match(messageOf(cluster.all(managedKind)), reported);
    process.stop();
  });
});
