/*
 *   a rule ──▶ bench.ts ──▶ managed-process.ts: the real reconciler ──▶ the stack's external client ──▶ the world
 *                  └──▶ the cluster in memory, the clock          └──▶ in-process-client.ts
 */

import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { getCondition } from '../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { annotationKeys, wasDeleted } from '../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../apis/core/v1alpha1/secret.ts';
import {
  credentialAnnotation,
  decodeNote,
  generateCredential,
  isApplied,
} from '../controllers/core/credential.ts';
import type { DesiredCredential, ExternalClient } from '../controllers/core/managed/external-client.ts';
import type { Random } from '../runtime/time/random.ts';
import { seededRandom } from '../runtime/time/random.ts';
import { ManagedProcess } from './managed-process.ts';
import { MemoryCluster } from './memory-cluster.ts';
import type { Pace } from './pace.ts';
import { createPace } from './pace.ts';
import type { Conformance, World } from './scenario.ts';
import { secretsIn } from './secrets.ts';
import type { TestClock } from './test-clock.ts';
import { testClock } from './test-clock.ts';
import { Broken, expect } from './verdict.ts';

const namespace = 'conformance';

/** A managed resource that can be used, and what its Secret has. */
export interface Ready {
  readonly managed: Managed;
  readonly known: ConnectionDetails;
  /** Undefined: it has none. */
  readonly credential: DesiredCredential | undefined;
}

/** Where one rule is tried: an empty cluster, an empty world, and a process that has just started. */
export class Bench {
  readonly conformance: Conformance;
  readonly world: World;
  readonly clock: TestClock;
  readonly cluster: MemoryCluster;
  /** What the process told, in Events, logs and errors. */
  readonly told: string[] = [];
  process: ManagedProcess;
  readonly #pace: Pace;
  readonly #random: Random;
  readonly #failures = new Map<string, number>();

  private constructor(conformance: Conformance, world: World, clock: TestClock, random: Random) {
    this.conformance = conformance;
    this.world = world;
    this.clock = clock;
    this.#random = random;
    this.#pace = createPace(clock, conformance.time);
    this.cluster = new MemoryCluster(() => clock.now());
    this.process = this.#start();
    this.#putProvider();
  }

  static async open(conformance: Conformance): Promise<Bench> {
    const [clock, random] = [testClock(), seededRandom(1)];
    return new Bench(conformance, await conformance.open({ clock, random }), clock, random);
  }

  async close(): Promise<void> {
    this.process.stop();
    await this.world.close?.();
  }

  #start(): ManagedProcess {
    const { managed: kind, time } = this.conformance;
    const { clock, cluster, told } = this;
    const pollIntervalMs = time === 'real' ? 500 : 60_000;
    const { stack } = this.world;
    return new ManagedProcess({ kind, stack, clock, cluster, told, pollIntervalMs, random: this.#random });
  }

  /** The process dies, and another begins over the same cluster and the same world. */
  restart(): void {
    this.process.stop();
    this.#failures.clear();
    this.process = this.#start();
  }

  /** As long as a system may take for what it does. */
  get longMs(): number {
    return this.conformance.time === 'real' ? 2_000 : 600_000;
  }

  /** Between two looks at what is on its way. */
  get pauseMs(): number {
    return this.conformance.time === 'real' ? 500 : 5_000;
  }

  get isNameAssigned(): boolean {
    return this.process.service.externalNames === 'assigned';
  }

  /** What must be told nowhere. */
  secrets(...details: readonly ConnectionDetails[]): readonly string[] {
    return secretsIn(this.world.credentials, ...details);
  }

  // What is outside.

  async things(): Promise<readonly unknown[]> {
    return structuredClone(
      await this.settled(Promise.resolve(this.world.things()), 'the world tells its things'),
    );
  }

  /** Throws Broken if what is outside is not as it was. */
  async expectUnchanged(before: readonly unknown[], doing: string, mend: string): Promise<void> {
    const after = await this.things();
    expect(isEqual(after, before), `${doing} changed what is outside: ${differing(before, after)}`, mend);
  }

  // Managed resources.

  /** `forProvider` of one that can be made beside the first, and beside those of other numbers. */
  another(number = 1): object | undefined {
    const { another } = this.conformance;
    return typeof another === 'function' ? another(number) : another;
  }

  /** A managed resource as a user writes it. Its external name is given, as the reconciler does, unless it is assigned. */
  draft(
    name: string,
    forProvider: object = this.conformance.forProvider,
    metadata: Partial<ObjectMeta> = {},
  ): Managed {
    const { managed: kind } = this.conformance;
    const named = this.isNameAssigned ? {} : { [annotationKeys.externalName]: name };
    return {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, ...metadata, annotations: { ...named, ...metadata.annotations } },
      spec: { writeConnectionSecretToRef: { namespace, name }, forProvider },
    };
  }

