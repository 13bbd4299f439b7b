import isMatch from 'lodash/isMatch.js';
import uniqBy from 'lodash/uniqBy.js';
import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { nothingThere } from '../../../controllers/author/written-name.ts';
import type { ClaimService } from '../../../controllers/core/claim-service.ts';
import type {
  Creation,
  Deletion,
  ExternalClient,
  ExternalConnector,
  Observation,
  Progress,
  Update,
} from '../../../controllers/core/managed/external-client.ts';
import { stackControllers } from '../../../controllers/core/stack.ts';
import type { FakeCluster } from './cluster-fake.ts';
import type { FakeProcessOptions } from './environment-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { managedKind, service } from './objects.ts';

export const providerKind: Kind<Provider> = {
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'Provider',
  plural: 'providers',
  scope: 'Cluster',
};
export const providerConfigKind: Kind<ProviderConfig> = {
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'ProviderConfig',
  plural: 'providerconfigs',
  scope: 'Cluster',
};

export type ExternalMethod = 'connect' | 'observe' | 'create' | 'update' | 'delete' | 'poll' | 'disconnect';

/** One resource of the external system. */
export interface ExternalThing {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Shown only by the call that sets it, as real systems do; absent: it has none. */
  readonly password?: string;
}

/**
 * An external system in memory, which outlives a process as the cluster does. A thing is up to date when it holds all
 * that `forProvider` says, however deep, and its password is known, and it is usable at once. With `assigns` it names
 * what it makes; otherwise a second thing of one name is refused by nobody but answered with success, as ExternalClient
 * wants it.
 */
export class FakeExternal implements ExternalConnector {
  readonly calls: ExternalMethod[] = [];
  readonly things = new Map<string, ExternalThing>();
  /** How many things were ever made. */
  made = 0;
  /** What `create`, and only it, was given as `forProvider`. */
  createdWith: object | undefined;
  /** What the last look was told of connection details. */
  known: ConnectionDetails = {};
  readonly assigns: boolean;
  /** Called before each call takes effect: throw to fail it, never settle to cut the process off. */
  gate: (method: ExternalMethod) => Promise<void> | void = () => {};
  /** The same, after it took effect. */
  afterCall: (method: ExternalMethod) => Promise<void> | void = () => {};
  /** Why nothing is to be created. */
  uncreatable: string | undefined;
  /** Laid over every observation of what exists. */
  observation: Partial<Observation> = {};
  creation: Partial<Creation<Managed, string>> = {};
  change: Partial<Update<Managed, string>> = {};
  deletion: Partial<Deletion<string>> = {};
  /** The name it assigns comes with the end of the operation. */
  assignsLate = false;
  /** New credentials come with the end of the operation. */
  tellsLate = false;
  /** How operations are going, by name; undefined: it has none. */
  progress: ((name: string) => Progress) | undefined;
  /** What exists does not show, as in an eventually consistent system. */
  isBlind = false;
  ready: ReadyFacts = available();
  /** Where a thing is kept: by its name, unless something else tells as well. */
  placeOf: (managed: Managed) => string = (managed) => externalName(managed) ?? '';
  /** Which system this is; undefined: it does not say. */
  system: string | undefined;
  /** As most clouds, it does not tell whether a password is the right one. */
  isDiscreet = false;
  /** Deletion is only begun. */
  isDeletionSlow = false;

  #passwords = 0;

  constructor({ assigns = false } = {}) {
    this.assigns = assigns;
  }

  put(name: string, values: ExternalThing['values'] = {}, password?: string): void {
    this.things.set(name, { name, values, ...(password === undefined ? {} : { password }) });
  }

  count(method: ExternalMethod): number {
    return this.calls.filter((call) => call === method).length;
  }

  async connect(): Promise<ExternalClient> {
    const { progress } = this;
    const poll = progress && ((name: string) => this.#call('poll', () => progress(name)));
    return this.#call('connect', () => ({
      observe: (managed, known) => this.#call('observe', () => this.#observe(managed, known)),
      create: (managed) => this.#call('create', () => this.#create(managed)),
      update: (managed) => this.#call('update', () => this.#update(managed)),
      delete: (managed) => this.#call('delete', () => this.#delete(managed)),
      disconnect: () => this.#call('disconnect', () => undefined),
      ...((poll && { poll }) as { readonly poll: NonNullable<typeof poll> }),
      ...(this.system !== undefined && { system: async () => this.system ?? '' }),
    }));
  }

  async #call<R>(method: ExternalMethod, effect: () => R): Promise<R> {
    this.calls.push(method);
    await this.gate(method);
    const result = effect();
    await this.afterCall(method);
    return result;
  }

  #observe(managed: Managed, known: ConnectionDetails): Observation {
    this.known = known;
    const thing = this.things.get(this.placeOf(managed));
    if (thing === undefined || this.isBlind) return nothingThere(this.uncreatable);
    const { password } = thing;
    const isKnown =
      password === undefined ||
      (this.isDiscreet ? known.password !== undefined : known.password === password);
    return {
      exists: true,
      isUpToDate: isKnown && isMatch(thing.values, managed.spec.forProvider ?? {}),
      ...(isKnown ? {} : { setsCredentials: true }),
      ready: isKnown ? this.ready : unavailable('password unknown'),
      details: { endpoint: `${thing.name}.example` },
      ...this.observation,
    };
  }

  #create(managed: Managed): Creation<Managed, string> {
    const name = this.assigns ? `assigned-${this.made + 1}` : this.placeOf(managed);
    this.createdWith = managed.spec.forProvider ?? {};
    if (!this.things.has(name)) this.made += 1;
    return {
      ...this.#set(name, { ...managed.spec.forProvider }, 'made-at-creation'),
      ...(this.assigns && !this.assignsLate ? { externalName: name } : {}),
      ...this.creation,
    };
  }

  #update(managed: Managed): Update<Managed, string> {
    const name = this.placeOf(managed);
    const values = { ...this.things.get(name)?.values, ...managed.spec.forProvider };
    const told = this.#set(name, values, 'made-at-update');
    return { ...(this.tellsLate ? {} : told), ...this.change };
  }

  #set(name: string, values: ExternalThing['values'], word: string) {
    this.#passwords += 1;
    const password = `${word}-${this.#passwords}`;
    this.put(name, values, password);
    return { details: { password } };
  }

  #delete(managed: Managed): Deletion<string> {
    if (!this.isDeletionSlow) this.things.delete(this.placeOf(managed));
    return this.deletion;
  }
}

/**
 * A process that runs every controller of a stack with these claim services over the external system. Each call that
 * changes something outside is a step that the process may not survive.
 */
export function startStack(
  cluster: FakeCluster,
  external: FakeExternal,
  {
    services = [service],
    ...options
  }: FakeProcessOptions & { readonly services?: readonly ClaimService[] } = {},
): FakeProcess {
  external.afterCall = (method) => {
    if (method === 'create' || method === 'update' || method === 'delete') cluster.step();
  };
  const kinds = uniqBy([managedKind, ...services.map(({ managed }) => managed)], kindKey);
  const managed = kinds.map((kind) => ({
    kind,
    connector: kind === managedKind ? external : new FakeExternal(),
    providers: { provider: providerKind, providerConfig: providerConfigKind },
    externalNames: 'deterministic' as const,
  }));
  return new FakeProcess(
    cluster,
    (env) => stackControllers(env, [{ name: 'fcp', claims: services, managed: () => managed }]),
    options,
  );
}
