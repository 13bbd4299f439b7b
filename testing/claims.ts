/*
 *   describeClaims ──▶ claim-process.ts: the whole process, over a cluster in memory ──▶ the real server
 *                └──▶ twelve acts, one after the other: what a team, an administrator and an accident do
 */

import { after, before, describe, test } from 'node:test';
import isEqual from 'lodash/isEqual.js';
import { requireForm } from '../apis/core/forms.ts';
import type { Definition } from '../apis/core/schema.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import { getCondition } from '../apis/core/v1alpha1/condition.ts';
import { apiVersionOf, kindKey } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../apis/core/v1alpha1/secret.ts';
import { environmentAtRest } from '../controllers/author/environment-at-rest.ts';
import type { ForProviderOf } from '../controllers/managed/connecting/external-client.ts';
import type { ProviderKinds } from '../controllers/provider/provider-credentials.ts';
import type { Stack } from '../controllers/stack.ts';
import { realClock } from '../runtime/time/clock.ts';
import { startClaimProcess } from './claim-process.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { namespace, putProvider } from './provider.ts';
import { realMoment } from './real-moment.ts';
import type { World } from './scenario.ts';
import { checkedWorld, claimsForm, claimWorldForm } from './scenario-forms.ts';
import { Broken, expect, needed, Skipped } from './verdict.ts';

/** A real server, and the stack that uses it. */
export interface ClaimWorld
  extends Pick<World, 'stack' | 'credentials' | 'parameters' | 'externals' | 'close'> {
  /** Whether these connection details work, tried as an application does. */
  opens(details: ConnectionDetails): boolean | Promise<boolean>;
  /** Deletes all external resources of the kind, without the stack. Resolves when they do not exist any more. */
  lose(): Promise<unknown>;
}

/** The facts about a service that the acts need. */
export interface Claims<M extends Managed, C extends Claim, K extends Class> {
  readonly managed: Definition<M>;
  readonly claim: Definition<C>;
  /** The fields that a team sets besides the class and the Secret. Default: none. */
  readonly spec?: Partial<NoInfer<C>['spec']>;
  readonly class: Definition<K>;
  /** The `forProvider` of the class. */
  readonly forProvider: NoInfer<K>['specTemplate']['forProvider'];
  /** An allowed change of a resource, which must show in `externals`. */
  readonly change: NoInfer<ForProviderOf<M>>;
  /** The change that requests another password. Absent: the act is skipped. */
  readonly rotation?: NoInfer<ForProviderOf<M>>;
  /** How long one act may take, in ms. Default: a minute. */
  readonly limitMs?: number;
  open(): ClaimWorld | Promise<ClaimWorld>;
}

const team = 'team-a';

/**
 * Tests a service as a team and an administrator use it: the whole process of the stack, and a real server. The acts follow
 * one another, each in a test of its own. There is no Kubernetes: the cluster is in memory.
 *
 *     describeClaims({
 *       managed: QueueKind,
 *       claim: AnyQueueKind,
 *       class: QueueClassKind,
 *       forProvider: { size: 3 },
 *       change: { size: 5 },
 *       async open() {
 *         const server = await startQueueServer();
 *         return {
 *           stack: queueStack,
 *           credentials: JSON.stringify({ url: server.url, token: server.token }),
 *           externals: () => server.queues(),
 *           opens: ({ endpoint, password }) => canLogIn(endpoint, password),
 *           lose: () => server.dropAll(),
 *           close: () => server.stop(),
 *         };
 *       },
 *     });
 */
