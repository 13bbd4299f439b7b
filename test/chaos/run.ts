import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import { inTurns } from '../bench/in-turns.ts';
import { applyTo, eventually } from '../cluster/stack-harness.ts';
import { installedRights } from '../fakes/granted.ts';
import { described, isWrite, leaseRule, loopOf, notGranted, rateRule } from './audit-rules.ts';
import type { AuditedRequest } from './audit-trail.ts';
import { classObjects, credentialsSecret, proofNow, providerObjects } from './catalogue.ts';
import type { ChaosOptions } from './command-line.ts';
import { markDatabases, tryClaims, tryKnownCredentials } from './databases.ts';
import type { Harm } from './inject.ts';
import { inject } from './inject.ts';
import { copyOf, steadyIntents } from './intents.ts';
import type { Finding, Memory } from './judge.ts';
import { judge, noMemory } from './judge.ts';
import { leakedInFile, leakedSecrets } from './leaked-secrets.ts';
import { lifeRecord, wrongEnd } from './lives.ts';
import type { Observed } from './observed.ts';
import type { Life, Replica } from './replica.ts';
import { usageOf } from './replica.ts';
import type { FaultRecord, Report, Violation } from './report.ts';
import type { Round } from './schedule.ts';
import { kindsNamed, providers, schedule } from './schedule.ts';
import { users as usersOf } from './users.ts';
import type { World } from './world.ts';

/** The rules of every run; see docs/reliability.md. */
export const limits = {
  /** Until the desired state holds after the last fault of a round. */
  recoveryMs: 180_000,
  /** Until no Event is left to send, when all is as desired. */
  eventsMs: 120_000,
  /** Of one life, about one object. */
  requestsPerMinute: 120,
  /** Of a cloud, about one thing. */
  externalCallsPerMinute: 120,
  /** Of a cloud, about its account, for each claim: all ask while it refuses the credentials, each as its back-off lets it. */
  accountCallsPerMinute: 10,
  leaseDurationMs: 15_000,
} as const;

/** How long what the last change led to may go on, when all is as desired. */
const settlingMs = 8000;

export interface RunOptions extends ChaosOptions {
  /** For how long nothing may be written in the end, twice; a few poll intervals. */
  readonly quietSeconds: number;
  /** Called with the progress. */
  readonly note: (text: string) => void;
}

