import { Subject, Subscription, tap } from 'rxjs';
import { composition } from '../../app/composition.ts';
import type { Carrier } from '../../clients/http.ts';
import { guarded } from '../../clients/http.ts';
import { urlSafeAlphabet } from '../../controllers/credential.ts';
import type { Stack } from '../../controllers/stack.ts';
import { definitionGuard } from '../../runtime/client/install-crds.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { createLogger } from '../../runtime/log/log.ts';
import { leaderElection } from '../../runtime/process/leader-election.ts';
import { run } from '../../runtime/process/run.ts';
import { createTenure } from '../../runtime/process/tenure.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { deadlineAfter } from '../../runtime/time/deadline.ts';
import type { Later } from '../../runtime/time/scheduler.ts';
import { schedulerBy, sleepBy } from '../../runtime/time/scheduler.ts';
import { awsClient } from '../../stacks/aws/client/aws-client.ts';
import { createAwsStack } from '../../stacks/aws/stack.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../stacks/demo-clouds/client/other-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { createOcpStack } from '../../stacks/demo-clouds/ocp/stack.ts';
import { googleCloudClient } from '../../stacks/gcp/client/google-cloud.ts';
import { createGcpStack } from '../../stacks/gcp/stack.ts';
import { createPostgresqlStack } from '../../stacks/postgresql/stack.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import { scrapedMetrics } from '../fakes/scraped-metrics.ts';
import type { DoorOptions } from './doors.ts';
import { apiDoor, outsideDoor } from './doors.ts';
import type { StackName } from './scenario.ts';
import type { HeldWatches } from './watch-lines.ts';
import { WatchLines } from './watch-lines.ts';
import type { World } from './world.ts';

export interface SimulatedProcessOptions
  extends Omit<DoorOptions, 'isDead' | 'clock' | 'watches' | 'checkLease'>,
    Pick<World, 'chance' | 'clouds' | 'aws' | 'gcp' | 'postgresql' | 'vault' | 'logLevel'> {
  /** `p1` for the first of a run. */
  readonly id: string;
  /** Whether it works only while it holds the Lease. */
  readonly electsLeader: boolean;
  /** The delay of changes on their way to the processes. */
  readonly held: HeldWatches;
  /** How long the next event of a kind is on its way. */
  readonly eventMs: (kind: string) => number;
  /** The API server, with nothing between. */
  readonly client: KubernetesClient;
  /** Whether definitions change. Otherwise it does not read them, because each read would only take time. */
  readonly readsDefinitions: boolean;
  readonly stacks: readonly StackName[];
  readonly write: (line: string) => void;
  /** A reconcile has ended. */
  readonly ran: () => void;
  /** It runs no more, for whatever reason. */
  readonly died: () => void;
  /** It ended by itself, as it does when it has lost the Lease: this process exits, so that it can be restarted. */
  readonly gaveUp: () => void;
}

/** As flags have them by default. */
const flags = {
  pollIntervalMs: 60_000,
  maxExternalCallsPerSecond: 200,
  concurrency: 10,
  syncPeriodMs: 3_600_000,
  drainTimeoutMs: 30_000,
  rememberedEvents: 64, // room for more takes a while to set aside
};

/** As in `app/run.ts`. */
const farewellMs = 3_000;

/** One life of the process, put together as `app/run.ts` does: informers, queues, all controllers and all stacks. */
export class SimulatedProcess {
  readonly id: string;
  readonly watches: WatchLines;
  readonly #options: SimulatedProcessOptions;
  readonly #life = new Subscription();
  readonly #stop$ = new Subject<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #clock: Clock;
  #isDead = false;
  #isEnding = false;
  #scrape: (() => Promise<string>) | undefined;
  #frozenUntilMs = 0;

