import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import map from 'lodash/map.js';
import type { Subscription } from 'rxjs';
import { lastValueFrom } from 'rxjs';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { ApiError, isInterrupted } from '../../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import type { LeaderElection, LeaderElectionOptions } from '../../../runtime/process/leader-election.ts';
import { leaderElection } from '../../../runtime/process/leader-election.ts';
import type { Lease } from '../../../runtime/process/lease.ts';
import { LeaseKind } from '../../../runtime/process/lease.ts';
import { LeaseNamespaceMissing } from '../../../runtime/process/lease-namespace.ts';
import type { Tenure, TenureOptions } from '../../../runtime/process/tenure.ts';
import { createTenure } from '../../../runtime/process/tenure.ts';
import type { CarryOut, Verb } from '../../../testing/in-process-client.ts';
import { inProcessClient } from '../../../testing/in-process-client.ts';
import type { MemoryCluster } from '../../../testing/memory-cluster.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { EnforcingCluster } from '../../fakes/enforcing-cluster.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
type Contender = LeaderElection & Pick<Tenure, 'check'>;
type ContenderOptions = Partial<Omit<LeaderElectionOptions, 'tenure'> & TenureOptions>;
const unavailable = new ApiError('etcd is unavailable', { code: 500, reason: 'InternalError' });
const forever = new AbortController().signal;