export function describeClaims<M extends Managed, C extends Claim, K extends Class>(
  claims: Claims<M, C, K>,
): void {
  requireForm(describeClaims, claimsForm, claims);
  const { kind, group } = claims.claim;
  describe(`claims for ${kind}.${group}, served by ${claims.managed.kind}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await openStage(claims);
    });
    after(() => stage?.close());
    for (const { name, play } of acts) {
      test(name, async (t) => {
        try {
          await play(stage);
        } catch (error) {
          if (!(error instanceof Skipped)) throw error;
          t.skip(error.message);
        }
      });
    }
  });
}

/** The stage of these claims, with its process running. */
export const openStage = async <M extends Managed, C extends Claim, K extends Class>(
  claims: Claims<M, C, K>,
): Promise<Stage> =>
  new Stage(
    claims as unknown as Claims<Managed, Claim, Class>,
    checkedWorld(claimWorldForm, await claims.open()),
  );

/** One of the twelve acts. */
interface Act {
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

/** The cluster, the process and the server of the acts. */
class Stage {
  readonly claims: Claims<Managed, Claim, Class>;
  readonly world: ClaimWorld;
  readonly cluster: MemoryCluster;
  readonly #clock = realClock();
  readonly #output: string[] = [];
  #kill: () => void;

  constructor(claims: Claims<Managed, Claim, Class>, world: ClaimWorld) {
    this.claims = claims;
    this.world = world;
    this.cluster = new MemoryCluster(() => this.#clock.now());
    putProvider(this.cluster, world, providersOf(world.stack, claims.managed));
    this.cluster.create(claims.class, {
      apiVersion: apiVersionOf(claims.class),
      kind: claims.class.kind,
      metadata: { name: 'small' },
      specTemplate: {
        writeConnectionSecretsToNamespace: namespace,
        reclaimPolicy: 'Delete',
        forProvider: claims.forProvider,
      },
    } as Class);
    this.#kill = this.#start();
  }

  #start = (): (() => void) =>
    startClaimProcess(this.world.stack, { cluster: this.cluster, clock: this.#clock, output: this.#output });

  async close(): Promise<void> {
    this.#kill();
    await this.world.close?.();
  }

  restart(): void {
    this.#kill();
    this.#kill = this.#start();
  }

  /** The claim of a team, as it is applied. */
  put(name: string): void {
    const { claim, class: classKind, spec } = this.claims;
    this.cluster.create(claim, {
      apiVersion: apiVersionOf(claim),
      kind: claim.kind,
      metadata: { namespace: team, name },
      spec: {
        ...spec,
        classRef: { apiVersion: apiVersionOf(classKind), kind: classKind.kind, name: 'small' },
        writeConnectionSecretToRef: { name },
      },
    } as Claim);
  }

  claim(name: string): Claim {
    return this.cluster.get(this.claims.claim, { namespace: team, name });
  }

  resource(name: string): Managed {
    const { resourceRef } = this.claim(name).spec;
    if (resourceRef?.name === undefined) throw new Broken(`the claim ${name} has no resource`);
    return this.cluster.get(this.claims.managed, { name: resourceRef.name });
  }

  /** Changes the resource of a claim, as an administrator does. */
  change(name: string, edit: (resource: Managed) => Managed): void {
    const resource = this.resource(name);
    this.cluster.put(this.claims.managed, edit(resource));
  }

  secret(namespace: string, name: string): ConnectionDetails {
    return decodeDetails(this.cluster.find(SecretKind, { namespace, name }));
  }

  /** The connection details that the team has. */
  details(name: string): ConnectionDetails {
    return this.secret(team, name);
  }

  isReady(name: string): boolean {
    return getCondition(this.claim(name).status?.conditions, 'Ready').status === 'True';
  }

  /** Waits until `isSo` returns true. Throws Broken with the conditions if that takes too long. */
  async until(isSo: () => boolean | Promise<boolean>, finding: string): Promise<void> {
    const { limitMs = 60_000 } = this.claims;
    const endMs = this.#clock.elapsedMs() + limitMs;
    while (!(await isSo())) {
      const isOver = this.#clock.elapsedMs() > endMs;
      expect(!isOver, `${finding} within ${limitMs / 1_000} s; ${this.#conditions()}`, 'read the conditions');
      await realMoment(100);
    }
  }

  /** Waits for two observations and their effects. */
  rest = (): Promise<void> => realMoment(3_000);

  #conditions(): string {
    const { claim, managed } = this.claims;
    const objects = [...this.cluster.all(claim), ...this.cluster.all(managed)];
    return objects
      .flatMap(({ kind, metadata, status }) =>
        (status?.conditions ?? []).map(({ type, status: is, reason, message = '' }) =>
          `${kind} ${metadata.name}: ${type} ${is} ${reason} ${message}`.trim(),
        ),
      )
      .join('; ');
  }
}

const opens = async ({ world }: Stage, details: ConnectionDetails): Promise<boolean> => world.opens(details);

/** Waits until the team's Secret works. */
const works = (stage: Stage, name: string, what: string): Promise<void> =>
  stage.until(async () => stage.isReady(name) && (await opens(stage, stage.details(name))), what);

/** Waits for another password in the team's Secret: it works, and the previous one is refused. */
async function isRenewed(stage: Stage, before: ConnectionDetails, what: string): Promise<void> {
  await stage.until(
    () => !isEqual(stage.details('orders'), before),
    `${what}: the Secret of the claim did not change`,
  );
  await works(stage, 'orders', `${what}: the new details did not work`);
  await stage.until(async () => !(await opens(stage, before)), `${what}: the previous password still worked`);
}