  constructor(options: SimulatedProcessOptions) {
    this.id = options.id;
    this.#options = options;
    this.#clock = this.#ownClock();
    this.watches = new WatchLines({ clock: this.#clock, held: options.held, wayMs: options.eventMs });
  }

  start(): void {
    const { id, chance, logLevel, write, ran, electsLeader, gaveUp, vault } = this.#options;
    const clock = this.#clock;
    let draws = 0;
    const random = (): number => {
      draws += 1;
      return chance('random', id, draws);
    };
    let generated = 0;
    /** Bytes that become `pw-p1-7-…` in the alphabet of generated passwords, so that a password is found wherever it is. */
    const randomBytes = (size: number): Buffer => {
      generated += 1;
      const text = `pw-${id}-${generated}-${Math.floor(chance('password', id, generated) * 2 ** 32).toString(36)}-`;
      return Buffer.from(
        [...text.padEnd(size, 'x').slice(0, size)].map((each) => urlSafeAlphabet.indexOf(each)),
      );
    };
    const log = createLogger({
      level: logLevel,
      format: 'json',
      clock,
      write: (line) => {
        if (!this.#isDead) write(line);
      },
    });
    const tenure = createTenure({ clock });
    const { check: checkLease } = tenure;
    const door: DoorOptions = {
      ...this.#options,
      clock,
      watches: this.watches,
      checkLease,
      isDead: () => this.#isDead,
    };
    const client = apiDoor(this.#options.client, door);
    const election = electsLeader
      ? leaderElection({
          client,
          log,
          clock,
          random,
          tenure,
          identity: id,
          namespace: 'services-stack',
          name: 'services-stack',
        })
      : undefined;
    const { metrics, stackMetrics, scrape } = scrapedMetrics(clock);
    this.#scrape = scrape;
    const guard = definitionGuard({ client, log });
    const { informers, events, backlog, controllers, stackStates } = composition({
      client,
      log,
      clock,
      random,
      randomBytes,
      checkLease,
      observer: stackMetrics,
      component: 'services-stack',
      stacks: this.#stacks(door),
      ...(this.#options.readsDefinitions && { admit: guard.admit }),
      createVaultClient: vault.clientsFor(outsideDoor(door)),
      ...flags,
    });
    metrics.states({
      informers: informers.states,
      stacks: stackStates,
      droppedEvents: () => events.droppedCount,
    });
    const running$ = run({
      informers,
      controllers,
      stop$: this.#stop$,
      log,
      clock,
      random,
      background: [events.run$, stackMetrics.run$, guard.run$],
      backlog,
      observe: (name) => metrics.controller(name, flags.concurrency),
      ...flags,
      ...(election && { election }),
    }).pipe(tap(metrics.outcome));
    const farewell = async (): Promise<void> => {
      const { signal } = deadlineAfter(clock, farewellMs, {
        reason: () => new Error('the last requests of the process took too long'),
      });
      await Promise.all([events.flush(signal), election?.release(signal)]);
      this.kill();
      this.#ended.resolve();
    };
    this.#life.add(
      running$.subscribe({
        next: ran,
        complete: () => void farewell(),
        error: () => {
          this.kill();
          gaveUp();
        },
      }),
    );
  }

  /** The page that it answers under `/metrics`. */
  async scrape(): Promise<string> {
    return (await this.#scrape?.()) ?? '';
  }

  /** As by SIGSTOP, for so long: what it sent arrives, and nothing else happens in it. */
  freeze(forMs: number): void {
    this.#frozenUntilMs = this.#options.network.elapsedMs() + forMs;
  }

  /** As by SIGCONT. */
  thaw(): void {
    this.#frozenUntilMs = 0;
  }

  /** It dies: what it was about to do does not happen. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#life.unsubscribe();
    this.#options.died();
  }

  /** Whether it was asked to end: then it begins nothing any more. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** SIGTERM. Resolves when it has come to its end; never if it is killed before. */
  terminate(): Promise<void> {
    this.#isEnding = true;
    this.#stop$.next();
    return this.#ended.promise;
  }

  /** Time, as it goes by in this process. */
  #ownClock(): Clock {
    const { network } = this.#options;
    const later: Later = (delayMs, act) => {
      const fire = (): void => {
        const leftMs = this.#frozenUntilMs - network.elapsedMs();
        if (leftMs > 0) timer = network.scheduler.schedule(fire, leftMs);
        else act();
      };
      let timer = network.scheduler.schedule(fire, delayMs);
      return () => timer.unsubscribe();
    };
    const scheduler = schedulerBy(later, () => network.now().getTime());
    const { now, elapsedMs, nextTurn, turns } = network;
    return { now, elapsedMs, nextTurn, turns, sleep: sleepBy(later), scheduler };
  }

  #stacks(door: DoorOptions): readonly Stack[] {
    const { clouds, aws, gcp, postgresql } = this.#options;
    const carryOut = outsideDoor(door);
    /** The official way to create a client of a cloud, by which its calls leave the process. */
    const through = <Given extends object, Client>(
      cloud: Pick<InProcessCloud, 'carrierFor'> | undefined,
      createClient: (given: Given & { readonly dispatcher: Carrier }) => Client,
    ) => {
      if (cloud === undefined) throw new Error('the stack of a cloud that is not there');
      const dispatcher = guarded(cloud.carrierFor(carryOut), () => door.checkLease());
      return { createClient: (given: Given) => createClient({ ...given, dispatcher }) };
    };
    const create: Readonly<Record<StackName, () => Stack>> = {
      fcp: () => createFcpStack(through(clouds.favourite, favouriteCloudClient)),
      ocp: () => createOcpStack(through(clouds.other, otherCloudClient)),
      postgresql: () => {
        const { createServer, end } = postgresql.clientsFor(carryOut);
        this.#life.add(end);
        return createPostgresqlStack({ createServer });
      },
      aws: () => createAwsStack(through(aws, awsClient)),
      gcp: () => createGcpStack(through(gcp, googleCloudClient)),
    };
    return this.#options.stacks.map((name) => create[name]());
  }
}
