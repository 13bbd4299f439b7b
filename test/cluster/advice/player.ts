import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import merge from 'lodash/merge.js';
import mergeWith from 'lodash/mergeWith.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { isNotFound } from '../../../runtime/client/errors.ts';
import { EventKind } from '../../../runtime/events/event-kind.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import type { FancySQLInstance } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { FavouriteDBInstance } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import type { FavouriteCloud } from '../../../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../../testing/favourite-cloud/server.ts';
import type { Trace } from '../../../trace/model/trace.ts';
import { traceOf } from '../../../trace/model/trace-of.ts';
import { apiSource } from '../../../trace/read/api-source.ts';
import { collect } from '../../../trace/read/collect.ts';
import type { FancySQLFixture } from '../fancysql-fixture.ts';
import { credentialsNamespace, favouriteClassRef } from '../fancysql-fixture.ts';
import type { StackProcess } from '../stack-harness.ts';
import { eventually } from '../stack-harness.ts';
import { checkLogin } from './postgresql-login.ts';
import { commandIn, formOf, leftOf, printedIn } from './printed.ts';
import type { WatchedReader } from './watched-reader.ts';
import { catalogue } from './watched-reader.ts';

/** So rare that no poll finds a correction: the correction itself triggers the next run, or a back-off ends. */
export const pollInterval = '1h';

/** kubectl finds the plugin. */
const withPlugin = `${join(import.meta.dirname, '..', '..', '..', 'trace')}:${process.env.PATH}`;

/** One situation, the advice that a reader sees in it, and what the reader does. */
export interface Row {
  /** Brings about the situation. */
  readonly situation: (at: Place) => Promise<unknown>;
  /** The words of the advice. Default: the piece of the catalogue that the row is for. A row without words has a fault. */
  readonly says?: (at: Place) => string | Promise<string>;
  /** Where the words are. Default: the conditions of the claim. */
  readonly where?: (at: Place) => Promise<string | undefined>;
  /** The reason of the claim's Ready condition in the situation. */
  readonly reason?: string;
  /** The fault that trace finds. */
  readonly fault?: string;
  /** Does exactly what the advice says. */
  readonly act: (at: Place) => Promise<unknown>;
  /** Whether the result is reached. Default: the claim is Bound and Ready. */
  readonly ends?: (at: Place) => Promise<boolean>;
  /**
   * The commands that are printed in the situation besides the one of `act`, by a part of their text. A text: the reason
   * why no play of this row runs the command.
   */
  readonly others?: Readonly<Record<string, Other | string>>;
}

/** Another command of a situation. `ends`: the result, if it is not that of the row. */
export interface Other extends Pick<Row, 'ends'> {
  readonly act: (at: Place, command: string) => Promise<unknown>;
}

/** The reader runs the command as it is. */
export const asPrinted: Other = { act: (at, command) => at.run(command) };

/** Rows for pieces of a catalogue. The test requires that each piece has one. */
export type RowsFor<Catalogue> = Readonly<Partial<Record<keyof Catalogue, Row>>>;

/** A namespace of a row's own, with a class that works, and the verbs of a user. */
export class Place {
  readonly fixture: FancySQLFixture;
  readonly namespace: string;
  /** The reader's view of the cluster. */
  readonly reader: Pick<WatchedReader, 'get' | 'list'>;
  readonly clouds: FavouriteCloud[] = [];
  /** Clusters of their own, with a process that only observes. */
  readonly rehearsals: (FancySQLFixture & { readonly running: StackProcess })[] = [];
  /** The logins of the row's other external systems. */
  readonly logins: Login[] = [];
  /** To be stopped at the end. */
  readonly servers: { stop(): Promise<void> }[] = [];
  /** The commands and statements that the reader ran. */
  readonly ran: string[] = [];

  constructor(fixture: FancySQLFixture, namespace: string, reader: Pick<WatchedReader, 'get' | 'list'>) {
    this.fixture = fixture;
    this.namespace = namespace;
    this.reader = reader;
  }

  get key() {
    return { namespace: this.namespace, name: 'db' };
  }

  /** A name that no other row uses, for objects without a namespace. */
  named(name: string): string {
    return `${this.namespace}-${name}`;
  }

