import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import countBy from 'lodash/countBy.js';
import omit from 'lodash/omit.js';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { Stack } from '../../controllers/stack.ts';
import { returnReasons } from '../../runtime/controller/wake.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { otherStack } from '../fakes/other-stack.ts';
import type { SimulationOptions } from '../fakes/simulation.ts';
import { Simulation } from '../fakes/simulation.ts';

/*
 * The cost of claims, in counts: unlike times they are the same on every machine. A change may lower a
 * count, and then changes it here. A change that raises one needs a reason in its commit.
 */

/** The events of a period. Events of a claim and its managed resource count together. */
interface Counts {
  readonly runs: number;
  readonly writes: number;
  readonly events: number;
  readonly gets: number;
}

const claimCount = 20;

/** The whole process over a cluster and a cloud in memory, with a class. Three stacks serve its claims. */
class Scene {
  readonly simulation: Simulation;
  readonly cloud: InProcessCloud;
  #stacks: readonly Stack[] = [];

  constructor({
    provisioningMs = 0,
    ...options
  }: Pick<SimulationOptions, 'concurrency'> & { readonly provisioningMs?: number } = {}) {
    this.simulation = new Simulation({ seed: 7, logLevel: 'error', ...options });
    const { clock, random } = this.simulation;
    this.cloud = inProcessCloud(clock, { provisioningMs, random });
  }

  /** `template`: more fields of the class. */
  async open(template: object = {}): Promise<void> {
    const { cluster } = this.simulation;
    const put = (kind: Kind, object: object): void => void cluster.put(kind, object as KubernetesObject);
    const secret = { namespace: 'infra', name: 'cloud' };
    const credentials = JSON.stringify({ url: this.cloud.url, token: this.cloud.token });
    put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: secret,
      data: encodeDetails({ credentials }),
    });
    put(ProviderConfigKind, {
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'Secret', secretRef: { ...secret, key: 'credentials' } } },
    });
    put(FavouriteDBInstanceClassKind, {
      apiVersion: 'database.fcp.crossplane.io/v1alpha3',
      kind: 'FavouriteDBInstanceClass',
      metadata: { name: 'small', labels: { size: 'small' } },
      // Complete, so that nothing is filled in later.
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        forProvider: { fancinessLevel: 3, version: '5.7' },
        ...template,
      },
    });
    const fcp = createFcpStack({
      createClient: (options) => favouriteCloudClient({ ...options, dispatcher: this.cloud.dispatcher }),
    });
    this.#stacks = [otherStack(fcp, 'first'), fcp, otherStack(fcp, 'third')];
    this.start();
    // The provider is used once, so that what it says of itself is written before.
    this.claim('first', { classRef });
    await this.simulation.clock.advance(300_000);
  }

  /** Starts the process; one that runs is killed before. */
  start(): void {
    this.simulation.start(this.#stacks);
  }

  claim(
    name: string,
    { shape, ...spec }: { shape?: object; classRef?: object; classSelector?: object },
    namespace = 'shop',
  ): void {
    this.simulation.cluster.create(FancySQLInstanceKind, {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'FancySQLInstance',
      metadata: { namespace, name },
      spec: { ...spec, writeConnectionSecretToRef: { name, ...shape } },
    } as KubernetesObject);
  }

  /** The events from `act` on, for this many milliseconds, by `share`. */
  async counting(act: () => void, forMs: number, share = 1): Promise<Counts> {
    const { simulation } = this;
    const now = () => ({
      runs: simulation.runs.length,
      writes: simulation.writes.length,
      events: simulation.eventWrites,
      gets: simulation.reads.length,
    });
    const start = now();
    act();
    await simulation.clock.advance(forMs);
    const end = now();
    if (process.env.SHOW)
      show(
        simulation.runs.slice(start.runs),
        simulation.writes.slice(start.writes),
        simulation.reads.slice(start.gets),
      );
    return {
      runs: (end.runs - start.runs) / share,
      writes: (end.writes - start.writes) / share,
      events: (end.events - start.events) / share,
      gets: (end.gets - start.gets) / share,
    };
  }

  isBound(name: string, namespace = 'shop'): boolean {
    const { status } = this.simulation.cluster.get(FancySQLInstanceKind, { namespace, name });
    return status?.bindingPhase === 'Bound';
  }
}

/** Prints the runs and the writes, each sort with its count: `SHOW=1 node --test test/budgets/counts.test.ts`. */
function show(...lists: readonly (readonly string[])[]): void {
  for (const list of lists) {
    const sorts = countBy(list, (line) => line.replace(/^\d+ (\w+ \w+) .*$/, '$1'));
    for (const [sort, count] of Object.entries(sorts).toSorted())
      console.log(String(count).padStart(6), sort);
  }
}