/** Runs the whole thing on a world that has just been started. Throws only where there is nothing to judge. */
export async function run(world: World, options: RunOptions): Promise<Report> {
  const { note, seed, minutes, quietSeconds } = options;
  const people = usersOf(world);
  const violations = new Map<string, Violation>();
  const faults: FaultRecord[] = [];
  let memory: Memory = noMemory;
  let during = 'before any fault';
  /** Since when an object is not as desired, and why. */
  const stalled = new Map<string, { sinceMs: number; problem: string }>();
  let longestStall: Report['longestStall'];

  const blame = (object: string, problem: string): void => {
    const key = `${object}: ${problem}`;
    if (violations.has(key)) return;
    violations.set(key, { at: new Date().toISOString(), object, problem, during });
    note(`VIOLATION ${key}`);
  };

  // The audit log of the API server during the run.
  const lease = leaseRule(limits.leaseDurationMs);
  const rates = rateRule();
  const isReplica = (user: string): boolean => user.startsWith('stack-');
  let quietWrites: AuditedRequest[] | undefined;
  /** When the last Event was sent, in ms since 1970. */
  let lastEventMs = 0;
  const rights = installedRights();
  const lifeOf = (user: string): Life | undefined =>
    world.replicas.flatMap(({ lives }) => lives).find((each) => each.user === user);
  /**
   * The latest time at which a request was sent that arrived then: a stopped server may receive requests of
   * a process that ended before.
   */
  const sentMs = (user: string, arrivedMs: number): number =>
    Math.min(arrivedMs, lifeOf(user)?.end?.atMs ?? arrivedMs);
  const readAudit = async (): Promise<void> => {
    const calls = world.externalWrites();
    for (const request of await world.audit.fresh()) {
      const { user, receivedMs } = request;
      if (!isReplica(user)) continue;
      const problems = [
        lease.check({ ...request, receivedMs: sentMs(user, receivedMs) }),
        notGranted(request, rights),
      ];
      for (const problem of problems) if (problem !== undefined) blame(user, problem);
      const loop = loopOf(request);
      if (loop !== undefined) rates.add(loop, request.receivedMs);
      if (loop !== undefined && isWrite(request)) quietWrites?.push(request);
      if (request.resource === 'events') lastEventMs = Math.max(lastEventMs, request.answeredMs);
    }
    for (const { user, what, atMs } of calls) {
      const problem = lease.checkAct(user, sentMs(user, atMs), `${new Date(atMs).toISOString()} ${what}`);
      if (problem !== undefined) blame(user, problem);
    }
  };
  async function leader(): Promise<Replica | undefined> {
    await readAudit();
    return world.replicas.find((each) => each.current()?.user === lease.leader());
  }
  const leading = (): Promise<Replica> => eventually('a replica leads', leader, 90_000);

  /** Looks once; answers with what is not as desired, or why that cannot be known. */
  async function look(): Promise<readonly Finding[]> {
    const before = copyOf(people.intents);
    let observed: Observed;
    try {
      await readAudit();
      observed = await world.observe();
    } catch (error) {
      return [{ object: 'the world', problem: `cannot be seen: ${String(error).slice(0, 200)}` }];
    }
    for (const secret of observed.secrets) {
      const { password } = decodeDetails(secret);
      if (password !== undefined) world.plant(password);
    }
    await people.clearMarks(observed.managed);
    const judgement = judge(steadyIntents(before, people.intents), observed, memory);
    memory = judgement.memory;
    for (const { object, problem } of judgement.violations) blame(object, problem);
    const reported = leakedSecrets(world.planted);
    for (const object of [...observed.claims, ...observed.managed]) {
      for (const secret of reported.in(JSON.stringify((object as Claim).status?.conditions ?? []))) {
        blame(`${object.kind} ${object.metadata.name}`, `a condition tells ${secret}`);
      }
    }
    const nowMs = performance.now();
    const unmet = new Map(judgement.unmet.map(({ object, problem }) => [object, problem]));
    for (const object of stalled.keys()) if (!unmet.has(object)) stalled.delete(object);
    for (const [object, problem] of unmet) {
      const since = stalled.get(object) ?? { sinceMs: nowMs, problem };
      stalled.set(object, { ...since, problem });
      const seconds = (nowMs - since.sinceMs) / 1000;
      if (seconds > (longestStall?.seconds ?? 0)) longestStall = { object, problem, seconds };
    }
    return judgement.unmet;
  }

  /** Waits until all is as desired; answers with the ms it took, undefined if it took too long, which it blames. */
  async function recovered(what: string, limitMs: number = limits.recoveryMs): Promise<number | undefined> {
    const startedMs = performance.now();
    for (;;) {
      const unmet = await look();
      const ready = await Promise.all(world.replicas.map((each) => each.isReady()));
      if (unmet.length === 0 && ready.every(Boolean)) return performance.now() - startedMs;
      if (performance.now() - startedMs > limitMs) {
        for (const { object, problem } of unmet.slice(0, 20)) {
          blame(object, `${limitMs / 1000} s after ${what}: ${problem}`);
        }
        for (const [at, isReady] of ready.entries()) {
          if (!isReady)
            blame(`replica ${world.replicas[at]!.name}`, `not ready ${limitMs / 1000} s after ${what}`);
        }
        return undefined;
      }
      await sleep(unmet.length > 20 ? 1000 : 250);
    }
  }

  const takeUsage = (): void => {
    for (const each of world.replicas) {
      const life = each.current();
      const usage = life && usageOf(life.process.pid);
      if (usage !== undefined) life!.usage.push(usage);
    }
  };

  /** Pages of metrics may tell nothing secret either. */
  const readMetrics = async (): Promise<void> => {
    const reported = leakedSecrets(world.planted);
    for (const each of world.replicas) {
      for (const secret of reported.in((await each.metrics()) ?? '')) {
        blame(`replica ${each.name}`, `a metric tells ${secret}`);
      }
    }
  };

  // The world as users want it.
  note(`making ${options.claims} claims`);
  await applyTo(
    world.controlPlane,
    ...providers.map((provider) => credentialsSecret(world, proofNow(world, provider))),
    ...providerObjects(world),
    ...classObjects(),
  );
  await Promise.all(world.replicas.map((each) => each.start()));
  await leading();
  await inTurns(options.claims, 10, () => people.createClaim());
  const atFirst = await recovered('the claims were made');
  if (atFirst === undefined) note('the claims are not Bound: going on all the same');
  else note(`all are Bound and can be used after ${(atFirst / 1000).toFixed(1)} s`);
  const claims = [...people.intents.claims.values()].filter(({ kind }) => kind === 'PostgreSQLInstance');
  const names = claims.map(({ namespace, name }) => `${namespace}/${name}`);
  const marked = await markDatabases(world, names);

  // Faults.
  const faultsFromMs = performance.now();
  const endMs = faultsFromMs + minutes * 60_000;
  let rounds = 0;
  const kinds = kindsNamed(options.only);
  const actionsPerSecond = Math.max(1, Math.min(3, options.claims / 25));
  for (const round of schedule({ seed, actionsPerSecond, kinds })) {
    if (performance.now() > endMs) break;
    rounds += 1;
    await play(round);
    takeUsage();
    await readMetrics();
  }

  /** If one of our own tasks fails, the rest continues, and the fault shows in the end. */
  function orBlame(work: Promise<void> | undefined): Promise<void> | undefined {
    return work?.catch((error: unknown) => blame('the run', `could not go on: ${messageOf(error)}`));
  }

  async function play(round: Round): Promise<void> {
    const names = round.faults.map(({ kind }) => kind.name).join(' + ');
    during = `round ${round.number}: ${names}`;
    const startMs = performance.now();
    const until = (atMs: number) => sleep(Math.max(0, startMs + atMs - performance.now()));
    const harms: Harm[] = [];
    const happening = round.faults.map(async ({ kind, startMs: atMs, endMs: toMs }) => {
      await until(atMs);
      const begunMs = performance.now();
      const harm = await inject({ world, users: people, leading }, kind.action);
      await until(Math.max(toMs, begunMs - startMs + toMs - atMs));
      await harm.end();
      harms.push(harm);
    });
    const acting = round.actions
      .map(async ({ atMs, action, pick }) => {
        await until(atMs);
        await people.act(action, pick);
      })
      .map(orBlame);
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        await look();
        await sleep(1000);
      }
    })();
    let endedMs: number;
    try {
      await Promise.all(happening.map(orBlame));
      endedMs = performance.now();
      // Asked for now, so that recovery means that something new can be had.
      const probes = [people.createClaim(), ...harms.map((harm) => harm.probe?.())];
      await Promise.all([...acting, ...probes.map(orBlame)]);
    } finally {
      isOver = true;
      await watching;
    }
    const took = await recovered(names);
    const recoveryMs = took === undefined ? undefined : Math.round(performance.now() - endedMs);
    for (const { kind } of round.faults) {
      faults.push({ kind: kind.name, round: round.number, ...(recoveryMs !== undefined && { recoveryMs }) });
    }
    const detail = harms.map((harm) => harm.detail).filter(Boolean);
    const details = detail.length > 0 ? ` (${detail.join('; ')})` : '';
    const after =
      recoveryMs === undefined ? 'NOT RECOVERED' : `recovered ${(recoveryMs / 1000).toFixed(1)} s after`;
    note(`${during}${details}: ${after}`);
  }

  // The end: all is as desired, can be used, and stays.
  during = 'after the last fault';
  note('the faults are over');
  const lastedMinutes = Math.round((performance.now() - faultsFromMs) / 6000) / 10;
  await recovered('the last fault');
  takeUsage();
  await tryClaims(world, marked, blame);
  await quietFor(quietSeconds);

  note('deleting all claims');
  during = 'after all claims were deleted';
  await people.deleteAll();
  await recovered('all claims were deleted');
  await tryKnownCredentials(world, marked, blame);
  await quietFor(quietSeconds);

  async function quietFor(seconds: number): Promise<void> {
    if (seconds === 0) return;
    note(`watching for writes for ${seconds} s`);
    // How many use a ProviderConfig is written at most every 5 s.
    await sleep(settlingMs);
    await untilEventsAreSent();
    quietWrites = [];
    await sleep(seconds * 1000);
    await readAudit();
    const found = quietWrites;
    quietWrites = undefined;
    for (const each of found.slice(0, 10))
      blame(each.key, `was written with nothing to do: ${described(each)}`);
  }

  /** Of what happened when much did, Events are sent later, and slowly: that is no write with nothing to do. */
  async function untilEventsAreSent(): Promise<void> {
    for (const endMs = performance.now() + limits.eventsMs; performance.now() < endMs; await sleep(1000)) {
      await readAudit();
      if (Date.now() - lastEventMs > settlingMs) return;
    }
    blame('Events', `are still sent ${limits.eventsMs / 1000} s after all was as desired`);
  }

  // The messages.
  await readMetrics();
  note('looking for secrets in logs and Events');
  const reported = leakedSecrets(world.planted);
  const lives = world.replicas.flatMap((each) => each.lives);
  for (const life of lives) {
    for (const line of await leakedInFile(life.process.logFile, reported))
      blame(life.user, `its log tells ${line}`);
    const problem = wrongEnd(life);
    if (problem !== undefined) blame(life.user, problem);
  }
  const listEvents = () => world.controlPlane.kubectl(['get', 'events', '-A', '-o', 'json']);
  const events = await eventually('Events are listed', listEvents);
  for (const secret of reported.in(events)) blame('Events', `one tells ${secret}`);
  for (const [what, perMinute] of rates.busiest()) {
    if (perMinute > limits.requestsPerMinute) blame(what, `${perMinute} requests in a minute`);
  }
  for (const [what, perMinute] of world.externalCalls.busiest()) {
    const accountLimit = what === 'aws GetCallerIdentity' ? limits.accountCallsPerMinute * options.claims : 0;
    const most = Math.max(accountLimit, limits.externalCallsPerMinute);
    if (perMinute > most) blame(what, `${perMinute} calls in a minute`);
  }
  return {
    claims: options.claims,
    minutes: lastedMinutes,
    seed,
    rounds,
    faults,
    violations: [...violations.values()],
    longestStall,
    lives: lives.map(lifeRecord),
  };
}
