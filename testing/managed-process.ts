import { Subscription } from 'rxjs';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { printable } from '../apis/core/v1alpha1/printable.ts';
import type { ExternalClient } from '../controllers/managed/connecting/external-client.ts';
import type { ManagedService } from '../controllers/managed/setup.ts';
import { managedController } from '../controllers/managed/setup.ts';
import type { Stack } from '../controllers/stack.ts';
import type { Informers } from '../runtime/cache/informers.ts';
import { createInformers } from '../runtime/cache/informers.ts';
import { isConflict } from '../runtime/client/errors.ts';
import type { ControllerSpec } from '../runtime/controller/controller-spec.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { Result } from '../runtime/controller/reconcile.ts';
import { requeue } from '../runtime/controller/reconcile.ts';
import type { EventRecorder } from '../runtime/events/event-recorder.ts';
import { createLogger } from '../runtime/log/log.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { Random } from '../runtime/time/random.ts';
import type { CarryOut } from './in-process-client.ts';
import { inProcessClient } from './in-process-client.ts';
import type { MemoryCluster } from './memory-cluster.ts';

/** A call of the external client. */
export type ExternalCall = 'observe' | 'create' | 'update' | 'delete';

export interface ManagedProcessOptions {
  readonly kind: Kind<Managed>;
  readonly stack: Stack;
  readonly cluster: MemoryCluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly pollIntervalMs: number;
  /** Records the output: Events, log lines, errors. */
  readonly output: string[];
}

const never = (): Promise<never> => new Promise(() => {});

/** A process with the controller of one managed kind. It runs only when it is called, one run at a time. */
export class ManagedProcess {
  readonly service: ManagedService;
  /** The calls of the external client, in order. */
  readonly calls: ExternalCall[] = [];
  /** The number of writes that the API server executed. */
  writes = 0;
  /** After how many more writes and external changes it is killed. */
  stepsLeft = Number.POSITIVE_INFINITY;
  hasCrashed = false;
  readonly #env: Environment;
  readonly #informers: Informers;
  readonly #controller: ControllerSpec;
  readonly #output: string[];
  readonly #life = new Subscription();
  #crash: () => void = () => {};
  readonly #crashed = new Promise<undefined>((resolve) => {
    this.#crash = () => resolve(undefined);
  });

  constructor({ kind, stack, cluster, clock, random, pollIntervalMs, output }: ManagedProcessOptions) {
    this.#output = output;
    const client = inProcessClient(cluster, clock, this.#carryOut);
    const log = createLogger({ level: 'debug', format: 'json', clock, write: (line) => output.push(line) });
    this.#informers = createInformers({ client, log, random, clock });
    this.#env = {
      client,
      resource: this.#informers.resource,
      events: recorder(output),
      log,
      clock,
      random,
      pollIntervalMs,
      maxExternalCallsPerSecond: 1e9,
    };
    const service = stack.managed(this.#env).find((each) => kindKey(each.kind) === kindKey(kind));
    if (service === undefined) throw new Error(`stack ${stack.name} does not manage ${kind.kind}`);
    this.service = service;
    const { connector } = service;
    this.#controller = managedController(this.#env, {
      ...service,
      stack: stack.name,
      connector: { connect: async (...given) => this.#watched(await connector.connect(...given)) },
    });
    this.#life.add(this.#informers.run$.subscribe());
  }

  /** Resolves when every store is complete. */
  async synced(): Promise<void> {
    await this.#informers.synced(new AbortController().signal);
  }

  /** One run; undefined if the process was killed during it. */
  async reconcile(name: string): Promise<Result | undefined> {
    const { signal } = new AbortController();
    await this.synced();
    const run = this.#controller.reconcile({ name }, signal, this.#env.log).catch((error: unknown) => {
      if (!isConflict(error)) this.#output.push(String(error));
      return requeue;
    });
    return Promise.race([run, this.#crashed]);
  }

  /** Kills the process: its next step does not happen. */
  stop(): void {
    this.hasCrashed = true;
    this.#crash();
    this.#life.unsubscribe();
  }

  #step(): void {
    this.stepsLeft -= 1;
    if (this.stepsLeft <= 0) this.stop();
  }

  #carryOut: CarryOut = async ({ verb }, effect) => {
    if (this.hasCrashed) return never();
    const answer = effect();
    if (verb === 'get') return answer;
    this.writes += 1;
    this.#step();
    return this.hasCrashed ? never() : answer;
  };

  /** The client with its calls recorded. Each of its changes counts as a step. */
  #watched(client: ExternalClient): ExternalClient {
    const watched = async <T>(name: ExternalCall, call: () => Promise<T>): Promise<T> => {
      if (this.hasCrashed) return never();
      this.calls.push(name);
      try {
        return await call();
      } finally {
        if (name !== 'observe') this.#step();
        if (this.hasCrashed) await never();
      }
    };
    const calls: Pick<ExternalClient, ExternalCall | 'disconnect'> = {
      observe: (...given) => watched('observe', () => client.observe(...given)),
      create: (...given) => watched('create', () => client.create(...given)),
      update: (...given) => watched('update', () => client.update(...given)),
      delete: (...given) => watched('delete', async () => (await client.delete(...given)) ?? {}),
      disconnect: async () => client.disconnect?.(),
    };
    // Methods that are not recorded stay the client's own, for both sorts of clients.
    return Object.assign(Object.create(client), calls) as ExternalClient;
  }
}

const recorder = (output: string[]): EventRecorder => ({
  record: (_object, { reason, message }) => void output.push(printable(`${reason}: ${message}`)),
  from: () => recorder(output),
});
