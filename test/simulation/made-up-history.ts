import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { exampleAccount } from '../../stacks/aws/emulator/account.ts';
import type { SavedInventory } from '../../stacks/aws/emulator/inventory.ts';
import { savedField } from '../../stacks/aws/emulator/inventory.ts';
import type { MemoryCluster } from '../../testing/memory-cluster.ts';
import { testClock } from '../../testing/test-clock.ts';
import { inProcessAws } from '../fakes/in-process-aws.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { inProcessGoogleCloud } from '../fakes/in-process-google-cloud.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { InProcessVault } from '../fakes/in-process-vault.ts';
import type { Call, InvariantOf } from './invariant.ts';
import { shapedChange, shapedView } from './invariant.ts';
import { kindOf } from './kinds.ts';
import { awsSorts } from './oracle/cloud-resources.ts';
import type { Scenario } from './scenario.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import type { Wish } from './world.ts';
import { cloudUrls } from './world.ts';

/** The reports to an invariant about invented actions, in the form that a world gives them. */
export type MadeUpHistory = ReturnType<typeof madeUpHistory>;

const delays = { provisioningMs: 0, deletionMs: 0, readDelayMs: 0 };

/** Nothing takes long, and nothing goes wrong. */
export const quick: Scenario = {
  seed: 1,
  objects: [],
  steps: [],
  troubleMs: 0,
  faults: {},
  collectsGarbage: false,
  pace: { requestMs: 10, watchMs: 10, outsideMs: 10, ...delays },
};

/** The beginning of a history: an empty cluster, and clouds with nothing in them. */
export function madeUpHistory(of: InvariantOf, given: Partial<Scenario> = {}) {
  const scenario = { ...quick, ...given };
  const clock = testClock();
  const cluster = new SimulatedCluster(() => clock.now());
  const clouds = {
    favourite: inProcessCloud(clock, { url: cloudUrls.favourite, flavour: 'favourite' }),
    other: inProcessCloud(clock, { url: cloudUrls.other, flavour: 'other' }),
  };
  const empty = awsSorts.map((sort) => [
    `${exampleAccount.id} us-west-1 ${sort}`,
    { delays, [savedField]: [] },
  ]);
  const aws = inProcessAws(clock, { saved: Object.fromEntries(empty) as SavedInventory });
  const gcp = inProcessGoogleCloud(clock);
  const postgresql = createInProcessPostgresql(clock);
  const wishes: Wish[] = [];
  const reported: string[] = [];
  let elapsedMs = 0;
  let by = 'somebody';
  const invariant = of({
    cluster: shapedView(cluster),
    clouds,
    aws,
    gcp,
    postgresql,
    vault: new InProcessVault(clock),
    wishes,
    scenario,
    restored: new Set(),
    planted: new Set(),
    get elapsedMs() {
      return elapsedMs;
    },
  });
  const say = (what: readonly string[] | undefined): void => {
    reported.push(...(what ?? []));
  };
  cluster.witness((kind: Kind, before, after) =>
    say(invariant.changed?.(shapedChange({ by, kind, before, after }))),
  );
  for (const object of scenario.objects) cluster.put(kindOf(object), object);
  return {
    cluster,
    clouds,
    aws,
    gcp,
    postgresql,
    /** The violations that the invariant has reported. */
    reported: reported as readonly string[],
    /** A client that is not a user changes the cluster. */
    as(who: string, act: (cluster: MemoryCluster) => unknown): void {
      by = who;
      act(cluster);
      by = 'somebody';
    },
    /** A person merges a patch into an object. */
    wish(object: KubernetesObject, patch: object): void {
      const [kind, key] = [kindOf(object), objectKey(object.metadata)];
      const { metadata } = cluster.patch(kind, key, patch);
      wishes.push({ kind, key, uid: metadata.uid, patch, atMs: elapsedMs });
    },
    call(call: Partial<Call>): void {
      const usual = { by: 'p1', system: 'api', verb: 'update', target: '', sentAtMs: elapsedMs };
      say(invariant.called?.({ ...usual, isWrite: true, isChange: true, isRefused: false, ...call }));
    },
    ask: (call: string, who = 'p1'): void => say(invariant.requested?.({ by: who, call })),
    log: (line: string): void => say(invariant.logged?.(line)),
    scrape: (page: string): void => say(invariant.scraped?.(page)),
    later(ms: number): void {
      elapsedMs += ms;
    },
    rest: (): void => say(invariant.atRest?.()),
  };
}