const classRef = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  name: 'small',
};

const shape = { labels: { team: 'shop' }, template: { URL: '{{ uri }}' } };

describe('a claim costs at most these writes, besides its creation', () => {
  const classSelector = { matchLabels: { size: 'small' } };
  const rows: Readonly<
    Record<string, { readonly spec: object; readonly provisioningMs?: number; readonly atMost: Counts }>
  > = {
    'with a class': { spec: { classRef }, atMost: { runs: 3.2, writes: 9.2, events: 1, gets: 0.1 } },
    'with a class and a template': {
      spec: { classRef, shape },
      atMost: { runs: 3.2, writes: 9.2, events: 1, gets: 0.1 },
    },
    'with a selector': {
      spec: { classSelector },
      atMost: { runs: 4.2, writes: 10.2, events: 1, gets: 0.1 },
    },
    'with a class, in a cloud that takes a second': {
      spec: { classRef },
      provisioningMs: 1_000,
      atMost: { runs: 6.2, writes: 10.2, events: 1, gets: 0.1 },
    },
    'with a selector, in a cloud that takes a second': {
      spec: { classSelector },
      provisioningMs: 1_000,
      atMost: { runs: 7.2, writes: 11.2, events: 1, gets: 0.1 },
    },
  };
  for (const [name, { spec, provisioningMs, atMost }] of Object.entries(rows)) {
    test(`a claim ${name}`, async () => {
      const scene = new Scene({ ...(provisioningMs !== undefined && { provisioningMs }) });
      await scene.open();
      const names = Array.from({ length: claimCount }, (_, index) => `claim-${index}`);
      const counts = await scene.counting(
        () => {
          for (const each of names) scene.claim(each, spec);
        },
        45_000,
        claimCount,
      );
      assert.ok(names.every((each) => scene.isBound(each)));
      if (process.env.SHOW) console.log(name, counts);
      for (const [what, most] of Object.entries(atMost)) {
        assert.ok(counts[what as keyof Counts] <= most, `${what}: ${counts[what as keyof Counts]} > ${most}`);
      }
      scene.simulation.kill();
    });
  }
});

describe('the deletion of a claim, of its resource and of two Secrets costs at most these requests', () => {
  const rows: Readonly<Record<string, { readonly before: (scene: Scene) => void; readonly atMost: Counts }>> =
    {
      'at any time': { before: () => {}, atMost: { runs: 2.2, writes: 5.2, events: 1, gets: 0.2 } },
      // Each call may be the first that shows that the provider works.
      'right after a start': {
        before: (scene) => scene.start(),
        atMost: { runs: 2.5, writes: 5.2, events: 1, gets: 0.2 },
      },
    };
  for (const [name, { before: prepare, atMost }] of Object.entries(rows)) {
    test(name, async () => {
      const scene = new Scene();
      await scene.open();
      const names = Array.from({ length: claimCount }, (_, index) => `claim-${index}`);
      for (const each of names) scene.claim(each, { classRef });
      const { cluster, clock } = scene.simulation;
      await clock.advance(45_000);
      prepare(scene);
      await clock.advance(1_000);
      const { length } = scene.simulation.runs;
      const all = await scene.counting(
        () => {
          for (const each of names) cluster.delete(FancySQLInstanceKind, { namespace: 'shop', name: each });
        },
        30_000, // a deletion takes two seconds, and the resource that stays is polled each minute
        claimCount,
      );
      // A run that ends after its claim is gone leads to one more, which finds no claim: a matter of chance.
      const runs = scene.simulation.runs.slice(length).filter((run) => !run.includes(' ClaimGone: '));
      const counts = { ...all, runs: runs.length / claimCount };
      assert.equal(cluster.all(FavouriteDBInstanceKind).length, 1);
      if (process.env.SHOW) console.log('deletion', name, counts);
      for (const [what, most] of Object.entries(atMost)) {
        assert.ok(counts[what as keyof Counts] <= most, `${what}: ${counts[what as keyof Counts]} > ${most}`);
      }
      scene.simulation.kill();
    });
  }
});

