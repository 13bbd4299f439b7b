import { tap } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Carrier } from '../../clients/http.ts';
import { createDashboard } from '../../dashboard/dashboard.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../stacks/demo-clouds/client/other-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { createOcpStack } from '../../stacks/demo-clouds/ocp/stack.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import { catalogueOf } from '../../trace/catalogue.ts';
import type { Trace } from '../../trace/model/trace.ts';
import { traceOf } from '../../trace/model/trace-of.ts';
import { apiSource } from '../../trace/read/api-source.ts';
import { collect } from '../../trace/read/collect.ts';
import { putFancySqlExample } from '../fakes/fancysql-example.ts';
import type { InProcessCloud } from '../fakes/in-process-cloud.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { connectionRefused } from '../fakes/outside.ts';
import type { StartOptions } from '../fakes/simulation.ts';
import { Simulation } from '../fakes/simulation.ts';

export const leaseKey = { namespace: 'crossplane-system', name: 'services-stack' };

/** How the cloud answers: as always, not at all, or with an error. */
export type Answering =
  | 'as always'
  | 'not at all'
  | { readonly status: number; readonly code: string; readonly message: string };

const open: TracedWorld[] = [];

/** Ends the processes of all worlds so far; for `afterEach`. */
export const endWorlds = (): void => {
  for (const world of open.splice(0)) world.simulation.kill();
};

/** The whole process with a cluster in memory, the classes of the examples, and two clouds that can fail. */
export class TracedWorld {
  readonly simulation = new Simulation({ seed: 1 });
  readonly cluster = this.simulation.cluster;
  readonly clock = this.simulation.clock;
  answering: Answering = 'as always';
  readonly #favourite: InProcessCloud;
  readonly #other: InProcessCloud;
  readonly stacks = [
    createFcpStack({
      createClient: (options) =>
        favouriteCloudClient({ ...options, dispatcher: this.#carrier(this.#favourite.dispatcher) }),
    }),
    createOcpStack({
      createClient: (options) =>
        otherCloudClient({ ...options, dispatcher: this.#carrier(this.#other.dispatcher) }),
    }),
  ];

  /** Leaves out `ambivalent-small`: without it each run chooses the same class. `provisioningMs`: how long a cloud creates. */
  constructor({ provisioningMs = 0 } = {}) {
    open.push(this);
    const cloud = (flavour: 'favourite' | 'other', port: number): InProcessCloud =>
      inProcessCloud(this.clock, { url: `http://127.0.0.1:${port}`, flavour, provisioningMs });
    this.#favourite = cloud('favourite', 18080);
    this.#other = cloud('other', 18081);
    putFancySqlExample(this.cluster, ['favourite', 'other'], 'ambivalent-small');
  }

  #carrier(dispatcher: Carrier): Carrier {
    return {
      request: async (request) => {
        if (this.answering === 'as always') return dispatcher.request(request);
        if (this.answering === 'not at all') throw connectionRefused(request.origin);
        const { status, code, message } = this.answering;
        const body = [Buffer.from(JSON.stringify({ error: { code, message } }))];
        return { statusCode: status, headers: { 'content-type': 'application/json' }, body };
      },
    };
  }

  start(options: Pick<StartOptions, 'namespaces'> = {}): void {
    this.simulation.start(this.stacks, options);
  }

  /** Starts with a live page on a free port; returns its URL. */
  async startWithPage(options: Pick<StartOptions, 'namespaces'> = {}): Promise<string> {
    const listening = Promise.withResolvers<string>();
    this.simulation.start(this.stacks, {
      ...options,
      createPage: (clock) => {
        const address = { host: '127.0.0.1', port: 0 };
        const page = createDashboard({
          address,
          version: '0.1.0',
          stacks: this.stacks,
          clock,
          lease: leaseKey,
        });
        const announced = tap((url: unknown) => listening.resolve(String(url)));
        return { ...page, serve: (sources) => page.serve(sources).pipe(announced) };
      },
    });
    return listening.promise;
  }

  /** The names of the instances in both clouds. */
  instances(): readonly string[] {
    return [this.#favourite, this.#other].flatMap((cloud) => cloud.instances().map(({ item }) => item.name));
  }

  /** Lets this many seconds pass. */
  async pass(seconds = 20): Promise<void> {
    await this.clock.advance(seconds * 1_000);
  }

  claim(
    name: string,
    spec: object = { classSelector: { matchLabels: { size: 'small' } } },
    given: object = {},
  ): ObjectKey {
    const key = { namespace: 'team-shop', name };
    this.cluster.create(FancySQLInstanceKind, {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'FancySQLInstance',
      metadata: { ...key, ...given },
      spec: { writeConnectionSecretToRef: { name: `${name}-connection` }, ...spec },
    } as KubernetesObject);
    return key;
  }

  managed(name: string, spec: object = {}, given: object = {}): ObjectKey {
    this.cluster.create(FavouriteDBInstanceKind, {
      apiVersion: 'database.fcp.crossplane.io/v1alpha3',
      kind: 'FavouriteDBInstance',
      metadata: { name, ...given },
      spec: {
        providerRef: { name: 'favourite' },
        writeConnectionSecretToRef: { namespace: 'cloud-credentials', name },
        forProvider: { fancinessLevel: 3 },
        ...spec,
      },
    } as KubernetesObject);
    return { name };
  }

  /** The managed resource of a claim. */
  resourceOf(key: ObjectKey): Managed {
    const { spec } = this.cluster.get<Claim>(FancySQLInstanceKind, key);
    return this.cluster.get<Managed>(FavouriteDBInstanceKind, { name: spec.resourceRef?.name ?? '' });
  }

  edit<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, patch: object): void {
    this.cluster.patch(kind, key, patch);
  }

  /** The trace of an object for a user who may not read the `forbidden` kinds. `word`: the kind, as in the command. */
  async trace(
    word: string,
    key: ObjectKey,
    { forbidden = (_kind: Kind, _key?: { readonly namespace?: string | undefined }): boolean => false } = {},
  ): Promise<Trace> {
    const client = inProcessClient(this.cluster, this.clock);
    const refuse = (kind: Kind): never => {
      throw new ApiError(`${kind.plural} is forbidden`, { code: 403, reason: 'Forbidden' });
    };
    const catalogue = catalogueOf(this.stacks);
    const options = {
      catalogue,
      source: apiSource({
        ...client,
        // A copy for each answer: two reads of an API server never give the same object.
        get: async (kind, at, signal) =>
          forbidden(kind, at) ? refuse(kind) : structuredClone(await client.get(kind, at, signal)),
        list: async (kind, at, signal) =>
          forbidden(kind, at) ? refuse(kind) : structuredClone(await client.list(kind, at, signal)),
      }),
      clock: this.clock,
      lease: leaseKey,
    };
    return traceOf(await collect(options, { known: catalogue.named(word), key }));
  }
}