/** The twelve acts, in their order. */
export const acts: readonly Act[] = [
  {
    name: 'a claim becomes Ready, and has one external resource',
    async play(stage) {
      stage.put('orders');
      await stage.until(() => stage.isReady('orders'), 'the claim did not become Ready');
      const { length } = await stage.world.externals();
      expect(
        length === 1,
        `there are ${length} external resources`,
        'create one external resource for each resource',
      );
    },
  },
  {
    name: 'its Secret has all entries that the kind requires, and they work',
    async play(stage) {
      const fields = Object.entries(stage.claims.managed.connectionDetails ?? {});
      const required = fields.flatMap(([key, field]) => (field._zod.optin === undefined ? [key] : []));
      const details = stage.details('orders');
      const missing = required.filter((key) => !details[key]);
      expect(missing.length === 0, `the Secret has no ${missing.join(', no ')}`, 'return them in `details`');
      await works(stage, 'orders', 'the details did not work');
    },
  },
  {
    name: 'a second claim has an external resource and a password of its own',
    async play(stage) {
      stage.put('invoices');
      await works(stage, 'invoices', 'the second claim did not become Ready');
      const { length } = await stage.world.externals();
      expect(
        length === 2,
        `two claims have ${length} external resources`,
        'create one external resource for each resource',
      );
      const [one, other] = [stage.details('orders'), stage.details('invoices')];
      expect(
        !isEqual(one, other),
        'two claims have the same details',
        'name each external resource by its resource',
      );
    },
  },
  {
    name: 'a change of the resource reaches the external resource',
    async play(stage) {
      const before = structuredClone(await stage.world.externals());
      stage.change('orders', (resource) => withFields(resource, stage.claims.change));
      const isChanged = async () => !isEqual(await stage.world.externals(), before);
      await stage.until(isChanged, 'the change did not show');
      await works(stage, 'orders', 'after the change the details did not work');
    },
  },
  {
    name: 'a paused resource is not changed until it continues',
    async play(stage) {
      const { forProvider } = stage.claims;
      const before = structuredClone(await stage.world.externals());
      const paused = (isPaused: boolean) => (resource: Managed) => ({
        ...withFields(resource, forProvider ?? {}),
        metadata: {
          ...resource.metadata,
          annotations: { ...resource.metadata.annotations, [annotationKeys.paused]: String(isPaused) },
        },
      });
      stage.change('orders', paused(true));
      await stage.rest();
      const isSame = isEqual(await stage.world.externals(), before);
      expect(
        isSame,
        'a paused resource changed its external resource',
        'change external resources only in create, update and delete',
      );
      stage.change('orders', paused(false));
      await stage.until(
        async () => !isEqual(await stage.world.externals(), before),
        'the change did not show',
      );
    },
  },
  {
    name: 'a process that is killed and started again changes nothing',
    async play(stage) {
      const before = structuredClone(await stage.world.externals());
      const details = stage.details('orders');
      stage.restart();
      await stage.rest();
      const isSame =
        isEqual(await stage.world.externals(), before) && isEqual(stage.details('orders'), details);
      expect(isSame, 'a new process changed external resources or details', 'keep no state in the client');
    },
  },
  {
    name: 'a rotation sets another password, and the previous one is refused',
    async play(stage) {
      const rotation = needed(stage.claims.rotation, 'rotation');
      const before = stage.details('orders');
      stage.change('orders', (resource) => withFields(resource, rotation));
      await isRenewed(stage, before, 'after a rotation');
    },
  },
  {
    name: 'a deleted Secret of the claim comes back',
    async play(stage) {
      const before = stage.details('orders');
      stage.cluster.remove(SecretKind, 'orders', team);
      await stage.until(() => isEqual(stage.details('orders'), before), 'the Secret did not come back');
    },
  },
  {
    name: 'a deleted Secret of the resource gets another password, which the claim has, too',
    async play(stage) {
      const before = stage.details('orders');
      const { name = '', namespace = '' } = stage.resource('orders').spec.writeConnectionSecretToRef ?? {};
      if (!('password' in before)) throw new Skipped('the service has no password');
      stage.cluster.remove(SecretKind, name, namespace);
      await isRenewed(stage, before, 'after its Secret was deleted');
    },
  },
  {
    name: 'deleted external resources are created again',
    async play(stage) {
      await stage.world.lose();
      const { length } = await stage.world.externals();
      expect(length === 0, `\`lose\` left ${length} external resources`, 'fix the world of the test');
      await stage.until(
        async () => (await stage.world.externals()).length === 2,
        'they were not created again',
      );
      await stage.until(async () => opens(stage, stage.details('orders')), 'the details did not work again');
    },
  },
  {
    name: 'a deleted claim deletes its resource and its external resource, and no other',
    async play(stage) {
      const { metadata } = stage.resource('orders');
      stage.cluster.leave(stage.claims.claim, { namespace: team, name: 'orders' });
      await stage.until(
        () => stage.cluster.find(stage.claims.managed, { name: metadata.name }) === undefined,
        'the resource was not deleted',
      );
      await stage.until(
        async () => (await stage.world.externals()).length === 1,
        'its external resource was not deleted',
      );
      expect(
        await opens(stage, stage.details('invoices')),
        'the other claim lost its access',
        'delete by name',
      );
    },
  },
  {
    name: 'after the last claim nothing is left',
    async play(stage) {
      stage.cluster.leave(stage.claims.claim, { namespace: team, name: 'invoices' });
      await stage.until(
        async () => (await stage.world.externals()).length === 0,
        'its external resource was not deleted',
      );
      await stage.until(
        () => stage.cluster.all(stage.claims.managed).length === 0,
        'its resource was not deleted',
      );
    },
  },
];

/** The provider kinds of the managed kind. */
function providersOf(stack: Stack, managed: Definition): ProviderKinds {
  const services = stack.managed(environmentAtRest());
  const service = services.find(({ kind }) => kindKey(kind) === kindKey(managed));
  if (service === undefined) throw new Broken(`stack ${stack.name} does not manage ${managed.kind}`);
  return service.providers;
}

const withFields = (resource: Managed, fields: object): Managed => ({
  ...resource,
  spec: { ...resource.spec, forProvider: { ...resource.spec.forProvider, ...fields } },
});
