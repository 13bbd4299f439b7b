import mapValues from 'lodash/mapValues.js';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import type { CarryOut, Verb } from '../../testing/in-process-client.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import { conflict } from '../../testing/memory-cluster.ts';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import { EnforcingCluster } from '../fakes/enforcing-cluster.ts';
import { granted, rightsOfTests } from '../fakes/granted.ts';
import type { Withdrawal, WithdrawnKinds } from '../fakes/withdrawn-kinds.ts';
import { withdrawnKinds } from '../fakes/withdrawn-kinds.ts';

export { conflict, type Verb };

/** A call that reached the cluster. */
export interface ApiCall {
  readonly verb: Verb;
  readonly kind: string;
  readonly key: string;
}

/** Decides about a call before it is carried out: throw to refuse it, never settle to cut the process off. */
export type Gate = (call: ApiCall) => Promise<void> | void;

/** The process died: nothing after this call happened. */
class Crash extends Error {}

export const broken = () => new ApiError('etcd is unavailable', { code: 500, reason: 'InternalError' });
/** The refusal to create an object in a namespace that is being deleted. */
export const terminating = (): ApiError =>
  new ApiError('unable to create new content in namespace because it is being terminated', {
    code: 403,
    reason: 'NamespaceTerminating',
  });
export const forbidden = (message = 'denied by a webhook') =>
  new ApiError(message, { code: 403, reason: 'Forbidden' });

/** Parts of an object, with the fields to set. */
interface Fields {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

interface Hook {
  readonly verb: Verb;
  readonly kind: string;
  readonly act: () => void;
  left: number;
}

/** The permissions and limits of a process. */
const rights = rightsOfTests();

/**
 * A cluster in memory and the clock, which both outlive a process. Calls of single objects are recorded in
 * order. A test can make a call fail, let another client change the object first, or end the process after
 * the call.
 */
export class FakeCluster {
  readonly clock: TestClock;
  /** Every call, refused ones too; lists and watches are not counted. */
  readonly calls: ApiCall[] = [];
  /** Those that were carried out and are no reads. */
  readonly writes: ApiCall[] = [];
  gate: Gate = () => {};
  /** The same, after the call took effect. */
  afterCall: Gate = () => {};
  readonly client: KubernetesClient;
  /** How many more writes (and external calls) the process survives. */
  stepsLeft = Number.POSITIVE_INFINITY;
  readonly #memory = new EnforcingCluster(() => this.clock.now());
  readonly #kinds: WithdrawnKinds;
  readonly #whenCrashed = new Set<() => void>();
  #hooks: Hook[] = [];

  /** `clock`: that of another cluster, if both use the same external systems. */
  constructor(clock: TestClock = testClock()) {
    this.clock = clock;
    const client = inProcessClient(this.#memory, this.clock, this.#carryOut);
    this.#kinds = withdrawnKinds(granted(client, rights));
    this.client = this.#kinds.client;
  }

  /** Milliseconds since the epoch. */
  get clockMs(): number {
    return this.clock.now().getTime();
  }

  /** Time goes by and nothing happens. */
  set clockMs(toMs: number) {
    this.clock.stall(toMs - this.clockMs);
  }

  /** A create or replace by another client, with the given status. Returns the stored object. */
  put<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    return this.#memory.put(kind, object);
  }

  /** A change by another client. */
  edit<T extends KubernetesObject>(kind: Kind<T>, key: Request, change: (object: T) => T): T {
    return this.put(kind, change(this.#memory.get(kind, key)));
  }

  /** The same: sets these fields of the metadata, the spec and the status. */
  set<T extends KubernetesObject>(kind: Kind<T>, key: Request, fields: Fields): void {
    this.edit(kind, key, (object) => ({
      ...object,
      ...mapValues(fields, (changed, part: keyof Fields) => ({ ...(object as Fields)[part], ...changed })),
    }));
  }

  /** `kubectl delete` by a user at that time: finalizers hold. An object that does not exist is no error. */
  delete(kind: Kind, key: Request, at?: string): void {
    this.#memory.leave(kind, key, at);
  }

  /** There is no definition of a kind (any more): whatever is asked about it is not found. */
  withdraw(kind: Kind, options?: Withdrawal): void {
    this.#kinds.withdraw(kind, options);
  }

  isWithdrawn(kind: Kind): boolean {
    return this.#kinds.isWithdrawn(kind);
  }

  /** There is one (again). */
  serve(kind: Kind): void {
    this.#kinds.serve(kind);
  }

  get<T extends KubernetesObject>(kind: Kind<T>, key: Request): T | undefined {
    return this.#memory.find(kind, key);
  }

  all<T extends KubernetesObject>(kind: Kind<T>): readonly T[] {
    return this.#memory.all(kind);
  }

  /** The writes so far, one line each: `create Secret team/conn`. */
  get writeNames(): readonly string[] {
    return this.writes.map(({ verb, kind, key }) => `${verb} ${kind} ${key}`);
  }

  /** The same; forgets them. */
  takeWrites(): readonly string[] {
    const names = this.writeNames;
    this.writes.length = 0;
    return names;
  }

  /** Runs `act` before the next `times` calls of this verb and kind are answered. It may throw their answer. */
  before(verb: Verb, kind: Kind, act: () => void, times = 1): void {
    this.#hooks.push({ verb, kind: kind.kind, act, left: times });
  }

  /** Refuses the next `times` calls of this verb and kind. */
  refuse(verb: Verb, kind: Kind, error: Error, times = 1): void {
    const refused = () => {
      throw error;
    };
    this.before(verb, kind, refused, times);
  }

  /** Counts a call to the external system as a step, so that a crash can come right after it. */
  step(): void {
    this.stepsLeft -= 1;
    if (this.stepsLeft > 0) return;
    for (const tell of [...this.#whenCrashed]) tell();
    throw new Crash();
  }

  /** Tells when the last step is taken; answers with what ends it. */
  onCrash(tell: () => void): () => void {
    this.#whenCrashed.add(tell);
    return () => this.#whenCrashed.delete(tell);
  }

  #carryOut: CarryOut = async ({ verb, kind, key }, effect) => {
    const call = { verb, kind: kind.kind, key: objectKeyText(key) };
    this.calls.push(call);
    await this.gate(call);
    this.#meet(verb, kind);
    try {
      const result = effect();
      if (verb !== 'get') {
        this.writes.push(call);
        this.step();
      }
      return result;
    } finally {
      await this.afterCall(call);
    }
  };

  #meet(verb: Verb, kind: Kind): void {
    if (this.stepsLeft <= 0) throw new Crash();
    for (const hook of [...this.#hooks]) {
      if (hook.verb !== verb || hook.kind !== kind.kind) continue;
      hook.left -= 1;
      if (hook.left <= 0) this.#hooks = this.#hooks.filter((other) => other !== hook);
      hook.act();
    }
  }
}
