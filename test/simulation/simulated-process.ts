import { Subject, Subscription } from 'rxjs';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { otherCloudClient } from '../../clients/other-cloud.ts';
import { composition } from '../../controllers/composition.ts';
import type { Stack } from '../../controllers/core/stack.ts';
import { createFcpStack } from '../../controllers/fcp/setup.ts';
import { createOcpStack } from '../../controllers/ocp/setup.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { LogLevel } from '../../runtime/log/log.ts';
import { createLogger } from '../../runtime/log/log.ts';
import { run } from '../../runtime/process/run.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import type { Chance } from './chance.ts';
import type { DoorOptions } from './doors.ts';
import { apiDoor, outsideDoor } from './doors.ts';
import type { WatchLines } from './watch-lines.ts';

export interface SimulatedProcessOptions extends Omit<DoorOptions, 'isDead'> {
  /** `p1` for the first of a run. */
  readonly id: string;
  readonly chance: Chance;
  /** The API server, with nothing between. */
  readonly client: KubernetesClient;
  readonly clouds: Readonly<Record<'favourite' | 'other', InProcessCloud>>;
  readonly logLevel: LogLevel;
  readonly write: (line: string) => void;
  /** A reconcile has ended. */
  readonly ran: () => void;
  /** It runs no more, for whatever reason. */
  readonly died: () => void;
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

/** One life of the process, put together as `main.ts` does: informers, queues, all controllers and all stacks. */
export class SimulatedProcess {
  readonly id: string;
  readonly watches: WatchLines;
  readonly #options: SimulatedProcessOptions;
  readonly #life = new Subscription();
  readonly #stop$ = new Subject<void>();
  readonly #kinds = new Set<string>();
  readonly #ended = Promise.withResolvers<void>();
  #isDead = false;

  constructor(options: SimulatedProcessOptions) {
    this.id = options.id;
    this.watches = options.watches;
    this.#options = options;
  }

  /** The kinds it watches. */
  get kinds(): readonly string[] {
    return [...this.#kinds];
  }

  start(): void {
    const { id, clock, chance, logLevel, write, ran } = this.#options;
    let draws = 0;
    const random = (): number => {
      draws += 1;
      return chance('random', id, draws);
    };
    const door: DoorOptions = { ...this.#options, isDead: () => this.#isDead };
    const client = apiDoor(this.#options.client, door);
    const watching: KubernetesClient = {
      ...client,
      watch: (kind, options) => {
        this.#kinds.add(kind.kind);
        return client.watch(kind, options);
      },
    };
    const log = createLogger({
      level: logLevel,
      format: 'json',
      clock,
      write: (line) => {
        if (!this.#isDead) write(line);
      },
    });
    const { informers, events, controllers } = composition({
      client: watching,
      component: 'services-stack',
      stacks: this.#stacks(door),
      log,
      clock,
      random,
      ...flags,
    });
    const running$ = run({
      informers,
      controllers,
      background: [events.run$],
      stop$: this.#stop$,
      log,
      clock,
      random,
      ...flags,
    });
    this.#life.add(
      running$.subscribe({
        next: ran,
        complete: () => {
          this.kill();
          this.#ended.resolve();
        },
      }),
    );
  }

  /** It dies: what it was about to do does not happen. */
  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#life.unsubscribe();
    this.#options.died();
  }

  /** SIGTERM. Resolves when it has come to its end; never if it is killed before. */
  terminate(): Promise<void> {
    this.#stop$.next();
    return this.#ended.promise;
  }

  #stacks(door: DoorOptions): readonly Stack[] {
    const { clouds, chance, id } = this.#options;
    const carryOut = outsideDoor(door);
    let passwords = 0;
    const generatePassword = (): string => {
      passwords += 1;
      return `pw-${id}-${passwords}-${Math.floor(chance('password', id, passwords) * 2 ** 32).toString(36)}`;
    };
    const favourite = clouds.favourite.carrierFor(carryOut);
    const other = clouds.other.carrierFor(carryOut);
    return [
      createFcpStack({
        createClient: (options) => favouriteCloudClient({ ...options, dispatcher: favourite }),
        generatePassword,
      }),
      createOcpStack({
        createClient: (options) => otherCloudClient({ ...options, dispatcher: other }),
        generatePassword,
      }),
    ];
  }
}