  claim(spec: FancySQLInstance['spec'] = { classRef: this.classRef() }, name = 'db') {
    return this.fixture.claim(this.namespace, name, {
      writeConnectionSecretToRef: { name: `${name}-connection` },
      ...spec,
    });
  }

  classRef(name = 'small') {
    return favouriteClassRef(this.named(name));
  }

  class(name: string, template: Parameters<FancySQLFixture['favouriteClass']>[1] = {}) {
    return this.fixture.favouriteClass(this.named(name), template);
  }

  managed(name: string, spec: Partial<FavouriteDBInstance['spec']> = {}) {
    return this.fixture.managed(this.named(name), spec);
  }

  find(name = 'db') {
    return this.fixture.getClaim(this.namespace, name);
  }

  /** The managed resource of the claim, as soon as the claim names one. */
  resource(claim = 'db'): Promise<FavouriteDBInstance> {
    return eventually('the claim has a resource', async () => {
      const reference = (await this.find(claim))?.spec.resourceRef;
      return reference && this.fixture.cluster.find(FavouriteDBInstanceKind, { name: reference.name ?? '' });
    });
  }

  /** Creates an object with this name of the row's own, and without a namespace. */
  create(kind: Kind, name: string, spec: object, annotations = {}): Promise<unknown> {
    return this.make(kind, { name: this.named(name), annotations }, { spec });
  }

  make<T extends KubernetesObject>(kind: Kind<T>, metadata: T['metadata'], rest: object): Promise<T> {
    return this.fixture.cluster.create(kind, metadata, rest);
  }

  /** Creates a class that publishes to the namespace of credentials. */
  makeClass(kind: Kind, name: string, specTemplate: object): Promise<unknown> {
    const template = { writeConnectionSecretsToNamespace: credentialsNamespace, ...specTemplate };
    return this.make(kind, { name: this.named(name) }, { specTemplate: template });
  }

  /** Sets an annotation: `key=value`, or removes it: `key-`, as `kubectl annotate` does. */
  annotate(kind: Kind, name: string, annotation: string): Promise<void> {
    const [, key = '', value] = /^([^=]*)(?:=(.*)|-)$/.exec(annotation) ?? [];
    return this.edit(kind, { name }, { metadata: { annotations: { [key]: value ?? null } } });
  }

  /** The controllers observe the external resource now, not at the next poll. A resource that is gone needs no more. */
  async observeAgain(kind: Kind, name: string): Promise<void> {
    const annotations = { [annotationKeys.reconcileRequestedAt]: `${Date.now()}` };
    await eventually(`${kind.kind} ${name} is observed again`, async () => {
      const { client } = this.fixture.cluster;
      const now = await this.fixture.cluster.find(kind, { name });
      if (now !== undefined) await client.replace(kind, merge({}, now, { metadata: { annotations } }));
      return true;
    });
  }

  /** Whether every condition of an object of the row's own is True. */
  async works(kind: Kind, name: string): Promise<boolean> {
    const conditions = await this.#conditionsOf(kind, { name: this.named(name) });
    return conditions.length > 0 && conditions.every(({ status }) => status === 'True');
  }

  /** Waits until every condition of an object of the row's own is True. */
  async working(kind: Kind, name: string): Promise<void> {
    await eventually(`${kind.kind} ${name} works`, async () => {
      if (await this.works(kind, name)) return true;
      throw new Error(await this.messagesOf(kind, { name: this.named(name) }));
    });
  }

  /** Waits until the controllers have acted on an object as it is now. */
  async acted<T extends KubernetesObject>(kind: Kind<T>, name: string): Promise<void> {
    await eventually(`the controllers act on ${kind.kind} ${name}`, async () => {
      const { metadata, status } = (await this.fixture.cluster.client.get(kind, { name })) as Conditioned;
      return status?.observedGeneration === metadata.generation;
    });
  }

  /** Waits until a text has these words. */
  async shows(words: string, read: () => Promise<string | undefined>): Promise<void> {
    await eventually(`the reader sees: ${words}`, async () => {
      const text = (await read()) ?? '';
      if (text.includes(words)) return true;
      throw new Error(text);
    });
  }

