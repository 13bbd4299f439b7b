import isMatch from 'lodash/isMatch.js';
import uniqBy from 'lodash/uniqBy.js';
import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import { available } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig, SystemFacts } from '../../apis/core/v1alpha1/provider.ts';
import { invalid } from '../../clients/external-error.ts';
import { nothingThere } from '../../controllers/author/written-name.ts';
import type { ClaimService } from '../../controllers/claim-service.ts';
import type { SecretStores } from '../../controllers/connection/secret-store.ts';
import { generatedPassword } from '../../controllers/credential.ts';
import type {
  Creation,
  Deletion,
  DesiredCredential,
  ExternalClient,
  ExternalConnector,
  Observation,
  Progress,
  Update,
} from '../../controllers/managed/connecting/external-client.ts';
import type { ManagedService } from '../../controllers/managed/setup.ts';
import { stackControllers } from '../../controllers/stack.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
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

const cloudKey = { namespace: 'infra', name: 'cloud', key: 'key' };

/** A ProviderConfig, with its credentials in the Secret `infra/cloud` unless others are given. */
export const providerConfig = (
  name = 'default',
  credentials: ProviderConfig['spec']['credentials'] = { source: 'Secret', secretRef: cloudKey },
  { status, ...metadata }: Partial<ObjectMeta> & Pick<ProviderConfig, 'status'> = {},
): ProviderConfig => ({
  apiVersion: 'fcp.crossplane.io/v1alpha3',
  kind: 'ProviderConfig',
  metadata: { name, ...metadata },
  spec: { credentials },
  ...(status && { status }),
});

/** A legacy Provider, likewise. */
export const legacyProvider = (
  name: string,
  spec: Provider['spec'] = { credentialsSecretRef: cloudKey },
): Provider => ({ apiVersion: 'fcp.crossplane.io/v1alpha3', kind: 'Provider', metadata: { name }, spec });

export type ExternalMethod =
  | 'connect'
  | 'check'
  | 'observe'
  | 'create'
  | 'update'
  | 'delete'
  | 'poll'
  | 'disconnect';

/** One resource of the external system. */
export interface ExternalResource {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The one that works. Absent: it has none. */
  readonly password?: string;
  /** The one that it accepted and does not use yet. */
  readonly pendingPassword?: string;
}

/**
 * An external system in memory, which outlives a process as the cluster does. An external resource is up to
 * date when it holds every field of `forProvider`, however deep, and it is usable at once. It has the
 * password that `create` or `update` received. With `assigns` it names the resources that it creates;
 * otherwise `create` returns an existing resource of that name unchanged, and reports that it existed.
 */
export class FakeExternal implements ExternalConnector {
  readonly calls: ExternalMethod[] = [];
  readonly resources = new Map<string, ExternalResource>();
  /** How many things were ever made. */
  made = 0;
  /** The `forProvider` that `create` received; no other call counts. */
  createdWith: object | undefined;
  /** The values that the last call of `observe`, `create` or `update` received. */
  credential: DesiredCredential | undefined;
  /** Every password that was set, in order. */
  readonly passwords: string[] = [];
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
  /** It compares a credential that is not applied, as PostgreSQL does; most clouds cannot. */
  testsCredentials = false;
  /** It accepts a password and does not use it before {@link usePending}. */
  isSettingSlow = false;
  /** Why it refuses a password; undefined: it does not. */
  refusal: (password: string) => string | undefined = () => undefined;
  /** All details are known before the creation. */
  plansDetails = false;
  /** How operations are going, by name; undefined: it has none. */
  progress: ((name: string) => Progress) | undefined;
  /** An existing resource does not show, as in an eventually consistent system. */
  isBlind = false;
  ready: ReadyFacts = available();
  /** Where a thing is kept: by its name, unless something else tells as well. */
  placeOf: (managed: Managed) => string = (managed) => externalName(managed) ?? '';
  /** Why a thing at this place is not ours; undefined: it is. */
  refusalOf: (place: string) => Error | undefined = () => undefined;
  /** Its clients can check a provider that no resource uses. */
  checksProviders = false;
  /** The identity of this system; undefined: the system does not report it. */
  system: string | undefined;
  /** The facts that its clients report; undefined: they report none. */
  systemFacts: SystemFacts | undefined;
  /** Deletion is only begun. */
  isDeletionSlow = false;

