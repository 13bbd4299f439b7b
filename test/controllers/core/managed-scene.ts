import compact from 'lodash/compact.js';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { ConnectionPublisher } from '../../../controllers/core/connection/connection-publisher.ts';
import {
  publisherChain,
  secretPublisher,
} from '../../../controllers/core/connection/connection-publisher.ts';
import { connectionSecrets } from '../../../controllers/core/indexes.ts';
import type { Overtaken } from '../../../controllers/core/managed/overtaken.ts';
import { createOvertaken } from '../../../controllers/core/managed/overtaken.ts';
import type { ManagedReconcilerOptions } from '../../../controllers/core/managed/reconciler.ts';
import { managedReconciler } from '../../../controllers/core/managed/reconciler.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal } from './external-fake.ts';
import { managed, managedKind } from './objects.ts';

export const finalizers = [finalizerNames.managed];
export const secretKey = { namespace: 'infra', name: 'db-connection' };

/** A managed resource, a cluster that holds it and an external system, before anything has run. */
export class Scene {
  readonly cluster = new FakeCluster();
  readonly external: FakeExternal;
  readonly options: Partial<ManagedReconcilerOptions<Managed>>;
  publisher: ConnectionPublisher | undefined;
  /** A place for connection details beside the secret. */
  store: ConnectionPublisher | undefined;
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

  /** What the last run decided. */
  decision: string | undefined;
  /** What it failed with, if it did. */
  failure: string | undefined;

  async run(signal: AbortSignal = new AbortController().signal, name = 'db'): Promise<Result> {
    const { env } = this.process;
    const resource = env.resource(managedKind);
    this.#reconcile ??= managedReconciler<Managed>({
      env,
      overtaken: this.#overtaken(),
      managedResources: resource,
      connector: this.external,
      publisher: publisherChain(
        compact([this.publisher ?? secretPublisher(connectionSecrets(env)), this.store]),
      ),
      externalNames: 'deterministic',
      confirmAbsenceMs: 0,
      ...this.options,
    });
    await this.process.synced();
    const { decision, failure, ...result } = await this.#reconcile({ name }, signal, env.log);
    this.decision = decision;
    this.failure = failure;
    return result;
  }

  /** Told of what goes, as by the triggers of the controller. */
  #overtaken(): Overtaken {
    const { env } = this.process;
    const overtaken = createOvertaken(env);
    env.resource(managedKind).store.changes$.subscribe((change) => {
      this.isWoken = overtaken.goesUnreleased(change) || this.isWoken;
    });
    return overtaken;
  }

  /** Something went that the controller is woken for. */
  isWoken = false;

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

  /** `type reason` of each event. */
  get events(): readonly string[] {
    return this.process.events.map(({ type, reason }) => `${type} ${reason}`);
  }

  get secret(): Readonly<Record<string, string>> | undefined {
    const secret = this.cluster.get(SecretKind, secretKey);
    return (
      secret &&
      Object.fromEntries(
        Object.entries(secret.data ?? {}).map(([key, value]) => [
          key,
          Buffer.from(value, 'base64').toString(),
        ]),
      )
    );
  }
}
