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
import { decodeDetails, SecretKind } from '../apis/core/v1alpha1/secret.ts';
import {
  credentialAnnotation,
  decodeNote,
  generateCredential,
  isApplied,
} from '../controllers/credential.ts';
import type { DesiredCredential, ExternalClient } from '../controllers/managed/connecting/external-client.ts';
import type { Random } from '../runtime/time/random.ts';
import { seededRandom } from '../runtime/time/random.ts';
import { ManagedProcess } from './managed-process.ts';
import { MemoryCluster } from './memory-cluster.ts';
import type { Pace } from './pace.ts';
import { createPace } from './pace.ts';
import { namespace, putProvider } from './provider.ts';
import type { Conformance, World } from './scenario.ts';
import { checkedWorld, worldForm } from './scenario-forms.ts';
import { secretsIn } from './secrets.ts';
import type { TestClock } from './test-clock.ts';
import { testClock } from './test-clock.ts';
import { Broken, expect } from './verdict.ts';

/** A managed resource that is Ready, and the contents of its Secret. */
export interface Ready {
  readonly managed: Managed;
  readonly known: ConnectionDetails;
  /** Undefined: it has no Secret. */
  readonly credential: DesiredCredential | undefined;
}

/** The environment of one rule: an empty cluster, an empty world, and a process that has just started. */
export class Bench {
  readonly conformance: Conformance;
  readonly world: World;
  readonly clock: TestClock;
  readonly cluster: MemoryCluster;
  /** The Events, log lines and errors of the process. */
  readonly output: string[] = [];
  process: ManagedProcess;
  readonly #pace: Pace;
  readonly #closed = new AbortController();
  readonly #random: Random;
  readonly #failures = new Map<string, number>();

  private constructor(conformance: Conformance, world: World, clock: TestClock, random: Random) {
    this.conformance = conformance;
    this.world = world;
    this.clock = clock;
    this.#random = random;
    this.#pace = createPace(clock, this.#closed.signal, conformance.time);
    this.cluster = new MemoryCluster(() => clock.now());
    this.process = this.#start();
    putProvider(this.cluster, world, this.process.service.providers);
  }

  static async open(conformance: Conformance): Promise<Bench> {
    const [clock, random] = [testClock(), seededRandom(1)];
    const world = checkedWorld(worldForm, await conformance.open({ clock, random }));
    return new Bench(conformance, world, clock, random);
  }

  /** Ends the process, and every wait of a rule that is not over. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.process.stop();
    await this.world.close?.();
  }

  #start(): ManagedProcess {
    const { managed: kind, time } = this.conformance;
    const { clock, cluster, output } = this;
    const pollIntervalMs = time === 'real' ? 500 : 60_000;
    const { stack } = this.world;
    return new ManagedProcess({ kind, stack, clock, cluster, output, pollIntervalMs, random: this.#random });
  }

  /** Kills the process and starts another one over the same cluster and world. */
  restart(): void {
    this.process.stop();
    this.#failures.clear();
    this.process = this.#start();
  }

  /** How long the external system may take for an operation. */
  get longMs(): number {
    return this.conformance.time === 'real' ? 2_000 : 600_000;
  }

  /** The time between two observations of a resource in progress. */
  get pauseMs(): number {
    return this.conformance.time === 'real' ? 500 : 5_000;
  }

  get isNameAssigned(): boolean {
    return this.process.service.externalNames === 'assigned';
  }

  /** The secrets, which must not appear in any output. */
  secrets(...details: readonly ConnectionDetails[]): readonly string[] {
    return secretsIn(this.world.credentials, ...details);
  }

  // The external system.

  async externals(): Promise<readonly unknown[]> {
    return structuredClone(
      await this.settled(Promise.resolve(this.world.externals()), '`externals` of the world'),
    );
  }

  /** Throws Broken if the external system has changed. */
  async expectUnchanged(before: readonly unknown[], doing: string, fix: string): Promise<void> {
    const after = await this.externals();
    expect(isEqual(after, before), `${doing} changed the external system: ${differing(before, after)}`, fix);
  }

  // Managed resources.

  /** A `forProvider` that can be created besides the first, and besides those with other numbers. */
  another(number = 1): object | undefined {
    const { another } = this.conformance;
    return typeof another === 'function' ? another(number) : another;
  }

