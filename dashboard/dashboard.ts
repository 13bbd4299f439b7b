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
  /** The resources of the process: the page reads the stores of the controllers. */
  readonly resource: Informers['resource'];
  readonly client: Pick<KubernetesClient, 'get'>;
  readonly log: Logger;
  readonly clock: Clock;
}

/** The live page of a process. */
export interface Dashboard {
  /** Serves the page while subscribed to; see `serveDashboard`. */
  readonly served$: Observable<unknown>;
  /** Receives the Events and outcomes that the stores do not hold. */
  readonly memory: Pick<Memory, 'recordEvent' | 'recordOutcome'>;
}

/** A page that shows the state of the process. Nothing runs until it is served. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { address, version, stacks, client, log, clock } = options;
  const catalogue = catalogueOf(stacks);
  const memory = createMemory(catalogue, clock);
  /** The selections of the controllers: a second, different watch of a kind would be an error. */
  const selections = new Map<string, Selection>([
    [kindKey(SecretKind), { fieldSelector: `type=${connectionSecretType}` }],
  ]);
  const storeOf = (kind: Kind): Store<KubernetesObject> =>
    options.resource(kind, selections.get(kindKey(kind))).store;
  const source = storeSource({ catalogue, storeOf, memory, client });

  async function trace(
    resource: string,
    namespace: string | undefined,
    name: string,
  ): Promise<Trace | undefined> {
    try {
      const known = catalogue.named(resource);
      const key = { ...(namespace !== undefined && { namespace }), name };
      const found = traceOf(
        await collect({ catalogue, source, clock, runs: memory.lastRun }, { known, key }),
      );
      return found.verdict === 'absent' ? undefined : found;
    } catch (error) {
      if (error instanceof UnknownKind) return undefined;
      log.warn('cannot trace an object for the live page', { resource, namespace, name, error });
      throw error;
    }
  }

  return {
    memory,
    served$: serveDashboard({
      address,
      files: pageFiles,
      greeting: { version, stacks: stacks.map((stack) => stack.name) },
      feed: (isFull) => feed$({ catalogue, storeOf, memory, clock }, isFull),
      trace,
      clock,
    }).pipe(tap((url) => log.info('serving the live page', { url }))),
  };
}