describe('another template costs at most these requests', () => {
  const scene = new Scene();
  const { cluster } = scene.simulation;
  const names = Array.from({ length: claimCount }, (_, index) => `claim-${index}`);
  before(async () => {
    await scene.open();
    for (const name of names) scene.claim(name, { classRef, shape });
    await scene.simulation.clock.advance(45_000);
  });
  /** The requests, and the runs without polls, for one claim. */
  const counting = async (act: () => void) => {
    const { length } = scene.simulation.runs;
    const { writes, events, gets } = await scene.counting(act, 5_000, claimCount);
    const runs = scene.simulation.runs.slice(length).filter((run) => !run.endsWith(returnReasons.after));
    return { runs: runs.length / claimCount, writes, events, gets };
  };
  const entries = (key: string) =>
    names.map((name) => cluster.get(SecretKind, { namespace: 'shop', name }).data?.[key]);

  test('of a claim: one run, one write of the Secret and one of the status', async () => {
    const counts = await counting(() => {
      for (const name of names) {
        const claim = cluster.get(FancySQLInstanceKind, { namespace: 'shop', name });
        const { generation = 1 } = claim.metadata;
        const writeConnectionSecretToRef = { name, ...shape, template: { URL: '{{ uri | jdbc }}' } };
        cluster.put(FancySQLInstanceKind, {
          ...claim,
          metadata: { ...claim.metadata, generation: generation + 1 },
          spec: { ...claim.spec, writeConnectionSecretToRef },
        });
      }
    });
    assert.deepEqual(counts, { runs: 1, writes: 2, events: 0, gets: 0 });
  });

  test('of a class: one run and one write for each Bound claim', async () => {
    const counts = await counting(() => {
      const small = cluster.get(FavouriteDBInstanceClassKind, { name: 'small' });
      const specTemplate = { ...small.specTemplate, claimSecret: { template: { HOST: '{{ host }}' } } };
      cluster.put(FavouriteDBInstanceClassKind, { ...small, specTemplate });
    });
    // The claim that the scene opens with has this class, too.
    const others = 1 / claimCount;
    assert.deepEqual(omit(counts, 'gets'), { runs: 1 + others, writes: 1 + others, events: 0 });
    assert.ok(entries('HOST').every((entry) => entry !== undefined));
    scene.simulation.kill();
  });
});

test('a return to a kept resource, from the deletion until it is Bound, costs at most these requests', async () => {
  const scene = new Scene();
  await scene.open({ retainFor: '7d' });
  const { cluster, clock } = scene.simulation;
  cluster.create(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const names = Array.from({ length: claimCount }, (_, index) => `claim-${index}`);
  for (const name of names) scene.claim(name, { classRef });
  await clock.advance(45_000);
  const resources = () => cluster.all(FavouriteDBInstanceKind).map(({ metadata }) => metadata.uid);
  const before = resources();
  const ended = await scene.counting(
    () => {
      for (const name of names) cluster.delete(FancySQLInstanceKind, { namespace: 'shop', name });
    },
    45_000,
    claimCount,
  );
  const back = await scene.counting(
    () => {
      for (const name of names) scene.claim(name, { classRef });
    },
    45_000,
    claimCount,
  );
  if (process.env.SHOW) console.log('return', ended, back);
  assert.ok(names.every((name) => scene.isBound(name)));
  assert.deepEqual(resources(), before);
  const atMost = {
    ended: { runs: 3.1, writes: 3, events: 1, gets: 2.3 },
    back: { runs: 3.2, writes: 7.5, events: 2, gets: 1.2 },
  };
  for (const [part, most] of Object.entries(atMost)) {
    for (const [what, limit] of Object.entries(most)) {
      const count = { ended, back }[part as 'ended'][what as keyof Counts];
      assert.ok(count <= limit, `${part}, ${what}: ${count} > ${limit}`);
    }
  }
  scene.simulation.kill();
});

describe('a restart of a process', () => {
  const scene = new Scene();
  before(async () => {
    await scene.open();
    for (let index = 0; index < claimCount; index += 1) scene.claim(`claim-${index}`, { classRef });
    await scene.simulation.clock.advance(125_000);
  });

  test('costs no run for a claim and its resource, and no write', async () => {
    const { runs, writes, events } = await scene.counting(() => scene.start(), 1_000, claimCount);
    assert.deepEqual([writes, events], [0, 0]);
    // Those of the provider.
    assert.ok(runs <= 0.2, `${runs} runs`);
  });

  test('runs each claim and observes each resource within a poll interval', async () => {
    const { runs, writes, events } = await scene.counting(() => {}, 66_000, claimCount);
    assert.deepEqual([writes, events], [0, 0]);
    assert.ok(runs >= 2 && runs <= 2.5, `${runs} runs`);
    scene.simulation.kill();
  });
});

test("another team's burst at most doubles the time until a claim is Bound: the namespaces take turns", async () => {
  // Few workers, because the watches of the simulation deliver one event after another.
  const scene = new Scene({ concurrency: 2 });
  await scene.open();
  const { clock } = scene.simulation;
  /** Claims that another team creates one at a time: the longest time until one is Bound. */
  const longestMs = async (prefix: string): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const name = `${prefix}-${index}`;
      const startedAtMs = clock.elapsedMs();
      scene.claim(name, { classRef }, 'other');
      await clock.advanceUntil(() => scene.isBound(name, 'other'));
      times.push(clock.elapsedMs() - startedAtMs);
    }
    return Math.max(...times);
  };
  const aloneMs = await longestMs('alone');
  const burst = Array.from({ length: 200 }, (_, index) => `burst-${index}`);
  for (const name of burst) scene.claim(name, { classRef });
  await clock.advance(3_000); // the process has seen them
  const duringMs = await longestMs('during');
  assert.ok(burst.some((name) => !scene.isBound(name)));
  assert.ok(duringMs <= 2 * aloneMs, `${duringMs} ms, alone ${aloneMs} ms`);
  scene.simulation.kill();
});

