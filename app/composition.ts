import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { guardFieldsOf } from '../apis/core/v1alpha1/meta.ts';
import type { Stack, StackObserver } from '../controllers/stack.ts';
import { stackControllers } from '../controllers/stack.ts';
import type { SecretStoresOptions } from '../controllers/stores/secret-stores.ts';
import { secretStores } from '../controllers/stores/secret-stores.ts';
import type { Informers } from '../runtime/cache/informers.ts';
import { createInformers } from '../runtime/cache/informers.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import type { Backlog } from '../runtime/controller/backlog.ts';
import { createBacklog } from '../runtime/controller/backlog.ts';
import type { ControllerSpec } from '../runtime/controller/controller-spec.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { StackState } from '../runtime/controller/stack-needs.ts';
import { stackStates as statesOf } from '../runtime/controller/stack-needs.ts';
import type { SendingEventRecorder } from '../runtime/events/event-recorder.ts';
import { createEventRecorder } from '../runtime/events/event-recorder.ts';
import type { EventListener } from '../runtime/events/forwarding-recorder.ts';
import { forwardingRecorder } from '../runtime/events/forwarding-recorder.ts';
import { withinSecretNamespaces } from './secret-namespaces.ts';
import { watchedIn } from './watched-namespaces.ts';

/** The parts of the process, put together and not running. */
export interface Composition {
  /** The client for all requests to the API server. */
  readonly client: KubernetesClient;
  readonly informers: Informers;
  readonly events: SendingEventRecorder;
  /** Counts the keys that wait for the controllers. Events wait for them. */
  readonly backlog: Backlog;
  readonly controllers: readonly ControllerSpec[];
  /** The state of each stack. */
  readonly stackStates: () => readonly StackState[];
}

export interface CompositionOptions extends Omit<Environment, 'resource' | 'events'>, SecretStoresOptions {
  readonly client: KubernetesClient;
  /** The component that its Events name as their source. */
  readonly component: string;
  readonly stacks: readonly Stack[];
  /** Absent: metrics are not served. */
  readonly observer?: StackObserver;
  /** Receives each Event in addition to the API server. */
  readonly onEvent?: EventListener;
  /** The only namespaces whose Secrets are watched, read and written; absent: all. */
  readonly secretNamespaces?: readonly string[];
  /** Rejects while the served definition of a kind lacks one of the fields. Default: definitions are not checked. */
  readonly admit?: (kind: Kind, fields: readonly string[], signal: AbortSignal) => Promise<void>;
  /** How many objects' Events are remembered; default as in client-go. */
  readonly rememberedEvents?: number;
}

/**
 * Puts the process together from a client, a clock, a source of randomness and a log. `run.ts` passes the real ones, and
 * the flags; a simulation passes its own.
 */
export function composition({
  component,
  stacks,
  rememberedEvents: remembered,
  onEvent,
  secretNamespaces,
  createVaultClient,
  observer,
  admit,
  ...given
}: CompositionOptions): Composition {
  const { log, clock, random } = given;
  const client = withinSecretNamespaces(given.client, secretNamespaces);
  const informers = createInformers({
    client,
    log,
    clock,
    random,
    ...(admit && { admit: (kind, signal) => admit(kind, guardFieldsOf(kind), signal) }),
    namespacesOf: watchedIn(stacks, { claimNamespaces: given.claimNamespaces, secretNamespaces }),
  });
  const backlog = createBacklog();
  const events = createEventRecorder({
    client,
    component,
    log,
    clock,
    isBusy: () => backlog.size > 0,
    ...(remembered !== undefined && { remembered }),
  });
  const env: Environment = {
    ...given,
    client,
    resource: informers.resource,
    events: onEvent === undefined ? events : forwardingRecorder(events, onEvent),
  };
  const stores = secretStores(env, createVaultClient && { createVaultClient });
  const controllers = stackControllers(env, stacks, {
    secretStores: stores,
    ...(observer && { observer }),
  });
  return {
    client,
    informers,
    events,
    backlog,
    controllers,
    stackStates: () => statesOf(controllers, informers.states()),
  };
}
