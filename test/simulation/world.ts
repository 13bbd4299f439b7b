import { Subscription } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { isCreationIncomplete } from '../../controllers/managed/recording/creation-tracking.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import type { LogLevel } from '../../runtime/log/log.ts';
import { exampleAccount } from '../../stacks/aws/emulator/account.ts';
import type { Cluster } from '../../stacks/aws/emulator/eks/eks.ts';
import type { SavedInventory } from '../../stacks/aws/emulator/inventory.ts';
import { savedField } from '../../stacks/aws/emulator/inventory.ts';
import type { ServiceAccountKey } from '../../stacks/gcp/emulator/service-accounts.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import type { Stored } from '../../testing/memory-cluster.ts';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import { granted, installedRights } from '../fakes/granted.ts';
import type { InProcessAws } from '../fakes/in-process-aws.ts';
import { inProcessAws } from '../fakes/in-process-aws.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import type { InProcessGoogleCloud } from '../fakes/in-process-google-cloud.ts';
import { inProcessGoogleCloud, serviceAccountKeyIn } from '../fakes/in-process-google-cloud.ts';
import type { InProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { InProcessVault } from '../fakes/in-process-vault.ts';
import { backUp, empty, putBack, restored, shuffled } from './backup.ts';
import type { Chance } from './chance.ts';
import { chanceOf } from './chance.ts';
import { CountedWrites } from './counted-writes.ts';
import type { DoorOptions, DoorRequest } from './doors.ts';
import { faultsOf } from './faults.ts';
import type { Change, Invariant, InvariantOf, RecordedCall, Violation } from './invariant.ts';
import { observed, shapedChange } from './invariant.ts';
import { kindOf, kinds } from './kinds.ts';
import { resourcesIn } from './oracle/cloud-resources.ts';
import type { Act, CallFault, ListedFault, ObjectName, Scenario } from './scenario.ts';
import { usualStacks } from './scenario.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { Trace } from './trace.ts';
import { HeldWatches } from './watch-lines.ts';
import { asEdit, attacks, attacksAtOnce } from './workload/attacks.ts';

/** The fields of an object that a user wrote, and that only a user may remove. */
export interface Wish {
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  /** As it was merged. */
  readonly patch: object;
  readonly atMs: number;
}

/** A request that a process began. */
export interface SentRequest extends DoorRequest {
  readonly atMs: number;
  /** As faults are listed by. */
  readonly name: string;
}

/** That an object changed. */
export interface Changed {
  readonly atMs: number;
  readonly kind: string;
  readonly key: ObjectKey;
}

/** Where the clouds are. */
export const cloudUrls = { favourite: 'http://favourite.test', other: 'http://other.test' } as const;

/** The cluster of the node groups. */
const guide = {
  name: 'guide',
  version: '1.31',
  tags: {},
  arn: `arn:aws:eks:us-west-1:${exampleAccount.id}:cluster/guide`,
} satisfies Cluster;

/** Objects in AWS without a managed resource. */
const awsBefore: SavedInventory = {
  [`${exampleAccount.id} us-west-1 eks/cluster`]: {
    delays: { provisioningMs: 0, deletionMs: 0, readDelayMs: 0 },
    [savedField]: [['guide', { item: guide, createdAtMs: 0, changedAtMs: 0 }]],
  },
};

/** One function for each type of act. */
type Acts = {
  readonly [T in Act['type']]: (act: Extract<Act, { type: T }>, oldest?: SimulatedProcess) => unknown;
};

/** The keys of service accounts that secrets of a scenario hold: its cloud takes them, in whatever process they were made. */
const serviceAccountKeysIn = ({ objects, steps }: Scenario): readonly ServiceAccountKey[] =>
  [...objects, ...steps.flatMap(({ act }) => (act.type === 'create' ? [act.object] : []))]
    .filter((object): object is Secret => object.kind === 'Secret')
    .flatMap((secret) => Object.values(decodeDetails(secret)))
    .flatMap((text) => serviceAccountKeyIn(text) ?? []);

/** As an administrator installs it. */
const rights = installedRights();

/**
 * A cluster, external systems, people, machines and the process in their midst, all under one clock that is moved by
 * hand and one seed.
 */
export class World {
  readonly scenario: Scenario;
  readonly clock: TestClock;
  readonly chance: Chance;
  readonly cluster: SimulatedCluster;
  /** Undefined where no process has the stack. */
  readonly aws: InProcessAws | undefined;
  readonly gcp: InProcessGoogleCloud | undefined;
  readonly clouds: Readonly<Record<'favourite' | 'other', InProcessCloud>>;
  readonly postgresql: InProcessPostgresql;
  readonly vault: InProcessVault;
  readonly trace: Trace;
  readonly violations: Violation[] = [];
  /** The log of the processes, as lines of JSON. */
  readonly log: string[] = [];
  /** The faults that happened, in order. */
  readonly fired: ListedFault[] = [];
  /** The writes of users, in order. */
  readonly wishes: Wish[] = [];
  /** The UIDs of what came out of a backup. */
  readonly restored = new Set<string>();
  /** The UIDs of what a definition without a schema let through. */
  readonly planted = new Set<string | undefined>();
  /** The requests that processes began, in order, and the changes of objects that are not Events. */
  readonly history: { readonly requests: SentRequest[]; readonly changed: Changed[] } = {
    requests: [],
    changed: [],
  };
  /** The calls of processes; writes are those that were neither refused nor rolled back. */
  readonly figures = { runs: 0, calls: 0, writes: 0, outsideCalls: 0, outsideWrites: 0, processes: 0 };
  readonly countedWrites = new CountedWrites();
  readonly logLevel: LogLevel;
  readonly #invariants: readonly Invariant[];
  readonly #faultFor: (call: string) => CallFault | undefined;
  readonly #counts = new Map<string, number>();
  readonly #outUntilMs = new Map<string, number>();
  readonly #startedMs: number;
  readonly #processes = new Set<SimulatedProcess>();
  readonly #held: HeldWatches;
  readonly #life = new Subscription();
  #backup: readonly Stored[] = [];
  #by = 'somebody';
  #isTroubleOver = false;

  constructor(
    scenario: Scenario,
    invariants: readonly InvariantOf[],
    { logLevel = 'info' }: { readonly logLevel?: LogLevel } = {},
  ) {
    const { seed, pace, isSteady = false, isLoose = false, stacks = usualStacks } = scenario;
    this.scenario = scenario;
    this.cluster = new SimulatedCluster(() => this.clock.now(), { isLoose });
    // The official clients of AWS and Google Cloud read answers as streams, which take turns of the event loop.
    this.clock = testClock(undefined, { isAlone: !stacks.some((name) => name === 'aws' || name === 'gcp') });
    this.logLevel = logLevel;
    this.chance = isSteady ? () => 0.5 : chanceOf(seed);
    this.#held = new HeldWatches(this.clock);
    this.#startedMs = this.clock.elapsedMs();
    this.trace = new Trace(() => this.elapsedMs);
    this.#faultFor = faultsOf(scenario, this.chance);
    const { provisioningMs, deletionMs, readDelayMs } = pace;
    const delays = { provisioningMs, deletionMs, readDelayMs };
    this.clouds = {
      favourite: inProcessCloud(this.clock, { url: cloudUrls.favourite, flavour: 'favourite', ...delays }),
      other: inProcessCloud(this.clock, { url: cloudUrls.other, flavour: 'other', ...delays }),
    };
    this.aws = stacks.includes('aws') ? inProcessAws(this.clock, { ...delays, saved: awsBefore }) : undefined;
    this.gcp = stacks.includes('gcp') ? inProcessGoogleCloud(this.clock, delays) : undefined;
    for (const key of serviceAccountKeysIn(scenario)) this.gcp?.accounts.acceptKey(key);
    this.postgresql = createInProcessPostgresql(this.clock);
    this.vault = new InProcessVault(this.clock);
    this.#invariants = invariants.map((of) => of(observed(this)));
    for (const object of scenario.objects) {
      const kind = kindOf(object);
      const change = { by: this.#by, kind, before: undefined, after: this.cluster.put(kind, object) };
      this.#ask((invariant) => invariant.changed?.(shapedChange(change)));
    }
    this.cluster.witness((kind, before, after) => this.#changed({ by: this.#by, kind, before, after }));
    for (const { atMs, act } of scenario.steps) {
      this.#life.add(this.clock.scheduler.schedule(() => this.#act(act), atMs));
    }
  }

  /** Since the beginning. */
  get elapsedMs(): number {
    return this.clock.elapsedMs() - this.#startedMs;
  }

  /** The processes that run. */
  get processes(): readonly SimulatedProcess[] {
    return [...this.#processes];
  }

  /** Starts as many processes as there should be. */
  startMissing(): void {
    while (this.processes.length < this.#replicas) this.start();
  }

  /** Starts a process, beside those that run. */
  start(): SimulatedProcess {
    this.figures.processes += 1;
    const id = `p${this.figures.processes}`;
    const { clock, cluster, scenario, chance, logLevel, clouds, aws, gcp, postgresql, vault } = this;
    const process: SimulatedProcess = new SimulatedProcess({
      id,
      network: clock,
      held: this.#held,
      electsLeader: this.#replicas > 1,
      chance,
      logLevel,
      pace: scenario.pace,
      stacks: scenario.stacks ?? usualStacks,
      clouds,
      aws,
      gcp,
      postgresql,
      vault,
      eventMs: (kind) => this.#share(`${id} event ${kind}`) * scenario.pace.watchMs,
      client: granted(inProcessClient(cluster, clock), rights, (deed) =>
        this.violate('a process only asks for what deploy/ lets it do', JSON.stringify(deed)),
      ),
      write: (line) => this.#logged(line),
      ran: () => {
        this.figures.runs += 1;
      },
      readsDefinitions: scenario.steps.some(({ act }) => act.type === 'older definition'),
      isMissing: (kind) => this.#held.isMissing(kind),
      isOut: (system) => (this.#outUntilMs.get(system) ?? 0) > this.elapsedMs,
      next: (request) => this.#next(id, request),
      crash: (downMs) => this.#crash(process, downMs),
      carryOut: (call, effect) => this.#carryOut(id, call, effect),
      died: () => {
        this.#processes.delete(process);
        this.#held.lines.delete(process.watches);
      },
      gaveUp: () => {
        this.trace.note(id, 'gave up');
        this.#begin(1_000);
      },
    });
    this.#processes.add(process);
    this.trace.note(id, 'starts');
    process.start();
    return process;
  }

  get #replicas(): number {
    return this.scenario.replicas ?? 1;
  }

  /** Nothing goes wrong any more: as many processes run as there should be, and everything can be reached. */
  endTrouble(): void {
    this.#isTroubleOver = true;
    this.#outUntilMs.clear();
    for (const process of this.processes) process.thaw();
    for (const process of this.processes.slice(this.#replicas)) process.kill();
    this.startMissing();
    this.trace.note('world', 'trouble is over');
  }

  /** Nothing goes on any more. */
  end(): void {
    this.#life.unsubscribe();
    for (const process of this.processes) process.kill();
  }

  /** The faults in the answers of its processes to a scrape. */
  async scrape(): Promise<void> {
    for (const process of this.processes) {
      const page = await process.scrape();
      this.#ask((invariant) => invariant.scraped?.(page));
    }
  }

  /** The faults at rest. */
  judge(): void {
    this.#ask((invariant) => invariant.atRest?.());
  }

  violate(invariant: string, what: string): void {
    this.violations.push({ invariant, atMs: Math.round(this.elapsedMs), what });
    this.trace.note('VIOLATION', `${invariant}: ${what}`);
  }

  #logged(line: string): void {
    this.log.push(line);
    this.#ask((invariant) => invariant.logged?.(line));
  }

  #changed(change: Change): void {
    this.trace.change(change);
    const { kind } = change.kind;
    if (kind !== 'Event') {
      const { changed } = this.history;
      changed.push({ atMs: this.elapsedMs, kind, key: objectKey((change.after ?? change.before)!.metadata) });
      this.#held.changed(kind);
      const now = changed.length;
      for (const { atChange, act } of this.scenario.reactions ?? [])
        if (atChange === now) this.#as('somebody', () => this.#act(act));
    }
    const inShape = shapedChange(change);
    this.#ask((invariant) => invariant.changed?.(inShape));
    if (change.after === undefined && this.scenario.collectsGarbage) this.#collect(change.before);
  }

  /** The violations that invariants report about an event. */
  #ask(question: (invariant: Invariant) => readonly string[] | undefined): void {
    for (const invariant of this.#invariants) {
      for (const what of question(invariant) ?? []) this.violate(invariant.name, what);
    }
  }

  /** An object without other owners is deleted a while after its owner. */
  #collect(owner: KubernetesObject | undefined): void {
    const uid = owner?.metadata.uid;
    const lateMs = 1_000 * this.#share('gc');
    this.#later(lateMs, () => {
      for (const object of this.cluster.objects()) {
        const owners = object.metadata.ownerReferences ?? [];
        if (owners.length === 1 && owners[0]?.uid === uid && object.kind !== 'Event') {
          this.#as('gc', () => this.cluster.leave(kindOf(object), object.metadata));
        }
      }
    });
  }

  /** How much of the longest time the next thing of a name takes. */
  #share(name: string): number {
    return this.chance('way', name, this.#count(name));
  }

  #count(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }

  #next(id: string, request: DoorRequest): ReturnType<DoorOptions['next']> {
    const { call } = request;
    this.#ask((invariant) => invariant.requested?.({ by: id, call }));
    const base = `${id} ${call}`;
    const name = `${base} ${this.#count(base)}`;
    this.history.requests.push({ ...request, atMs: this.elapsedMs, name });
    const fault =
      this.#isTroubleOver || this.elapsedMs > this.scenario.troubleMs ? undefined : this.#faultFor(name);
    if (fault !== undefined) {
      this.fired.push({ call: name, fault });
      this.trace.note(id, `${call}: ${textOf(fault)}`);
    }
    return { name, fault, there: this.chance('there', name), back: this.chance('back', name) };
  }

  #carryOut(id: string, call: RecordedCall, effect: () => unknown): unknown {
    const { figures, cluster } = this;
    const isApi = call.system === 'api';
    figures[isApi ? 'calls' : 'outsideCalls'] += 1;
    if (!call.isWrite) {
      if (!isApi) this.#ask((invariant) => invariant.shown?.());
      return effect();
    }
    const isOwnBusiness = /^(?:Event|Lease) /.test(call.target);
    if (!isOwnBusiness) this.#held.wrote();
    const version = cluster.resourceVersion;
    if (!isApi) this.trace.note(id, `${call.verb} ${call.system} ${call.target}`);
    const answer = this.#as(id, effect) as Promise<unknown>;
    const isChange = !isApi || cluster.resourceVersion !== version;
    const tell = (isRefused: boolean): void => {
      const isEffective = !isOwnBusiness && !isRefused && call.isTentative !== true;
      if (isEffective) figures[isApi ? 'writes' : 'outsideWrites'] += 1;
      const carriedOut = { by: id, ...call, sentAtMs: call.sentAtMs - this.#startedMs, isChange, isRefused };
      this.countedWrites.note(carriedOut, isEffective);
      this.#ask((invariant) => invariant.called?.(carriedOut));
    };
    Promise.resolve(answer).then(
      (reply) => tell(!isApi && isRefusal(reply)),
      () => tell(true),
    );
    return answer;
  }

  #as<T>(by: string, act: () => T): T {
    const before = this.#by;
    this.#by = by;
    try {
      return act();
    } finally {
      this.#by = before;
    }
  }

  #crash(process: SimulatedProcess, downMs: number): void {
    this.trace.note(process.id, 'is killed');
    process.kill();
    this.#begin(downMs);
  }

  #begin(inMs: number): void {
    this.#later(inMs, () => this.startMissing());
  }

  #later(delayMs: number, act: () => void): void {
    this.#life.add(this.clock.scheduler.schedule(act, delayMs));
  }

  #act(act: Act): void {
    this.trace.act(act);
    const carryOut = this.#acts[act.type] as (act: Act, oldest: SimulatedProcess | undefined) => unknown;
    carryOut(act, this.processes[0]);
  }

  /** The actions of users and machines; some happen to the process that has run for the longest time. */
  readonly #acts: Acts = {
    create: (act) => this.#person(act),
    edit: (act) => this.#person(act),
    delete: (act) => this.#person(act),
    plant: ({ object }) => this.#plant(object),
    attack: (act) => this.#attack(act),
    'clear mark': ({ of }) => this.#clearMark(of),
    drift: (act) => this.#outside(act),
    lose: (act) => this.#outside(act),
    crash: ({ downMs }, oldest) => oldest && this.#crash(oldest, downMs),
    terminate: ({ downMs }, oldest) => oldest?.terminate().then(() => this.#begin(downMs)),
    freeze: ({ nth, forMs }) => this.processes[nth % this.processes.length]?.freeze(forMs),
    compact: () => this.cluster.compact(),
    'end watches': ({ kind }) => this.#cut(kind),
    'hold watches': ({ kind, forMs }) => this.#held.hold(kind, forMs),
    'hold watches until a write': ({ kind, forMs }) => this.#held.hold(kind, forMs, { isUntilWrite: true }),
    'miss changes': ({ kind, count, forMs }) =>
      this.#held.miss(kind, count, forMs, () => this.cluster.compact()),
    'older definition': ({ kind, field, forMs }) => {
      this.#define(kind, field);
      this.#later(forMs, () => this.#define(kind));
    },
    'silence watches': ({ kind }) => {
      for (const each of this.processes) each.watches.silence(kind);
    },
    'api outage': ({ forMs }) => {
      this.#outUntilMs.set('api', this.elapsedMs + forMs);
      this.#cut();
    },
    outage: ({ system, forMs }) => this.#outUntilMs.set(system, this.elapsedMs + forMs),
    'back up': () => {
      this.#backup = backUp(this.cluster);
    },
    restore: (act) => this.#restore(act),
    'set wall clock': ({ byMs }) => this.clock.setWall(new Date(this.clock.now().getTime() + byMs)),
  };

  /** The API server ends the watches of a kind whose definition changes. */
  #define(name: string, lacked?: string): void {
    this.cluster.define(kinds.find(({ kind }) => kind === name)!, lacked);
    this.#cut(name);
  }

  #cut(kind?: string): void {
    for (const each of this.processes) each.watches.cut(kind);
  }

  #restore({ overMs, downMs }: Extract<Act, { type: 'restore' }>): void {
    const { cluster, chance } = this;
    for (const process of this.processes) process.kill();
    empty(cluster);
    const objects = shuffled(this.#backup.map(restored), (...name) => chance('restore', ...name));
    for (const [index, object] of objects.entries()) {
      this.#later((overMs * index) / objects.length, () => {
        const uid = putBack(cluster, object)?.metadata.uid;
        if (uid !== undefined) this.restored.add(uid);
      });
    }
    this.#begin(downMs);
  }

  /** Whom an act is about; undefined: a claim that has not been given it. */
  #named({ given, ...of }: ObjectName): ObjectName | undefined {
    if (given === undefined) return of;
    const claim = this.cluster.find(kindOf(of), objectKey(of)) as Claim | undefined;
    const { apiVersion = '', kind = '', name = '' } = claim?.spec.resourceRef ?? {};
    const resource = { apiVersion, kind, name };
    if (given === 'resource') return kind === '' ? undefined : resource;
    const managed =
      kind === '' ? undefined : (this.cluster.find(kindOf(resource), { name }) as Managed | undefined);
    const to = managed?.spec.writeConnectionSecretToRef;
    return to && { apiVersion: 'v1', kind: 'Secret', ...to };
  }

  #person(act: Extract<Act, { type: 'create' | 'edit' | 'delete' }>): void {
    this.#try(() => {
      if (act.type === 'create') {
        this.cluster.create(kindOf(act.object), act.object);
        return;
      }
      const of = this.#named(act.of);
      if (of === undefined) return;
      const kind = kindOf(of);
      const key = objectKey(of);
      if (act.type === 'delete') {
        this.cluster.delete(kind, key);
        return;
      }
      const { metadata } = this.cluster.patch(kind, key, act.patch);
      this.wishes.push({ kind, key, uid: metadata.uid, patch: act.patch, atMs: this.elapsedMs });
    });
  }

  /** A write that the API refuses is no fault. */
  #try(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.trace.note('somebody', `was refused: ${messageOf(error)}`);
    }
  }

  #plant(object: KubernetesObject): void {
    const kind = kindOf(object);
    const found = this.cluster.find(kind, object.metadata);
    if (found !== undefined && !this.planted.has(found.metadata.uid)) return;
    this.planted.add(this.cluster.put(kind, object).metadata.uid);
  }

  /** The tenant creates the object of an attack, or edits an earlier one to be like it. */
  #attack({ sort, nth }: Extract<Act, { type: 'attack' }>): void {
    const { cluster, clouds, postgresql } = this;
    const outside = [
      ...[...postgresql.databases(), ...postgresql.roles()].map(({ name }) => name),
      ...Object.values(clouds).flatMap((cloud) => cloud.instances().map(({ item }) => item.name)),
    ];
    const given = attacks[sort]({ objects: cluster.objects(), outside });
    const attack = given[nth % given.length];
    if (attack === undefined) return;
    const [what, object] = attack;
    const kind = kindOf(object);
    const metadata = { ...object.metadata, name: object.metadata.name || `attack-${nth % attacksAtOnce}` };
    this.trace.note('tenant', `${sort}: ${what}`);
    this.#try(() => {
      if (cluster.find(kind, metadata) === undefined) cluster.create(kind, { ...object, metadata });
      else cluster.patch(kind, objectKey(metadata), asEdit(attack));
    });
  }

  /** A user who removes a mark has checked its resource when it would show, however late the external system is. */
  #clearMark(of: ObjectName): void {
    const found = this.cluster.find(kindOf(of), objectKey(of));
    if (found === undefined || !isCreationIncomplete(found)) return;
    const isIts = ({ kind, key }: World['history']['changed'][number]): boolean =>
      kind === of.kind && objectKeyText(key) === objectKeyText(objectKey(of));
    const lastMs = this.history.changed.findLast(isIts)?.atMs ?? 0;
    if (this.elapsedMs - lastMs < 10 * this.scenario.pace.readDelayMs) return;
    const annotations = { [annotationKeys.externalCreatePending]: null };
    this.cluster.patch(kindOf(of), objectKey(of), { metadata: { annotations } });
  }

  #outside(act: Extract<Act, { type: 'drift' | 'lose' }>): void {
    if (act.system === 'aws' || act.system === 'gcp') {
      const resources = resourcesIn(this).filter(({ system }) => system === act.system);
      const resource = resources[act.nth % resources.length];
      if (act.type === 'lose') resource?.lose();
      else resource?.retag({ ...resource.tags, drifted: String(act.level) });
      return;
    }
    const cloud = Object.entries(this.clouds).find(([system]) => system === act.system)?.[1];
    const instances = cloud?.instances() ?? [];
    const instance = instances[act.nth % instances.length];
    if (cloud === undefined || instance === undefined) return;
    if (act.type === 'drift') cloud.drift(instance.item.name, { level: act.level });
    else cloud.lose(instance.item.name);
  }
}

/** The answer of a cloud that does not do the request. */
const isRefusal = (reply: unknown): boolean =>
  ((reply as { readonly statusCode?: number } | undefined)?.statusCode ?? 0) >= 400;

/** `refused 503`. */
function textOf({ type, ...rest }: CallFault): string {
  return [
    type,
    ...Object.values(rest).map((each) => (typeof each === 'object' ? JSON.stringify(each) : each)),
  ]
    .join(' ')
    .slice(0, 200);
}