describe('a bound claim costs no request', () => {
  const scene = new Scene();
  before(async () => {
    await scene.open();
    for (let index = 0; index < claimCount; index += 1) scene.claim(`claim-${index}`, { classRef });
    await scene.simulation.clock.advance(600_000);
  });

  test('an idle minute: a run for the poll of each resource, and no write', async () => {
    const { runs, writes, events, gets } = await scene.counting(() => {}, 600_000, 10);
    // One resource more than there are claims of this test; a poll comes up to a tenth early.
    assert.ok(runs <= (claimCount + 1) * 1.1, `${runs} runs`);
    assert.deepEqual([writes, events], [0, 0]);
    // The provider's Secret is not watched: it is read while it is used, once for all that use it within 2 s.
    assert.ok(gets <= 14, `${gets} reads`);
  });

  test('a poll decodes each entry of the Secret once, and freezes no copy of the resource', async (t) => {
    const functions = {
      // Nine entries, the key of the HMAC, the answer of the cloud, and the Secret of the provider for some.
      decoded: { of: t.mock.method(Buffer, 'from').mock, most: 12 },
      // The note of the Secret, the answer of the cloud, and the credentials of the provider for some.
      parsed: { of: t.mock.method(JSON, 'parse').mock, most: 3 },
      // The credential that the client gets.
      frozen: { of: t.mock.method(Object, 'freeze').mock, most: 1 },
    };
    const counts = () => Object.values(functions).map(({ of }) => of.callCount());
    const before = counts();
    const { runs } = await scene.counting(() => {}, 60_000);
    const after = counts();
    const each = after.map((count, index) => (count - before[index]!) / runs);
    if (process.env.SHOW) console.log(Object.keys(functions), each);
    for (const [index, [what, { most }]] of Object.entries(functions).entries())
      assert.ok(each[index]! <= most, `${what}: ${each[index]} > ${most}`);
  });

  /** The requests and the runs, without polls, that an edit of a resource's Secret causes. */
  const editing = async (details: Readonly<Record<string, string>>, forMs: number): Promise<Counts> => {
    const { cluster } = scene.simulation;
    const [managed] = cluster.all(FavouriteDBInstanceKind);
    const key = managed?.spec.writeConnectionSecretToRef ?? assert.fail('no Secret is named');
    const before = scene.simulation.runs.length;
    const counts = await scene.counting(() => {
      const secret = cluster.get(SecretKind, key);
      cluster.put(SecretKind, { ...secret, data: { ...secret.data, ...encodeDetails(details) } });
    }, forMs);
    const runs = scene.simulation.runs.slice(before).filter((run) => !run.endsWith(returnReasons.after));
    return { ...counts, runs: runs.length };
  };

  const byUsers = { 'that a user adds to': 'added', 'of a user that changes in': 'changed' };
  for (const [what, note] of Object.entries(byUsers)) {
    test(`an entry ${what} the Secret of a resource is copied with one run, one write and one Event`, async () => {
      const { runs, writes, events } = await editing({ note }, 300);
      assert.deepEqual([runs, writes, events], [1, 1, 1]);
    });
  }

  test('a password that a user edits in the Secret of a resource is applied and copied with four writes', async () => {
    const { runs, writes, events } = await editing({ password: 'chosen' }, 1_000);
    assert.deepEqual([writes, events], [4, 2]);
    assert.ok(runs <= 7, `${runs} runs`);
    scene.simulation.kill();
  });
});