  /** Changes something in several steps, of which the controllers see the last one only. Then they observe again. */
  async whilePaused(kind: Kind, name: string, change: () => Promise<unknown>): Promise<void> {
    await this.annotate(kind, name, `${annotationKeys.paused}=true`);
    await this.shows('reconciliation is paused', () => this.messagesOf(kind, { name }));
    await change();
    await this.annotate(kind, name, `${annotationKeys.paused}-`);
  }

  async isGone(kind: Kind, name: string): Promise<boolean> {
    return (await this.fixture.cluster.find(kind, { name: this.named(name) })) === undefined;
  }

  /** Merges a patch into an object, as `kubectl edit` does: against the newest version. */
  async edit<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, patch: object): Promise<void> {
    await eventually(`${kind.kind} ${key.name} can be edited`, async () => {
      const { client } = this.fixture.cluster;
      const now = await client.get(kind, key);
      await client.replace(kind, withoutNulls(mergeWith({}, now, patch, listsWhole)));
      return true;
    });
  }

  /** Edits an object of the row's own, which has no namespace. */
  editSpec(kind: Kind, name: string, spec: object): Promise<void> {
    return this.edit(kind, { name: this.named(name) }, { spec });
  }

  editClaim(spec: object): Promise<void> {
    return this.edit(FancySQLInstanceKind, this.key, { spec });
  }

  editPolicies(name: string, managementPolicies: readonly string[]): Promise<void> {
    return this.edit(FavouriteDBInstanceKind, { name }, { spec: { managementPolicies } });
  }

  delete<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey = this.key): Promise<unknown> {
    return this.fixture.cluster.client.delete(kind, key, {});
  }

  /** A Secret that someone wrote by hand, with these entries alone. */
  async secret(namespace: string, name: string, entries: ConnectionDetails): Promise<void> {
    const { client, find } = this.fixture.cluster;
    const data = encodeDetails(entries);
    const before = await find(SecretKind, { namespace, name });
    if (before !== undefined) await client.replace(SecretKind, { ...before, data });
    else await this.make(SecretKind, { namespace, name }, { data });
  }

  /** A cloud of the row's own, with a ProviderConfig that names it. `credentials`: instead of those that work. */
  async cloud(credentials?: (cloud: FavouriteCloud) => object | undefined): Promise<FavouriteCloud> {
    const cloud = await this.cloudWithoutConfig(credentials);
    await this.providerConfig();
    return cloud;
  }

  /** The same without the ProviderConfig. A class names it. */
  async cloudWithoutConfig(
    credentials?: (cloud: FavouriteCloud) => object | undefined,
  ): Promise<FavouriteCloud> {
    const cloud = await startFavouriteCloud({ flavour: 'favourite', provisioningMs: 50 });
    this.clouds.push(cloud);
    this.servers.push(cloud);
    const given = credentials === undefined ? this.workingCredentials : credentials(cloud);
    if (given !== undefined) await this.credentials(given);
    const template = { providerRef: undefined, providerConfigRef: { name: this.named('cloud') } };
    await this.class('own', { template: template as object });
    return cloud;
  }

  /** The ProviderConfig for {@link cloud}. */
  providerConfig(credentials: object = this.inSecret('cloud')): Promise<unknown> {
    return this.create(ProviderConfigKind, 'cloud', { credentials });
  }

  /** The credentials of a provider are in this Secret of the row's own. */
  inSecret(name: string, key = 'credentials') {
    const secretRef = { namespace: credentialsNamespace, name: this.named(name), key };
    return { source: 'Secret', secretRef };
  }

  /** The credentials of {@link cloud} that work. */
  get workingCredentials(): object {
    const [cloud] = this.clouds;
    return { url: cloud?.url, token: cloud?.token };
  }

  credentials(given: object = this.workingCredentials): Promise<void> {
    return this.secret(credentialsNamespace, this.named('cloud'), { credentials: JSON.stringify(given) });
  }

  /** The entries of the Secret that a managed resource of the row's own publishes. */
  async published(name: string): Promise<ConnectionDetails> {
    const key = { namespace: credentialsNamespace, name: this.named(name) };
    return decodeDetails(await this.fixture.cluster.find(SecretKind, key));
  }

  /** The messages of the claim's conditions. */
  messages(name = 'db'): Promise<string> {
    return this.messagesOf(FancySQLInstanceKind, { ...this.key, name });
  }

  async messagesOf(kind: Kind, key: ObjectKey): Promise<string> {
    return (await this.#conditionsOf(kind, key)).map(({ message = '' }) => message).join('\n');
  }

  async #conditionsOf(kind: Kind, key: ObjectKey): Promise<readonly Condition[]> {
    const found = (await this.visible(kind, key)) as Conditioned | undefined;
    return found?.status?.conditions ?? [];
  }

  /** An object as the reader sees it; undefined if there is none. */
  async visible<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): Promise<T | undefined> {
    return this.reader.get(kind, key).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  /** The messages of the Events about an object. */
  async events(name: string, namespace = 'default'): Promise<string> {
    const fieldSelector = `involvedObject.name=${name}`;
    const { items } = await this.reader.list(EventKind, { namespace, fieldSelector });
    return items.map(({ message }) => message).join('\n');
  }

  async trace(): Promise<Trace> {
    const source = apiSource(this.reader);
    const options = { catalogue, source, clock: realClock() };
    return traceOf(await collect(options, { known: catalogue.named('fancysqlinstance'), key: this.key }));
  }

  /** The command that trace prints, the first one with this part. Waits for it. */
  tracedCommand(part = ''): Promise<string> {
    return eventually(`trace prints a command ${part}`, async () =>
      (await this.trace()).fault?.commands?.find((command) => command.includes(part)),
    );
  }

  /** Runs a printed command as a user does, in a shell. Answers with its output. */
  async run(command: string): Promise<string> {
    this.ran.push(command);
    const { kubeconfigPath } = this.fixture.cluster.controlPlane;
    const { stdout } = await promisify(execFile)('sh', ['-ec', command], {
      env: { ...process.env, PATH: withPlugin, KUBECONFIG: kubeconfigPath, EDITOR: 'false' },
      timeout: 120_000,
    });
    return stdout;
  }

  /**
   * Whether a claim is Bound and Ready, its resource names it as its owner, and its Secret opens the external resource.
   * For PostgreSQL, rejects with the words of psql if it does not.
   */
  async usable(name = 'db', kind: Kind<Claim> = FancySQLInstanceKind): Promise<boolean> {
    const key = { namespace: this.namespace, name };
    if (!isBound(await this.visible(kind, key))) return false;
    // A watch may still show a claim that was replaced by another one of its name.
    const claim = await this.fixture.cluster.find(kind, key);
    return isBound(claim) && (await this.#isOwned(claim)) && (await this.#opens(claim));
  }

  async #isOwned({ metadata, spec: { resourceRef } }: Claim): Promise<boolean> {
    const service = catalogue.managed.find(({ kind }) => kind.kind === resourceRef?.kind);
    const managed =
      service && (await this.fixture.cluster.find(service.kind, { name: resourceRef?.name ?? '' }));
    return managed !== undefined && managed.spec.claimRef?.uid === metadata.uid;
  }

  /** Logs in with the entries of the claim's Secret. A claim without a Secret has none. */
  async #opens({ metadata: { name }, spec: { writeConnectionSecretToRef: to } }: Claim): Promise<boolean> {
    if (to === undefined) return true;
    const key = { namespace: this.namespace, name: to.name };
    const details = decodeDetails(await this.fixture.cluster.find(SecretKind, key));
    if (details.provider === 'postgresql') {
      await checkLogin(details, `${this.namespace}/${name}`);
      return true;
    }
    const { favourite, other } = this.fixture;
    return [...[favourite, other, ...this.clouds].map(loginOf), ...this.logins].some((login) =>
      login(details),
    );
  }
}