  /** A managed resource as a user writes it. It has an external name, as from the reconciler, unless the system assigns names. */
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
    return this.object(name) ?? fail(`the managed resource ${name} does not exist any more`);
  }

  /** Edits `forProvider`, as a user does. */
  edit(name: string, change: object): void {
    this.replaceForProvider(name, { ...this.existing(name).spec.forProvider, ...change });
  }

  replaceForProvider(name: string, forProvider: object): void {
    const { spec, ...rest } = this.existing(name);
    this.cluster.put(this.conformance.managed, { ...rest, spec: { ...spec, forProvider } });
  }

  /** Changes `forProvider` together with the recorded values of these fields, as if it had never been different. */
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

  /** Replaces the object by another one with the same name and external name, as from a manifest. */
  takeOver(name: string, forProvider: object): void {
    const { metadata } = this.existing(name);
    const named = metadata.annotations?.[annotationKeys.externalName] ?? name;
    this.cluster.remove(this.conformance.managed, name);
    this.loseSecret(name);
    this.put(name, forProvider, { [annotationKeys.externalName]: named });
  }

  /** Edits other parts of the spec, or replaces `forProvider`, as a user does. */
  respecify(name: string, change: Partial<Managed['spec']>): void {
    const { spec, ...rest } = this.existing(name);
    this.cluster.put(this.conformance.managed, { ...rest, spec: { ...spec, ...change } });
  }

  annotate(name: string, annotations: Readonly<Record<string, string>>): void {
    const { metadata, ...rest } = this.existing(name);
    const all = { ...metadata.annotations, ...annotations };
    this.cluster.put(this.conformance.managed, { ...rest, metadata: { ...metadata, annotations: all } });
  }

  /** Removes the external name, as a user does. */
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

  /** Whether it is Ready and Synced, and no operation is running. */
  isReady(name: string): boolean {
    const isUnderWay = this.condition(name, 'AsyncOperation').status === 'False';
    return (
      !isUnderWay &&
      this.#isCredentialInForce(name) &&
      ['Ready', 'Synced'].every((type) => this.condition(name, type).status === 'True')
    );
  }

  /** The published connection details. */
  published(name: string): ConnectionDetails {
    return decodeDetails(this.cluster.find(SecretKind, { namespace, name }));
  }

  /** Whether the credential is applied, by the record in the status; true if the resource has no credential. */
  #isCredentialInForce(name: string): boolean {
    const { credential } = this.process.service.secretDetails ?? {};
    const secret = this.cluster.find(SecretKind, { namespace, name });
    const note = decodeNote(secret?.metadata.annotations?.[credentialAnnotation]);
    const managed = this.existing(name);
    if (credential === undefined || note === undefined) return true;
    const stored = { details: decodeDetails(secret), note };
    return isApplied(managed, stored, credential) && managed.status?.credential?.pending === false;
  }

  /** A new credential that is in no Secret; undefined if this managed resource has no credential. */
  newCredential(managed = this.draft('first')): DesiredCredential | undefined {
    const { credential } = this.process.service.secretDetails ?? {};
    if (credential === undefined || credential.isWanted?.(managed) === false) return undefined;
    const random = (size: number): Buffer =>
      Buffer.from(Array.from({ length: size }, () => Math.floor(this.#random() * 256)));
    return { value: generateCredential(credential, random), isApplied: false };
  }

  /** Deletes the connection Secret, as a user does. */
  loseSecret(name: string): void {
    this.cluster.remove(SecretKind, name, namespace);
  }

  /** Creates a managed resource and runs the reconciler until it is Ready. */
  async ready(name = 'first', forProvider?: object): Promise<Ready> {
    this.put(name, forProvider);
    await this.until(name, () => this.isReady(name), 'the resource did not become Ready and Synced');
    const [managed, known] = [this.existing(name), this.published(name)];
    const value = known[this.process.service.secretDetails?.credential?.key ?? ''];
    const credential = value === undefined ? undefined : { value, isApplied: true };
    return { managed, known, credential };
  }

  // The loop.

  /** One run of the reconciler, and the delay until its next run. */
  async pass(name: string): Promise<void> {
    const result = await this.settled(this.process.reconcile(name), 'a run of the reconciler', 3_600_000);
    const failures = result?.type === 'requeue' ? (this.#failures.get(name) ?? 0) + 1 : 0;
    this.#failures.set(name, failures);
    if (result === undefined) return; // the process was killed
    const backOffMs = Math.min(1_000 * 2 ** (failures - 1), 60_000);
    const delayMs = result.type === 'after' ? result.delayMs : result.type === 'done' ? 60_000 : backOffMs;
    await this.passTime(Math.min(delayMs, 60_000));
  }

  async passes(name: string, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await this.pass(name);
  }

  /** Runs until `isSo` is true. Throws Broken with the conditions if that takes too long. */
  async until(name: string, isSo: () => boolean, unless: string, fix = 'read the conditions'): Promise<void> {
    const limitMs = this.conformance.time === 'real' ? 60_000 : 3_600_000;
    const endMs = this.clock.elapsedMs() + limitMs;
    for (let passes = 0; !isSo(); passes += 1) {
      const isOver = this.clock.elapsedMs() > endMs || passes > 500;
      expect(!isOver, `${unless} within ${limitMs / 60_000} min; ${this.#conditions(name)}`, fix);
      await this.pass(name);
      if (this.process.hasCrashed) return;
    }
  }

  #conditions(name: string): string {
    const output = (this.object(name)?.status?.conditions ?? []).map(
      ({ type, status, reason, message = '' }) => `${type} ${status} ${reason} ${message}`.trim(),
    );
    return output.length === 0 ? 'the resource has no conditions' : `conditions: ${output.join('; ')}`;
  }

  // Single calls.

  /** The external client of a managed resource, as the reconciler gets it. Await its calls with `settled`. */
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

  /** The result of work, however much time it needs. Throws Broken if it does not end. */
  settled<T>(work: Promise<T>, what: string, limitMs?: number): Promise<T> {
    return this.#pace.settled(work, what, limitMs);
  }

  /** Lets time pass. */
  passTime(ms: number): Promise<void> {
    return this.#pace.pass(ms);
  }
}

function fail(message: string): never {
  throw new Broken(message);
}

/** The first difference, for messages. */
function differing(before: readonly unknown[], after: readonly unknown[]): string {
  if (before.length !== after.length)
    return `${before.length} external resources before, ${after.length} after`;
  const index = before.findIndex((external, i) => !isEqual(external, after[i]));
  return `${JSON.stringify(before[index])} became ${JSON.stringify(after[index])}`;
}