describe('leader election', () => {
  let clock: TestClock;
  let cluster: MemoryCluster;
  let calls: Verb[];
  /** Carries a request out, or has it go wrong. */
  let network: CarryOut;
  let client: KubernetesClient;
  let log: ReturnType<typeof recordedLog>;
  let subscriptions: Subscription[];

  const carriedOut: CarryOut = async (_call, effect) => effect();
  const writesFail: CarryOut = async ({ verb }, effect) => {
    if (verb === 'update') throw unavailable;
    return effect();
  };
  const hangs: CarryOut = () => new Promise(() => {});

  beforeEach(() => {
    clock = testClock();
    cluster = new EnforcingCluster(clock.now);
    calls = [];
    network = carriedOut;
    client = inProcessClient(cluster, clock, (call, effect) => {
      calls.push(call.verb);
      return network(call, effect);
    });
    log = recordedLog();
    subscriptions = [];
  });
  afterEach(() => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    assert.equal(clock.waitingCount, 0, 'nothing is left behind');
  });

  const election = (identity: string, options: ContenderOptions = {}): Contender => {
    const given = { client, identity, log, clock, namespace: 'ns', name: 'stack', ...times, ...options };
    const tenure = createTenure(given);
    return { ...leaderElection({ random: () => 0, ...given, tenure }), check: tenure.check };
  };
  /** Contends until the test ends; returns the reported states, and `end`. */
  function contend(contender: LeaderElection): string[] {
    const reported: string[] = [];
    subscriptions.push(
      contender.leadership$.subscribe({
        next: (state) => reported.push(state),
        complete: () => reported.push('end'),
        error: () => reported.push('error'),
      }),
    );
    return reported;
  }
  /** The process `a`, which leads unless another process holds the Lease. */
  async function leading() {
    const contender = election('a');
    const reported = contend(contender);
    await clock.settle();
    return { contender, reported };
  }
  const key = { namespace: 'ns', name: 'stack' };
  const lease = (): Lease | undefined => cluster.find(LeaseKind, key) as Lease | undefined;
  const holder = (): string | undefined => lease()?.spec?.holderIdentity;
  const put = (spec: NonNullable<Lease['spec']>): void => {
    cluster.put(LeaseKind, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key, spec });
  };

  test('the first process creates the Lease, leads and renews the Lease', async () => {
    const { reported } = await leading();
    assert.deepEqual(reported, ['leading']);
    const acquireTime = '2026-01-02T03:04:05.000000Z';
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, acquireTime, leaseTransitions: 0 };
    assert.deepEqual(lease()?.spec, { ...spec, renewTime: acquireTime });
    await clock.advance(2 * times.retryPeriodMs);
    assert.deepEqual(lease()?.spec, { ...spec, renewTime: '2026-01-02T03:04:09.000000Z' });
    assert.deepEqual(reported, ['leading']);
  });

  test('to renew the Lease takes one request', async () => {
    await leading();
    calls.length = 0;
    await clock.advance(3 * times.retryPeriodMs);
    assert.deepEqual(calls, ['update', 'update', 'update']);
  });

  test('of many that start together one leads', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((identity) => contend(election(identity)));
    await clock.advance(3_600_000);
    assert.deepEqual(all.flat(), ['leading']);
  });

  test('no process takes over while the holder renews, whatever the clock of the holder says', async () => {
    const leader = contend(election('a'));
    await clock.settle();
    clock.setWall('2026-01-01T00:00:00Z'); // to others its lease looks long expired
    await clock.advance(times.retryPeriodMs);
    clock.setWall('2026-01-05T00:00:00Z');
    const other = contend(election('b'));
    await clock.advance(10 * times.leaseDurationMs);
    assert.deepEqual([leader, other], [['leading'], []]);
  });

  test('a lease that is not renewed is taken over after its duration by our own clock', async () => {
    put({ holderIdentity: 'gone', leaseDurationSeconds: 30, leaseTransitions: 4 });
    const reported = contend(election('a'));
    await clock.advance(29_999);
    assert.deepEqual(reported, []);
    await clock.advance(times.retryPeriodMs);
    assert.deepEqual(reported, ['leading']);
    assert.deepEqual([holder(), lease()?.spec?.leaseTransitions], ['a', 5]);
  });

  describe('without the namespace of the lease', () => {
    const missing = new ApiError('namespaces "ns" not found', { code: 404, reason: 'NotFound' });
    const forbidden = new ApiError('namespaces is forbidden', { code: 403, reason: 'Forbidden' });
    const hasNamespace = () => cluster.find(NamespaceKind, { name: 'ns' }) !== undefined;
    beforeEach(() => {
      network = async ({ verb, kind }, effect) => {
        if (verb === 'create' && kind === LeaseKind && !hasNamespace()) throw missing;
        return effect();
      };
    });
    /** Requests about namespaces fail. */
    const failing = (error: ApiError): void => {
      const before = network;
      network = async (call, effect) => {
        if (call.kind === NamespaceKind) throw error;
        return before(call, effect);
      };
    };
    /** With which message it ends. */
    const refusal = async (contender: LeaderElection): Promise<string> => {
      const ending = lastValueFrom(contender.leadership$).catch((error: unknown) => error);
      await clock.settle();
      const error = await ending;
      assert.ok(error instanceof LeaseNamespaceMissing);
      return error.message;
    };

    test('a process that may create it does, and leads', async () => {
      const reported = contend(election('a', { createsNamespace: true }));
      await clock.settle();
      assert.deepEqual([reported, hasNamespace(), holder()], [['leading'], true, 'a']);
    });

    test('two replicas that create it at the same time both go on', async () => {
      const all = ['a', 'b'].map((identity) => contend(election(identity, { createsNamespace: true })));
      await clock.advance(60_000);
      assert.deepEqual(all.flat(), ['leading']);
    });

    test('a process that may not create it ends with the command that does', async () => {
      assert.equal(
        await refusal(election('a')),
        'the namespace ns of the Lease does not exist: run "kubectl create namespace ns", or start with --install-crds',
      );
    });

    test('a process whose rights do not suffice ends with the command', async () => {
      failing(forbidden);
      assert.equal(
        await refusal(election('a', { createsNamespace: true })),
        'the namespace ns of the Lease does not exist, and this process is not allowed to create it: run "kubectl create namespace ns"',
      );
    });

    test('a failure of the API server is tried again', async () => {
      const before = network;
      failing(unavailable);
      const reported = contend(election('a', { createsNamespace: true }));
      await clock.settle();
      network = before;
      await clock.advance(times.retryPeriodMs);
      assert.deepEqual(reported, ['leading']);
    });
  });

  test('a process that may not write the Lease reports the refusal until it leads, and no failure that passes', async () => {
    const refused = new ApiError('leases is forbidden', { code: 403, reason: 'Forbidden' });
    const contender = election('a');
    const reports: (string | undefined)[] = [contender.whyRefused()];
    for (const error of [unavailable, refused, undefined]) {
      network = async (_call, effect) => {
        if (error !== undefined) throw error;
        return effect();
      };
      if (error === unavailable) contend(contender);
      await clock.advance(times.retryPeriodMs);
      reports.push(contender.whyRefused());
    }
    assert.deepEqual(reports, [
      undefined,
      undefined,
      'the API server refuses the Lease ns/stack: leases is forbidden',
      undefined,
    ]);
  });

  test('a standby that may read and not write the Lease reports the refusal, and once it may it asks no more', async () => {
    contend(election('a'));
    await clock.settle();
    const standby = election('b');
    const refused = new ApiError('leases is forbidden: cannot update', { code: 403, reason: 'Forbidden' });
    let isAllowed = false;
    let requests = 0;
    client = inProcessClient(cluster, clock, async ({ verb }, effect) => {
      if (verb === 'update') requests += 1;
      if (verb === 'update' && !isAllowed) throw refused;
      return effect();
    });
    const limited = election('c');
    contend(limited);
    contend(standby);
    await clock.settle();
    assert.equal(
      limited.whyRefused(),
      'the API server refuses the Lease ns/stack: leases is forbidden: cannot update',
    );
    assert.equal(standby.whyRefused(), undefined);
    isAllowed = true;
    await clock.advance(2 * times.retryPeriodMs);
    assert.equal(limited.whyRefused(), undefined);
    const before = requests;
    await clock.advance(5 * times.retryPeriodMs);
    assert.deepEqual([requests, limited.notes()], [before, ['standing by: a holds the Lease ns/stack']]);
  });

  test('a standby logs once which process holds the Lease, and reports it until it leads', async () => {
    const leader = election('a');
    contend(leader);
    await clock.settle();
    const standby = election('b');
    assert.deepEqual(standby.notes(), []);
    contend(standby);
    await clock.advance(3 * times.retryPeriodMs);
    assert.deepEqual(standby.notes(), ['standing by: a holds the Lease ns/stack']);
    assert.deepEqual(leader.notes(), []);
    const standbyLines = log.lines.filter(({ message }) => message.startsWith('standing by'));
    assert.deepEqual(map(standbyLines, 'message'), ['standing by: another process holds the Lease']);
    assert.deepEqual([standbyLines[0]?.level, standbyLines[0]?.fields.holder], ['info', 'a']);
    await leader.release(forever);
    await clock.advance(times.retryPeriodMs);
    assert.deepEqual([holder(), standby.notes()], ['b', []]);
  });

  test('a process that cannot reach the API server reports that it knows no holder', async () => {
    network = hangs;
    const standby = election('a');
    contend(standby);
    await clock.settle();
    assert.deepEqual(standby.notes(), ['standing by: no process yet holds the Lease ns/stack']);
    network = carriedOut;
  });

  test('a 404 of a proxy does not mean that there is no lease', async () => {
    put({ holderIdentity: 'other', leaseDurationSeconds: 3600 });
    network = async () => {
      throw new ApiError('404 page not found', { code: 404, reason: 'Unknown' });
    };
    contend(election('a'));
    await clock.advance(3 * times.retryPeriodMs);
    assert.deepEqual(new Set(calls), new Set(['get']));
    assert.equal(holder(), 'other');
  });

  test('a released lease is taken at once', async () => {
    put({ holderIdentity: '', leaseDurationSeconds: 3600 });
    const { reported } = await leading();
    assert.deepEqual(reported, ['leading']);
  });

  test('release frees the lease for the next, and only if it is ours', async () => {
    const first = election('a');
    const reported = contend(first);
    await clock.settle();
    const next = contend(election('b'));
    await first.release(forever);
    await clock.advance(times.retryPeriodMs);
    assert.deepEqual([reported, next], [['leading', 'end'], ['leading']]);
    await first.release(forever);
    await election('c').release(forever);
    assert.equal(holder(), 'b');
  });

  test('release without an API server gives up and does not throw', async () => {
    const { contender } = await leading();
    network = async () => {
      throw unavailable;
    };
    await contender.release(forever);
    assert.equal(log.lines.at(-1)?.level, 'warn');
  });

  test('a process that has not led and may not read the Lease logs nothing at its release', async () => {
    network = async () => {
      throw new ApiError('leases is forbidden', { code: 403, reason: 'Forbidden' });
    };
    await election('a').release(forever);
    assert.deepEqual(log.lines, []);
  });

  const losses: Record<string, readonly [lose: () => void, withinMs: number, holder: string | undefined]> = {
    'the Lease was not renewed in time': [
      () => {
        network = writesFail;
      },
      times.renewDeadlineMs,
      undefined,
    ],
    'another process holds the Lease': [
      () => put({ holderIdentity: 'thief', leaseDurationSeconds: 3600 }),
      times.retryPeriodMs,
      'thief',
    ],
  };
  for (const [reason, [lose, withinMs, another]] of Object.entries(losses)) {
    test(`a leader stops in time, and logs the reason and another holder: ${reason}`, async () => {
      const { reported } = await leading();
      lose();
      assert.equal(await clock.advanceUntil(() => reported.includes('lost')), withinMs);
      await clock.settle();
      assert.deepEqual(reported, ['leading', 'lost', 'end']);
      const lines = log.lines.filter(({ level }) => level === 'error');
      const [{ fields } = assert.fail(), ...others] = lines;
      assert.deepEqual([fields.reason, fields.holder, others], [reason, another, []]);
      assert.equal(holder(), another ?? 'a');
    });
  }

  test('a leader whose API server hangs stops at its deadline', async () => {
    const { reported } = await leading();
    network = hangs;
    assert.equal(await clock.advanceUntil(() => reported.includes('lost')), times.renewDeadlineMs);
    const { message, fields } = log.lines.find(({ level }) => level === 'warn') ?? {};
    assert.equal(message, 'cannot write the Lease: trying again');
    assert.match(String(fields?.error), /the API server did not answer in time/);
  });

  test('a leader that was stopped for a while has one attempt left, of a second', async () => {
    const { reported } = await leading();
    clock.stall(60_000);
    network = hangs;
    assert.equal(await clock.advanceUntil(() => reported.includes('lost')), 1000);
  });

  test('a leader that was stopped for a while logs which process holds the Lease now', async () => {
    await leading();
    clock.stall(60_000);
    put({ holderIdentity: 'next', leaseDurationSeconds: 15 });
    await clock.settle();
    const lines = log.lines.filter(({ level }) => level !== 'info' && level !== 'debug');
    assert.deepEqual(
      lines.map(({ fields }) => [fields.reason, fields.holder]),
      [['another process holds the Lease', 'next']],
    );
  });

  test('a leader goes on leading if no other process has taken the Lease during that time', async () => {
    const { reported } = await leading();
    clock.stall(60_000);
    await clock.advance(60_000);
    assert.deepEqual(reported, ['leading']);
  });

  test('a failure that passes changes nothing', async () => {
    const { reported } = await leading();
    network = writesFail;
    await clock.advance(2 * times.retryPeriodMs);
    network = carriedOut;
    await clock.advance(60_000);
    assert.deepEqual(reported, ['leading']);
  });

  test('unsubscribing stops renewing', async () => {
    await leading();
    subscriptions[0]?.unsubscribe();
    const before = calls.length;
    await clock.advance(60_000);
    assert.deepEqual([calls.length, holder()], [before, 'a']);
  });

  test('a leader may act until the renew deadline by the clock, also if the loss was not noticed yet', async () => {
    const contender = election('a');
    assert.equal(contender.check(), Number.POSITIVE_INFINITY, 'a process that has not led needs no lease');
    const reported = contend(contender);
    await clock.settle();
    assert.equal(contender.check(), 15_000, 'until another process may lead');
    clock.stall(9999);
    assert.equal(contender.check(), 5001);
    clock.stall(1);
    assert.throws(() => contender.check(), { name: 'ApiError', code: 0, reason: 'LeaseExpired' });
    assert.deepEqual(reported, ['leading'], 'nobody has told us yet');
  });

  test('a process that released the Lease may not act any more', async () => {
    const { contender } = await leading();
    await contender.release(forever);
    assert.throws(() => contender.check(), { name: 'ApiError', code: 0, reason: 'LeaseExpired' });
  });

  test('a process that was stopped for longer goes on if no other process took the Lease, and logs it once', async () => {
    const { contender, reported } = await leading();
    clock.stall(60_000);
    assert.throws(() => contender.check(), isInterrupted);
    assert.throws(() => contender.check(), isInterrupted);
    await clock.advance(5 * times.retryPeriodMs);
    contender.check();
    assert.deepEqual([reported, holder()], [['leading'], 'a']);
    const warnings = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
    const again = 'leading again after an interruption: no other process has led during that time';
    assert.deepEqual(map(warnings, 'message'), [again]);
    assert.deepEqual([warnings[0]?.level, warnings[0]?.fields.sinceMs], ['warn', 60_000]);
  });

  test('the time of a renewed Lease counts from the start of the request', async () => {
    const { contender } = await leading();
    network = async (call, effect) => {
      await clock.sleep(1500);
      return carriedOut(call, effect);
    };
    await clock.advance(times.retryPeriodMs + 1500); // asked for after 2 s
    clock.stall(9999 - 1500);
    contender.check();
    clock.stall(1);
    assert.throws(() => contender.check(), { reason: 'LeaseExpired' });
    network = carriedOut;
  });
});