const isBound = (claim: Claim | undefined): claim is Claim =>
  claim?.status?.bindingPhase === 'Bound' && isConditionTrue(claim.status.conditions, 'Ready');

/** A login of the external system, which takes the entries of a Secret. */
export type Login = (details: ConnectionDetails) => boolean;

/** An instance of the emulator accepts the user and the password at its address. */
const loginOf =
  (cloud: FavouriteCloud): Login =>
  ({ endpoint, port, username, password }) =>
    cloud
      .instances()
      .some(
        ({ item }) =>
          item.hostname === endpoint &&
          String(item.port) === port &&
          item.username === username &&
          item.password === password,
      );

type Conditioned = KubernetesObject & {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number };
};

/** The words are in the conditions of an object of the row's own, which works at the end. */
export const about = (kind: Kind, name: string) => ({
  where: (at: Place) => at.messagesOf(kind, { name: at.named(name) }),
  ends: (at: Place) => at.works(kind, name),
});

/** A merge patch replaces a list as a whole. */
const listsWhole = (_before: unknown, after: unknown): unknown => (Array.isArray(after) ? after : undefined);

/** Removes the fields that a merge patch removes with null. */
function withoutNulls<T>(value: T): T {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const remaining = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(remaining.map(([key, each]) => [key, withoutNulls(each)])) as T;
}