  put(name: string, forProvider?: object, annotations: Readonly<Record<string, string>> = {}): void {
    const { metadata, ...rest } = this.draft(name, forProvider);
    this.cluster.put(this.conformance.managed, { ...rest, metadata: { ...metadata, annotations } });
  }

  object(name: string): Managed | undefined {
    return this.cluster.find(this.conformance.managed, { name });
  }

  existing(name: string): Managed {
    return this.object(name) ?? fail(`managed resource ${name} is gone`);
  }

  /** Somebody edits `forProvider`. */
  edit(name: string, change: object): void {
    this.replaceForProvider(name, { ...this.existing(name).spec.forProvider, ...change });
  }

  replaceForProvider(name: string, forProvider: object): void {
    const { spec, ...rest } = this.existing(name);
    this.cluster.put(this.conformance.managed, { ...rest, spec: { ...spec, forProvider } });
  }

  /** `forProvider` was always so, as far as anybody remembers: what it says of these fields is on record, too. */
  remember(name: string, forProvider: object, fields: readonly string[]): void {
    this.replaceForProvider(name, forProvider);
    const { metadata, status, ...rest } = this.existing(name);
    const key = annotationKeys.externalIdentity;
    const recorded = (text: string | undefined): string | undefined => {
      if (text === undefined) return undefined;
      const record = JSON.parse(text) as { readonly fields: object };
      return JSON.stringify({
        ...record,
        fields: { ...omit(record.fields, fields), ...pick(forProvider, fields) },
      });
    };
    const annotation = recorded(metadata.annotations?.[key]);
    const annotations = { ...metadata.annotations, ...(annotation !== undefined && { [key]: annotation }) };
    const externalIdentity = recorded(status?.externalIdentity);
    this.cluster.put(this.conformance.managed, {
      ...rest,
      metadata: { ...metadata, annotations },
      status: { ...status, ...(externalIdentity !== undefined && { externalIdentity }) },
    });
  }

  /** Another object of its name takes over what it stands for, as by a manifest that has its external name. */
  takeOver(name: string, forProvider: object): void {
    const { metadata } = this.existing(name);
    const named = metadata.annotations?.[annotationKeys.externalName] ?? name;
    this.cluster.remove(this.conformance.managed, name);
    this.loseSecret(name);
    this.put(name, forProvider, { [annotationKeys.externalName]: named });
  }

  /** Somebody edits other parts of the spec, or all of `forProvider`. */
  respecify(name: string, change: Partial<Managed['spec']>): void {
    const { spec, ...rest } = this.existing(name);
    this.cluster.put(this.conformance.managed, { ...rest, spec: { ...spec, ...change } });
  }

  annotate(name: string, annotations: Readonly<Record<string, string>>): void {
    const { metadata, ...rest } = this.existing(name);
    const all = { ...metadata.annotations, ...annotations };
    this.cluster.put(this.conformance.managed, { ...rest, metadata: { ...metadata, annotations: all } });
  }

  /** Somebody takes its external name away. */
  unname(name: string): void {
    const { metadata, ...rest } = this.existing(name);
    const annotations = omit(metadata.annotations, annotationKeys.externalName);
    this.cluster.put(this.conformance.managed, { ...rest, metadata: { ...metadata, annotations } });
  }

  /** `kubectl delete`. */
  remove(name: string): void {
    this.cluster.leave(this.conformance.managed, { name });
  }

  condition(name: string, type: string): { readonly status: string; readonly message: string } {
    const { status, message = '' } = getCondition(this.object(name)?.status?.conditions, type);
    return { status, message };
  }

  /** Whether it is as it is to be, and nothing is under way. */
  isReady(name: string): boolean {
    const isUnderWay = this.condition(name, 'AsyncOperation').status === 'False';
    return (
      !isUnderWay &&
      this.#isCredentialInForce(name) &&
      ['Ready', 'Synced'].every((type) => this.condition(name, type).status === 'True')
    );
  }

  /** What is published of it. */
  published(name: string): ConnectionDetails {
    return decodeDetails(this.cluster.find(SecretKind, { namespace, name }));
  }

