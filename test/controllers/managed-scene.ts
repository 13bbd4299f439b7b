import assert from 'node:assert/strict';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { ConnectionPlace } from '../../controllers/connection/connection-place.ts';
import { connectionPlaces } from '../../controllers/connection/connection-places.ts';
import { secretPlace } from '../../controllers/connection/secret-place.ts';
import { disabledStores, storePlace } from '../../controllers/connection/store-place.ts';
import type { CredentialNote } from '../../controllers/credential.ts';
import { credentialAnnotation, decodeNote, generatedPassword } from '../../controllers/credential.ts';
import { connectionSecrets } from '../../controllers/indexes.ts';
import type { ManagedReconcilerOptions } from '../../controllers/managed/options.ts';
import { managedReconciler } from '../../controllers/managed/reconciler.ts';
import { isConflict } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal } from './external-fake.ts';
import { deletionTimestamp, managed, managedKind } from './objects.ts';

export const finalizers = [finalizerNames.managed];
export const secretKey = { namespace: 'infra', name: 'db-connection' };

/** A managed resource, a cluster that holds it and an external system, before anything has run. */
export class Scene {
  readonly cluster = new FakeCluster();
  readonly external: FakeExternal;
  readonly options: Partial<ManagedReconcilerOptions<Managed>>;
  /** The place of the connection details, instead of a Secret of the cluster. */
  place: ConnectionPlace | undefined;
  /** The secret store. */
  store: ConnectionPlace | undefined;
  process: FakeProcess;

  constructor(
    spec: ManagedSpec = {},
    metadata: Partial<ObjectMeta> & { status?: ManagedStatus } = {},
    {
      env,
      ...options
    }: Partial<Omit<ManagedReconcilerOptions<Managed>, 'env'>> & { readonly env?: Partial<Environment> } = {},
  ) {
    this.options = options;
    this.external = new FakeExternal({ assigns: options.externalNames === 'assigned' });
    const { deletionTimestamp, ...rest } = metadata;
    this.cluster.put(managedKind, managed({ writeConnectionSecretToRef: secretKey, ...spec }, rest));
    if (deletionTimestamp !== undefined) this.cluster.delete(managedKind, { name: 'db' }, deletionTimestamp);
    this.process = new FakeProcess(this.cluster, undefined, env);
  }

  /** As if the process had ended and another begun: what only it knew is gone. */
  restart(env: Partial<Environment> = {}): void {
    this.process.stop();
    this.process = new FakeProcess(this.cluster, undefined, env);
    this.#reconcile = undefined;
  }

  #reconcile: ReturnType<typeof managedReconciler> | undefined;

  /** The decision that the last run took. */
  decision: string | undefined;

  async run(signal: AbortSignal = new AbortController().signal, name = 'db'): Promise<Result> {
    const { env } = this.process;
    const resource = env.resource(managedKind);
    this.#reconcile ??= managedReconciler<Managed>({
      env,
      managedResources: resource,
      connector: this.external,
      places: connectionPlaces(
        this.place ?? secretPlace(connectionSecrets(env)),
        this.store ?? storePlace(disabledStores),
      ),
      secretDetails: { credential: generatedPassword },
      externalNames: 'deterministic',
      confirmAbsenceMs: 0,
      ...this.options,
    });
    await this.process.synced();
    const { decision, failure: _, ...result } = await this.#reconcile({ name }, signal, env.log);
    this.decision = decision;
    return result;
  }

  /** A user sets these fields of the managed resource. */
  edit(fields: { readonly spec?: object; readonly status?: object; readonly metadata?: object }): void {
    this.cluster.set(managedKind, { name: 'db' }, fields);
  }

  /** A user sets an annotation, or removes it. */
  annotate(key: string, value: string | undefined): void {
    this.cluster.edit<Managed>(managedKind, { name: 'db' }, ({ metadata, ...rest }) => {
      const { [key]: _former, ...annotations } = metadata.annotations ?? {};
      const changed = value === undefined ? annotations : { ...annotations, [key]: value };
      return { ...rest, metadata: { ...metadata, annotations: changed } };
    });
  }

  /** A user deletes the managed resource. */
  remove(): void {
    this.cluster.delete(managedKind, { name: 'db' }, deletionTimestamp);
  }

  /** A user writes these entries into the Secret. */
  editSecret(entries: Readonly<Record<string, string>>): void {
    this.cluster.edit(SecretKind, secretKey, (secret) => ({
      ...secret,
      data: { ...secret.data, ...encodeDetails(entries) },
    }));
  }

  get object(): Managed | undefined {
    return this.cluster.get(managedKind, { name: 'db' });
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.object?.metadata.annotations ?? {};
  }

  /** `Ready` or `Synced` as `status/reason: message`, for comparing. */
  condition(type: string): string {
    const { status, reason = '-', message } = getCondition(this.object?.status?.conditions, type);
    return `${status}/${reason}${message === undefined ? '' : `: ${message}`}`;
  }

  get conditions(): readonly string[] {
    return [this.condition('Ready'), this.condition('Synced')];
  }

  /** `type reason` of each event. */
  get events(): readonly string[] {
    return this.process.events.map(({ type, reason }) => `${type} ${reason}`);
  }

  get secret(): Readonly<Record<string, string>> | undefined {
    const secret = this.cluster.get(SecretKind, secretKey);
    return secret && decodeDetails(secret);
  }

  /** The note of the Secret about its credential. */
  get note(): CredentialNote | undefined {
    return decodeNote(this.cluster.get(SecretKind, secretKey)?.metadata.annotations?.[credentialAnnotation]);
  }
}

/**
 * Resolves once `scene` has made `cutAfter` calls to Kubernetes or the external system. After that no call
 * of the process settles.
 */
export function cut(scene: Scene, cutAfter: number, moment: 'before' | 'after'): Promise<'cut'> {
  const { promise, resolve } = Promise.withResolvers<'cut'>();
  const never = new Promise<void>(() => {});
  let calls = 0;
  let isCut = false;
  const onCall = (isCounted: boolean) => () => {
    if (isCounted) calls += 1;
    if (isCut || (isCounted === (moment === 'before') && calls === cutAfter)) {
      isCut = true;
      resolve('cut');
      return never;
    }
    return undefined;
  };
  scene.cluster.gate = onCall(true);
  scene.cluster.afterCall = onCall(false);
  scene.external.gate = onCall(true);
  scene.external.afterCall = onCall(false);
  return promise;
}

/** Calls take effect again, and another process begins. */
export function heal(scene: Scene): void {
  scene.cluster.gate = scene.cluster.afterCall = () => {};
  scene.external.gate = scene.external.afterCall = () => {};
  scene.restart();
}

/** Runs until nothing changes any more. A conflict ends a run, and the next run reads again. */
export async function settle(scene: Scene): Promise<void> {
  for (let pass = 0; pass < 6; pass += 1) {
    await scene.run().catch((error: unknown) => assert.ok(isConflict(error), String(error)));
  }
}