  constructor({ assigns = false } = {}) {
    this.assigns = assigns;
  }

  put(name: string, values: ExternalResource['values'] = {}, password?: string): void {
    this.resources.set(name, { name, values, ...(password === undefined ? {} : { password }) });
  }

  /** From now on this happens before each such call takes effect. */
  before(at: ExternalMethod, act: () => unknown): void {
    this.gate = (method) => void (method === at && act());
  }

  /** The same, after it took effect. */
  after(at: ExternalMethod, act: () => unknown): void {
    this.afterCall = (method) => void (method === at && act());
  }

  /** From now on every such call fails. */
  failAt(at: ExternalMethod, error: Error = new Error('no route to cloud')): void {
    this.before(at, () => {
      throw error;
    });
  }

  count(method: ExternalMethod): number {
    return this.calls.filter((call) => call === method).length;
  }

  async connect(): Promise<ExternalClient> {
    const { progress } = this;
    const poll = progress && ((name: string) => this.#call('poll', () => progress(name)));
    return this.#call('connect', () => ({
      observe: (managed, credential) => this.#call('observe', () => this.#observe(managed, credential)),
      create: (managed, credential) => this.#call('create', () => this.#create(managed, credential)),
      update: (managed, credential) => this.#call('update', () => this.#update(managed, credential)),
      delete: (managed) => this.#call('delete', () => this.#delete(managed)),
      disconnect: () => this.#call('disconnect', () => undefined),
      ...(this.systemFacts && { facts: () => this.systemFacts ?? {} }),
      ...((poll && { poll }) as { readonly poll: NonNullable<typeof poll> }),
      ...(this.plansDetails && {
        plannedDetails: (managed: Managed, { value }: DesiredCredential) =>
          detailsOf({ name: this.placeOf(managed) }, value),
      }),
      ...(this.checksProviders && { check: () => this.#call('check', () => undefined) }),
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

  #observe(managed: Managed, credential: DesiredCredential | undefined): Observation {
    this.credential = credential;
    const resource = this.resources.get(this.placeOf(managed));
    if (resource === undefined || this.isBlind) return nothingThere(this.uncreatable);
    const refusal = this.refusalOf(this.placeOf(managed));
    if (refusal !== undefined) throw refusal;
    const verdict = this.#verdictOn(credential, resource);
    return {
      exists: true,
      isUpToDate: isMatch(resource.values, managed.spec.forProvider ?? {}),
      ...(verdict && { credential: verdict }),
      ready: this.ready,
      details: detailsOf(resource, credential?.value),
      ...this.observation,
    };
  }

  #verdictOn(
    credential: DesiredCredential | undefined,
    { password, pendingPassword }: ExternalResource,
  ): Observation['credential'] {
    if (credential === undefined) return undefined;
    if (credential.isApplied) {
      if (!this.isSettingSlow) return undefined;
      return pendingPassword === undefined ? 'inForce' : 'pending';
    }
    if (!this.testsCredentials) return undefined;
    return credential.value === password ? 'inForce' : 'wrong';
  }

  #create(managed: Managed, credential: DesiredCredential | undefined): Creation<Managed, string> {
    const name = this.assigns ? `assigned-${this.made + 1}` : this.placeOf(managed);
    this.credential = credential;
    this.createdWith = managed.spec.forProvider ?? {};
    const isExisting = this.resources.has(name);
    const set = isExisting ? { isExisting } : this.#set(name, { ...managed.spec.forProvider }, credential);
    if (!isExisting) this.made += 1;
    return {
      ...set,
      details: detailsOf({ name }, credential?.value),
      ...(this.assigns && !this.assignsLate ? { externalName: name } : {}),
      ...this.creation,
    };
  }

  #update(managed: Managed, credential: DesiredCredential | undefined): Update<Managed, string> {
    const name = this.placeOf(managed);
    this.credential = credential;
    const values = { ...this.resources.get(name)?.values, ...managed.spec.forProvider };
    const isSetting = credential !== undefined && !credential.isApplied;
    return { ...this.#set(name, values, isSetting ? credential : undefined), ...this.change };
  }

  /** Sets the values, and the password if there is one to set. */
  #set(
    name: string,
    values: ExternalResource['values'],
    credential: DesiredCredential | undefined,
  ): Pick<Update, 'isCredentialPending'> {
    const before = this.resources.get(name);
    if (credential === undefined) {
      this.resources.set(name, { ...before, name, values });
      return {};
    }
    const { value } = credential;
    const refusal = this.refusal(value);
    if (refusal !== undefined) throw invalid(refusal);
    this.passwords.push(value);
    const set = this.isSettingSlow ? { pendingPassword: value } : { password: value };
    this.resources.set(name, { ...before, name, values, ...set });
    return this.isSettingSlow ? { isCredentialPending: true } : {};
  }