  /** By the record in the status; also of what keeps no credential. */
  #isCredentialInForce(name: string): boolean {
    const { credential } = this.process.service.secretDetails ?? {};
    const secret = this.cluster.find(SecretKind, { namespace, name });
    const note = decodeNote(secret?.metadata.annotations?.[credentialAnnotation]);
    const managed = this.existing(name);
    if (credential === undefined || note === undefined) return true;
    const kept = { details: decodeDetails(secret), note };
    return isApplied(managed, kept, credential) && managed.status?.credential?.pending === false;
  }

  /** A credential that is in no Secret; undefined where this managed resource has none. */
  newCredential(managed = this.draft('first')): DesiredCredential | undefined {
    const { credential } = this.process.service.secretDetails ?? {};
    if (credential === undefined || credential.isWanted?.(managed) === false) return undefined;
    const random = (size: number): Buffer =>
      Buffer.from(Array.from({ length: size }, () => Math.floor(this.#random() * 256)));
    return { value: generateCredential(credential, random), isApplied: false };
  }

  /** Somebody deletes its connection secret. */
  loseSecret(name: string): void {
    this.cluster.remove(SecretKind, name, namespace);
  }

  /** Makes one by the reconciler, until it can be used. */
  async ready(name = 'first', forProvider?: object): Promise<Ready> {
    this.put(name, forProvider);
    await this.until(name, () => this.isReady(name), 'it did not become Ready and Synced');
    const [managed, known] = [this.existing(name), this.published(name)];
    const value = known[this.process.service.secretDetails?.credential?.key ?? ''];
    const credential = value === undefined ? undefined : { value, isApplied: true };
    return { managed, known, credential };
  }

  // The loop.

  /** One run of the reconciler, and the time until it wants to run again. */
  async pass(name: string): Promise<void> {
    const result = await this.settled(this.process.reconcile(name), 'a run of the reconciler', 3_600_000);
    const failures = result?.type === 'requeue' ? (this.#failures.get(name) ?? 0) + 1 : 0;
    this.#failures.set(name, failures);
    if (result === undefined) return; // the process died
    const backOffMs = Math.min(1_000 * 2 ** (failures - 1), 60_000);
    const delayMs = result.type === 'after' ? result.delayMs : result.type === 'done' ? 60_000 : backOffMs;
    await this.passTime(Math.min(delayMs, 60_000));
  }

  async passes(name: string, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await this.pass(name);
  }

  /** Runs until something is so. Throws Broken, with what the conditions say, if that takes too long. */
  async until(
    name: string,
    isSo: () => boolean,
    unless: string,
    mend = 'see what the conditions say',
  ): Promise<void> {
    const limitMs = this.conformance.time === 'real' ? 60_000 : 3_600_000;
    const endMs = this.clock.elapsedMs() + limitMs;
    for (let passes = 0; !isSo(); passes += 1) {
      const isOver = this.clock.elapsedMs() > endMs || passes > 500;
      expect(!isOver, `${unless} within ${limitMs / 60_000} min; ${this.#conditions(name)}`, mend);
      await this.pass(name);
      if (this.process.hasCrashed) return;
    }
  }

  #conditions(name: string): string {
    const told = (this.object(name)?.status?.conditions ?? []).map(({ type, status, reason, message = '' }) =>
      `${type} ${status} ${reason} ${message}`.trim(),
    );
    return told.length === 0 ? 'it has no conditions' : `its conditions: ${told.join('; ')}`;
  }

  // Single calls.

  /** The external client of a managed resource, as the reconciler gets it. Its calls are awaited by `settled`. */
  async client(managed: Managed): Promise<ExternalClient> {
    const { signal } = new AbortController();
    await this.process.synced();
    return this.settled(this.process.service.connector.connect(managed, signal), 'connect');
  }

  /** A managed resource that is being deleted. */
  leaving(managed: Managed): Managed {
    if (wasDeleted(managed)) return managed;
    const deletionTimestamp = this.clock.now().toISOString();
    return { ...managed, metadata: { ...managed.metadata, deletionTimestamp } };
  }

  /** What work comes to, with as much time as it needs. Throws Broken if it does not end. */
  settled<T>(work: Promise<T>, what: string, limitMs?: number): Promise<T> {
    return this.#pace.settled(work, what, limitMs);
  }

  /** Time goes by. */
  passTime(ms: number): Promise<void> {
    return this.#pace.pass(ms);
  }

  #putProvider(): void {
    const { credentials, parameters } = this.world;
    const entries = typeof credentials === 'string' ? { credentials } : credentials;
    this.putCredentials(entries);
    const { providerConfig } = this.process.service.providers;
    const key = Object.keys(entries)[0] ?? 'credentials';
    const secretRef = { namespace, name: 'credentials', key };
    this.cluster.put(providerConfig, {
      apiVersion: apiVersionOf(providerConfig),
      kind: providerConfig.kind,
      metadata: { name: 'default' },
      spec: { ...parameters, credentials: { source: 'Secret', secretRef } },
    });
  }

  /** The secret that the ProviderConfig names. */
  putCredentials(entries: ConnectionDetails): void {
    this.cluster.put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'credentials' },
      data: encodeDetails(entries),
    });
  }
}

function fail(message: string): never {
  throw new Broken(message);
}

/** The first thing that differs, for messages. */
function differing(before: readonly unknown[], after: readonly unknown[]): string {
  if (before.length !== after.length) return `${before.length} things before, ${after.length} after`;
  const index = before.findIndex((thing, i) => !isEqual(thing, after[i]));
  return `${JSON.stringify(before[index])} became ${JSON.stringify(after[index])}`;
}