/** Plays one row. `again`: a place for a play of another command. Returns the milliseconds from correction to result. */
export async function play(
  row: Row,
  at: Place,
  piece: string | undefined,
  again: () => Promise<Place>,
): Promise<number> {
  await arrive(row, at, piece);
  const printed = await printedIn(at);
  const startedMs = performance.now();
  await row.act(at);
  await ended(row, at, row.ends ?? ((place) => place.usable()));
  const tookMs = performance.now() - startedMs;
  for (const form of leftOf(printed, at)) await playOther(row, form, again, piece);
  return tookMs;
}

/** A request to observe again is for the time after the correction. */
const retry = ({ act }: Row): Other => ({
  async act(at, command) {
    await act(at);
    await at.run(command);
  },
});

/** Plays a command that is printed in the situation of a row, and that its reader did not run. */
async function playOther(
  row: Row,
  form: string,
  again: () => Promise<Place>,
  piece: string | undefined,
): Promise<void> {
  const others = Object.entries({ ...row.others, [annotationKeys.reconcileRequestedAt]: retry(row) });
  const [, other] = others.find(([part]) => form.includes(part)) ?? [];
  if (other === undefined) throw new Error(`no row plays the command that is printed: ${form}`);
  if (typeof other === 'string') return;
  const at = await again();
  await arrive(row, at, piece);
  const command = await commandIn(at, (one) => formOf(one, at) === form);
  await other.act(at, command);
  await ended(row, at, other.ends ?? row.ends ?? ((place) => place.usable()));
}

/** Brings about the situation, and waits until the reader can see the advice and the cause. */
async function arrive(row: Row, at: Place, piece: string | undefined): Promise<void> {
  await row.situation(at);
  const words = (await row.says?.(at)) ?? piece;
  if (words !== undefined) await at.shows(words, async () => (row.where ? row.where(at) : at.messages()));
  else if (row.fault === undefined) throw new Error('a row needs words or a fault');
  // Without a condition of the claim, the trace doubts that the controllers run.
  await eventually('the claim has a condition', async () => {
    const claim = await claimOf(at);
    return claim === undefined || claim.status?.conditions !== undefined;
  });
  if (row.reason !== undefined || row.fault !== undefined) await checkCause(row, at);
}

/** The claim of the row as the reader sees it. */
const claimOf = (at: Place): Promise<FancySQLInstance | undefined> =>
  at.visible(FancySQLInstanceKind, at.key);

const ended = (row: Row, at: Place, ends: NonNullable<Row['ends']>): Promise<unknown> =>
  eventually('the advice works', async () => {
    if (await ends(at)) return true;
    throw new Error(`${await row.where?.(at)} ${JSON.stringify((await claimOf(at))?.status)}`);
  });

async function checkCause({ reason, fault }: Row, at: Place): Promise<void> {
  await eventually('REASON and trace name the cause', async () => {
    const ready = (await claimOf(at))?.status?.conditions?.find(({ type }) => type === 'Ready');
    const isReason = (reason ?? ready?.reason) === ready?.reason;
    const found = isReason && fault !== undefined ? (await at.trace()).fault?.name : undefined;
    if (isReason && found === fault) return true;
    throw new Error(`${ready?.reason}, ${found}: ${ready?.message}`);
  });
}
