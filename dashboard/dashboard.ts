import type { Observable } from 'rxjs';
import { tap } from 'rxjs';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import type { Informers } from '../runtime/cache/informers.ts';
import type { Store } from '../runtime/cache/store.ts';
import type { KubernetesClient, Selection } from '../runtime/client/kubernetes-client.ts';
import type { Logger } from '../runtime/log/log.ts';
import type { BindAddress } from '../runtime/probes/serve-http.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { catalogueOf, UnknownKind } from '../trace/catalogue.ts';
import type { Trace } from '../trace/model/trace.ts';
import { traceOf } from '../trace/model/trace-of.ts';
import type { CollectOptions } from '../trace/read/collect.ts';
import { collect } from '../trace/read/collect.ts';
import { feed$ } from './feed.ts';
import type { Memory } from './memory.ts';
import { createMemory } from './memory.ts';
import { pageFiles } from './page-files.ts';
import { serveDashboard } from './serve.ts';
import { storeSource } from './store-source.ts';

export interface DashboardOptions {
  readonly address: BindAddress;
  readonly version: string;
  readonly stacks: readonly DefinedStack[];
  readonly clock: Clock;
  /** The lease whose holder works; absent: this process works without one. */
  readonly lease?: CollectOptions['lease'];
}

interface DashboardSources {
  /** The resources of the process: the page reads the stores of the controllers. */
  readonly resource: Informers['resource'];
  readonly client: Pick<KubernetesClient, 'get'>;
  readonly log: Logger;
}

/** The live page of a process. */
export interface Dashboard {
  /** Receives the Events and outcomes that the stores do not hold. */
  readonly memory: Pick<Memory, 'recordEvent' | 'recordOutcome'>;
  /** Serves the page while subscribed to; see `serveDashboard`. */
  serve(sources: DashboardSources): Observable<unknown>;
}

/** A page that shows the state of the process. Nothing runs until it is served. */
export function createDashboard({ address, version, stacks, clock, lease }: DashboardOptions): Dashboard {
  const catalogue = catalogueOf(stacks);
  const memory = createMemory(catalogue, clock);
  return {
    memory,
    serve({ resource, client, log }) {
      const storeOf = (kind: Kind): Store<KubernetesObject> =>
        resource(kind, selections.get(kindKey(kind))).store;
      const source = storeSource({ catalogue, storeOf, memory, client });
      return serveDashboard({
        address,
        files: pageFiles,
        greeting: { version, stacks: stacks.map((stack) => stack.name) },
        feed: (isFull) => feed$({ catalogue, storeOf, memory, clock }, isFull),
        trace: tracer({ catalogue, source, clock, lease, runs: memory.lastRun }, log),
        clock,
      }).pipe(tap((url) => log.info('serving the live page', { url })));
    },
  };
}

/** The selections of the controllers: a second, different watch of a kind would be an error. */
const selections: ReadonlyMap<string, Selection> = new Map([
  [kindKey(SecretKind), { fieldSelector: `type=${connectionSecretType}` }],
]);

/** Traces one object; undefined if it or its kind does not exist. */
const tracer =
  (options: CollectOptions, log: Logger) =>
  async (resource: string, namespace: string | undefined, name: string): Promise<Trace | undefined> => {
    try {
      const known = options.catalogue.named(resource);
      const key = { ...(namespace !== undefined && { namespace }), name };
      const found = traceOf(await collect(options, { known, key }));
      return found.verdict === 'absent' ? undefined : found;
    } catch (error) {
      if (error instanceof UnknownKind) return undefined;
      log.warn('cannot trace an object for the live page', { resource, namespace, name, error });
      throw error;
    }
  };
