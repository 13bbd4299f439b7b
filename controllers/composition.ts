import type { Informers } from '../runtime/cache/informers.ts';
import { createInformers } from '../runtime/cache/informers.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import type { ControllerSpec } from '../runtime/controller/controller-spec.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { StackState } from '../runtime/controller/stack-needs.ts';
import { stackStates as statesOf } from '../runtime/controller/stack-needs.ts';
import type { ToldOfEvent } from '../runtime/events/also-telling.ts';
import { alsoTelling } from '../runtime/events/also-telling.ts';
import type { SendingEventRecorder } from '../runtime/events/event-recorder.ts';
import { createEventRecorder } from '../runtime/events/event-recorder.ts';
import type { SecretStoresOptions } from './core/connection/secret-stores.ts';
import { secretStores } from './core/connection/secret-stores.ts';
import type { StackMetrics } from './core/metrics/stack-metrics.ts';
import type { Stack } from './core/stack.ts';
import { stackControllers } from './core/stack.ts';
import { withinSecretNamespaces } from './secret-namespaces.ts';
import { watchedIn } from './watched-namespaces.ts';

/** What the process does, put together and at rest. */
export interface Composition {
  /** What it asks the API server by. */
  readonly client: KubernetesClient;
  readonly informers: Informers;
  readonly events: SendingEventRecorder;
  readonly controllers: readonly ControllerSpec[];
  /** How each stack fares. */
  readonly stackStates: () => readonly StackState[];
}

export interface CompositionOptions extends Omit<Environment, 'resource' | 'events'>, SecretStoresOptions {
  readonly client: KubernetesClient;
  /** Who its Events say they come from. */
  readonly component: string;
  readonly stacks: readonly Stack[];
  /** Absent: nobody asks for them. */
  readonly metrics?: StackMetrics;
  /** Told of each Event beside the API server. */
  readonly onEvent?: ToldOfEvent;
  /** The only namespaces whose secrets are watched, read and written; absent: all. */
  readonly secretNamespaces?: readonly string[];
  /** How many objects it remembers having told of in Events; as many as client-go by default. */
  readonly rememberedEvents?: number;
}

/**
 * Puts the process together from what it is given of the world: client, clock, chance and log. `run.ts` gives it the
 * real world, and flags; a simulation one of its own.
 */
export function composition({
  component,
  stacks,
  rememberedEvents: remembered,
  onEvent,
  secretNamespaces,
  createVaultClient,
  metrics,
  ...given
}: CompositionOptions): Composition {
  const { log, clock, random } = given;
  const client = withinSecretNamespaces(given.client, secretNamespaces);
  const informers = createInformers({
    ...{ client, log, clock, random },
    namespacesOf: watchedIn(stacks, { claimNamespaces: given.claimNamespaces, secretNamespaces }),
  });
  const events = createEventRecorder({
    ...{ client, component, log, clock },
    ...(remembered !== undefined && { remembered }),
  });
  const env: Environment = {
    ...given,
    client,
    resource: informers.resource,
    events: onEvent === undefined ? events : alsoTelling(events, onEvent),
  };
  const stores = secretStores(env, createVaultClient && { createVaultClient });
  const controllers = stackControllers(env, stacks, {
    secretStores: stores,
    ...(metrics && { metrics }),
  });
  return {
    client,
    informers,
    events,
    controllers,
    stackStates: () => statesOf(controllers, informers.states()),
  };
}
