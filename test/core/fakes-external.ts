import { available, type ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import type {
  Creation,
  Deletion,
  ExternalClient,
  ExternalConnector,
  Observation,
  Update,
} from '../../controllers/core/managed/external-client.ts';

export type ExternalMethod = 'connect' | 'observe' | 'create' | 'update' | 'delete' | 'disconnect';

/** One resource of the external system. */
export interface ExternalThing {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * An external system in memory. A thing is up to date when it holds the value of every field of `forProvider`, and
 * it is usable at once. With `assigns` it names what it makes; otherwise a second thing of one name is refused by
 * nobody but answered with success, as ExternalClient wants it.
 */
export class FakeExternal implements ExternalConnector {
  readonly calls: ExternalMethod[] = [];
  readonly things = new Map<string, ExternalThing>();
  /** How many things were ever made. */
  made = 0;
  /** What `create`, and only it, was given as `forProvider`. */
  createdWith: object | undefined;
  readonly assigns: boolean;
  /** Called before each call takes effect: throw to fail it, never settle to cut the process off. */
  gate: (method: ExternalMethod) => Promise<void> | void = () => {};
  /** The same, after it took effect. */
  afterCall: (method: ExternalMethod) => Promise<void> | void = () => {};
  /** Laid over every observation of what exists. */
  observation: Partial<Observation> = {};
  creation: Partial<Creation> = {};
  change: Partial<Update> = {};
  deletion: Partial<Deletion> = {};
  /** What exists does not show, as in an eventually consistent system. */
  isBlind = false;
  ready: ConditionFacts = available();
  /** Deletion is only begun. */
  isDeletionSlow = false;

  constructor({ assigns = false } = {}) {
    this.assigns = assigns;
  }

  put(name: string, values: ExternalThing['values'] = {}): void {
    this.things.set(name, { name, values });
  }

  count(method: ExternalMethod): number {
    return this.calls.filter((call) => call === method).length;
  }

  async connect(): Promise<ExternalClient> {
    return this.#call('connect', () => ({
      observe: (managed) => this.#call('observe', () => this.#observe(managed)),
      create: (managed, known) => this.#call('create', () => this.#create(managed, known)),
      update: (managed) => this.#call('update', () => this.#update(managed)),
      delete: (managed) => this.#call('delete', () => this.#delete(managed)),
      disconnect: () => this.#call('disconnect', () => undefined),
    }));
  }

  async #call<R>(method: ExternalMethod, effect: () => R): Promise<R> {
    this.calls.push(method);
    await this.gate(method);
    const result = effect();
    await this.afterCall(method);
    return result;
  }

  #observe(managed: Managed): Observation {
    const thing = this.things.get(externalName(managed) ?? '');
    if (thing === undefined || this.isBlind) return { exists: false, isUpToDate: false };
    const wanted = Object.entries(managed.spec.forProvider ?? {});
    return {
      exists: true,
      isUpToDate: wanted.every(([key, value]) => JSON.stringify(thing.values[key]) === JSON.stringify(value)),
      ready: this.ready,
      details: { endpoint: `${thing.name}.example` },
      ...this.observation,
    };
  }

  #create(managed: Managed, _known: ConnectionDetails): Creation {
    const name = this.assigns ? `assigned-${this.made + 1}` : (externalName(managed) ?? '');
    this.createdWith = managed.spec.forProvider ?? {};
    if (!this.things.has(name)) {
      this.made += 1;
      this.put(name, managed.spec.forProvider as ExternalThing['values']);
    }
    return {
      details: { password: 'made-at-creation' },
      ...(this.assigns ? { externalName: name } : {}),
      ...this.creation,
    };
  }

  #update(managed: Managed): Update {
    const name = externalName(managed) ?? '';
    this.put(name, { ...this.things.get(name)?.values, ...managed.spec.forProvider });
    return { details: { password: 'made-at-update' }, ...this.change };
  }

  #delete(managed: Managed): Deletion {
    if (!this.isDeletionSlow) this.things.delete(externalName(managed) ?? '');
    return this.deletion;
  }
}