  /** Uses the password of a thing that it accepted before. */
  usePending(name: string): void {
    const { pendingPassword, ...resource } = this.resources.get(name) ?? { name, values: {} };
    this.resources.set(name, {
      ...resource,
      ...(pendingPassword !== undefined && { password: pendingPassword }),
    });
  }

  #delete(managed: Managed): Deletion<string> {
    if (!this.isDeletionSlow) this.resources.delete(this.placeOf(managed));
    return this.deletion;
  }
}

/** How a thing is reached; `uri` contains the password. */
const detailsOf = (
  { name }: Pick<ExternalResource, 'name'>,
  password: string | undefined,
): Readonly<Record<string, string>> => ({
  endpoint: `${name}.example`,
  ...(password !== undefined && { uri: `db://:${password}@${name}.example` }),
});

/** A service for managed resources over an external system. */
export const managedService = (
  connector: ManagedService['connector'],
  over: Partial<ManagedService> = {},
): ManagedService => ({
  kind: managedKind,
  connector,
  providers: { provider: providerKind, providerConfig: providerConfigKind },
  externalNames: 'deterministic',
  ...over,
});

/** A process of a stack that has this service and no claims. */
export const startManaged = (cluster: FakeCluster, managed: ManagedService): FakeProcess =>
  new FakeProcess(cluster, (env) =>
    stackControllers(env, [{ name: 'fcp', claims: [], managed: () => [managed] }]),
  );

/**
 * A process that runs every controller of a stack with these claim services over the external system. Each
 * call that changes the external system is a step that the process may not survive.
 */
export function startStack(
  cluster: FakeCluster,
  external: FakeExternal,
  {
    services = [service],
    secretStores,
    ...options
  }: FakeProcessOptions & {
    readonly services?: readonly ClaimService[];
    /** Default: no secret stores. */
    readonly secretStores?: (env: Environment) => SecretStores;
  } = {},
): FakeProcess {
  external.afterCall = (method) => {
    if (method === 'create' || method === 'update' || method === 'delete') cluster.step();
  };
  const secretDetails = { credential: generatedPassword };
  const kinds = uniqBy([managedKind, ...services.map(({ managed }) => managed)], kindKey);
  const managed = kinds.map((kind) =>
    managedService(kind === managedKind ? external : new FakeExternal(), { kind, secretDetails }),
  );
  const claims = services.map((each) => ({ secretDetails, ...each }));
  return new FakeProcess(
    cluster,
    (env) =>
      stackControllers(env, [{ name: 'fcp', claims, managed: () => managed }], {
        ...(secretStores && { secretStores: secretStores(env) }),
      }),
    options,
  );
}
