import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { testClock } from '../../testing/test-clock.ts';
import { inProcessAws } from '../fakes/in-process-aws.ts';
import { inProcessGoogleCloud } from '../fakes/in-process-google-cloud.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { InProcessVault } from '../fakes/in-process-vault.ts';
import type { InvariantOf, ObservedWorld } from '../simulation/invariant.ts';
import { answeredFor } from '../simulation/invariants/answered-for.ts';
import { claimsSettled } from '../simulation/invariants/claims-settled.ts';
import { deletionEnds } from '../simulation/invariants/deletion-ends.ts';
import { onlyTheLeaderWrites } from '../simulation/invariants/only-the-leader-writes.ts';
import { resourcesSettled } from '../simulation/invariants/resources-settled.ts';
import { secretsInStep } from '../simulation/invariants/secrets-in-step.ts';
import { usersCounted } from '../simulation/invariants/users-counted.ts';
import { quick } from '../simulation/made-up-history.ts';
import { SimulatedCluster } from '../simulation/simulated-cluster.ts';
import type { AuditedRequest } from './audit-trail.ts';

/** The invariants of the simulation that need no history. */
const invariantsAtRest: readonly InvariantOf[] = [
  answeredFor,
  claimsSettled,
  deletionEnds,
  resourcesSettled,
  secretsInStep,
  usersCounted,
];

/** The objects of a real cluster at one moment. */
class Snapshot extends SimulatedCluster {
  readonly #all: readonly KubernetesObject[];

  constructor(all: readonly KubernetesObject[]) {
    super();
    this.#all = all;
  }

  override objects(): readonly KubernetesObject[] {
    return this.#all;
  }

  override all<T extends KubernetesObject>(kind: Kind<T>): readonly T[] {
    return this.#all.filter(
      (each) => each.kind === kind.kind && each.apiVersion === apiVersionOf(kind),
    ) as unknown as readonly T[];
  }

  override find<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.all(kind).find(({ metadata }) => objectKeyText(metadata) === objectKeyText(key));
  }
}

function worldOf(objects: readonly KubernetesObject[], clouds: ObservedWorld['clouds']) {
  const clock = testClock();
  const world = {
    cluster: new Snapshot(objects),
    clouds,
    aws: inProcessAws(clock),
    gcp: inProcessGoogleCloud(clock),
    postgresql: createInProcessPostgresql(clock),
    vault: new InProcessVault(clock),
    wishes: [],
    scenario: { ...quick, replicas: 2 } as const,
    restored: new Set<string>(),
    planted: new Set<string>(),
    elapsedMs: 0,
  };
  return world satisfies ObservedWorld;
}

/** The violations of the simulation's invariants by a real cluster and real clouds that are at rest. */
export function violationsAtRest(
  objects: readonly KubernetesObject[],
  clouds: ObservedWorld['clouds'],
): readonly string[] {
  const world = worldOf(objects, clouds);
  return invariantsAtRest.flatMap((of) => of(world).atRest?.() ?? []);
}

/** The writes of users who did not lead, in the audit log of an API server. Each process is a user of its own. */
export function writesWithoutLease(requests: readonly AuditedRequest[], clouds: ObservedWorld['clouds']) {
  const world = worldOf([], clouds);
  const { changed, called } = onlyTheLeaderWrites(world);
  const kind = { kind: 'Lease' } as Kind;
  return requests.flatMap(({ user, verb, resource, key, holder, receivedMs, answeredMs, code }) => {
    const isWrite = ['create', 'update', 'patch', 'delete'].includes(verb);
    if (holder !== undefined) {
      const spec = { holderIdentity: holder === '' ? '' : user };
      const after = { apiVersion: '', kind: 'Lease', metadata: { name: key }, spec };
      world.elapsedMs = answeredMs;
      if (isWrite && code < 300) changed?.({ by: user, kind, before: undefined, after });
      return [];
    }
    const call = { by: user, system: 'api', verb, target: `${resource} ${key}`, isWrite };
    return called?.({ ...call, sentAtMs: receivedMs, isChange: true, isRefused: false }) ?? [];
  });
}
