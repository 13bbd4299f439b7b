import uniqBy from 'lodash/uniqBy.js';
import type { Definition } from '../../apis/core/schema.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ClaimService } from '../core/claim-service.ts';
import type { GeneratedCredential, SecretDetails } from '../core/credential.ts';
import type { ExternalClient } from '../core/managed/connecting/external-client.ts';
import type { ManagedService } from '../core/managed/setup.ts';
import type { ProviderKinds } from '../core/provider/provider-credentials.ts';
import type { Reference, ReferenceField, ReferenceSelector } from '../core/references/references.ts';
import type { Stack } from '../core/stack.ts';
import { configureProblems } from './configure-problems.ts';

/** What a managed resource's provider leads to. */
export interface Connection<C> {
  /** What external clients are made of: the cloud's own client, most often. */
  readonly client: C;
  /** See `system` of {@link ExternalClient}. */
  system?(signal: AbortSignal): Promise<string>;
  /** See `version` of {@link ExternalClient}. */
  version?(): string | undefined;
}

/** Yields the connection of a managed resource. Throws an Error fit for a condition that says what is wrong with it. */
export type Connect<C> = (managed: Managed, signal: AbortSignal) => Promise<Connection<C>>;

/** How a stack reaches its external system. `P` are the fields of its providers' specs beside the credentials. */
export interface StackProvider<C, P extends object> extends ProviderKinds<P> {
  readonly provider: Definition<Provider & { readonly spec: P }>;
  readonly providerConfig: Definition<ProviderConfig & { readonly spec: P }>;
  /** Called once for what runs, so that it can keep clients; and where stacks are only asked what they consist of. */
  readonly connect: (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
}

/** The fields of `T` whose values are `V`. */
type FieldsWith<T, V> = { [F in keyof T]-?: NonNullable<T[F]> extends V ? F : never }[keyof T] & string;

type ParametersOf<M extends Managed> = NonNullable<M['spec']['forProvider']>;

/** A {@link ReferenceField} whose names are fields of the kind's `forProvider`, of the right types. */
export interface FieldReference<M extends Managed> extends ReferenceField {
  readonly field: FieldsWith<ParametersOf<M>, string | readonly string[]>;
  readonly ref: FieldsWith<ParametersOf<M>, Reference | readonly Reference[]>;
  readonly selector: FieldsWith<ParametersOf<M>, ReferenceSelector>;
}

/** The names of the fields of `T`; of every alternative, where it is one of several. */
type FieldOf<T> = T extends unknown ? keyof T : never;

/** One claim kind that managed kinds with parameters `P` satisfy; of {@link satisfies}. */
export interface Satisfied<P> {
  readonly claim: Definition<Claim>;
  readonly class: Definition<Class>;
  readonly configure: (claim: never, resourceClass: never) => { readonly forProvider: P };
  readonly misfit?: ((claim: never, offered: never) => string | undefined) | undefined;
  /** See {@link ClaimService}. */
  readonly definedAt?: string | undefined;
  /** Never present at run time; carries what `forProvider` may have, so that a field that the managed kind lacks does not compile. */
  readonly fields?: FieldOf<P>;
}

/**
 * A claim kind that a managed kind satisfies, by what class. `configure` is pure: claim and class in, `forProvider` of the
 * managed resource out, and nothing that the managed kind does not have. It throws an Error whose message tells the
 * claim's author what does not fit.
 *
 * `misfit` says why what is offered cannot serve the claim at all, as `has engine "postgres", which no MySQLInstance can be
 * given`, to be read after the name of a class or of a managed resource; undefined if it can. It is asked before a class is
 * chosen by a selector or as the default, before something is made from one, and before a claim is bound to a resource that
 * it names itself: without it such a resource is given to every claim of the kind. `offered` is `forProvider` of a class, or
 * of a resource over what `initProvider` and the status say under the same names; any field may be missing.
 */
export const satisfies = <C extends Claim, K extends Class, P>(service: {
  readonly claim: Definition<C>;
  readonly class: Definition<K>;
  readonly configure: (claim: NoInfer<C>, resourceClass: NoInfer<K>) => { readonly forProvider: P };
  readonly misfit?: (claim: NoInfer<C>, offered: Partial<NoInfer<P>>) => string | undefined;
}): Satisfied<P> => ({ ...service, definedAt: new Error('satisfies').stack });

/** A managed kind, how its external system is used, and which claims it satisfies. `C` is what its provider yields. */
export interface ServiceDefinition<M extends Managed, C>
  extends Pick<ManagedService<M>, 'externalNames' | 'names' | 'creationGraceMs' | 'confirmAbsenceMs'> {
  readonly managed: Definition<M>;
  readonly references?: readonly FieldReference<NoInfer<M>>[];
  /** The password that is generated for each of them; see {@link GeneratedCredential}. Absent: none. */
  readonly credential?: GeneratedCredential<NoInfer<M>>;
  /** The external system generates a password, or the like, and reports it. Default: false. */
  readonly reportsSecrets?: boolean;
  /** The external client over a connection. It is made for each look, so it keeps nothing. */
  readonly external: (client: C) => ExternalClient<NoInfer<M>>;
  /** Absent: none. */
  readonly claims?: readonly Satisfied<NoInfer<M>['spec']['forProvider']>[];
}

/** A service of a stack; of {@link service}. */
export interface Service<C> {
  readonly definitions: readonly Definition[];
  readonly managed: (providers: ProviderKinds, connect: Connect<C>) => ManagedService;
  readonly claims: readonly ClaimService[];
}

/** Puts a service together. What does not go together does not compile. */
export function service<M extends Managed, C>(definition: ServiceDefinition<M, C>): Service<C> {
  const { managed: kind, external, claims = [], credential, reportsSecrets, ...rest } = definition;
  const secretDetails: SecretDetails<M> = {
    ...(credential && { credential }),
    ...(reportsSecrets && { reportsSecrets }),
  };
  return {
    definitions: [kind, ...claims.flatMap((satisfied) => [satisfied.class, satisfied.claim])],
    managed: (providers, connect) => ({
      ...rest,
      kind,
      secretDetails: secretDetails as SecretDetails,
      providers,
      connector: {
        async connect(managed, signal) {
          const { client, system, version } = await connect(managed, signal);
          return { ...external(client), ...(system && { system }), ...(version && { version }) };
        },
      },
    }),
    claims: claims.map((satisfied) => ({
      ...(satisfied as unknown as ClaimService),
      managed: kind,
      externalNames: rest.externalNames,
      secretDetails: secretDetails as SecretDetails,
      ...(rest.names && { names: rest.names }),
      problemsOf: configureProblems({ ...satisfied, managed: kind }),
    })),
  };
}

/** What a stack consists of: one provider, and all that is reached through it. */
export interface StackDefinition<C, P extends object> {
  /** For `--stacks`. */
  readonly name: string;
  readonly provider: StackProvider<C, P>;
  readonly services: readonly Service<C>[];
}

/** A stack that knows the definitions of all its kinds, for what is generated from them. */
export interface DefinedStack extends Stack {
  /** Each once. */
  readonly definitions: readonly Definition[];
}

/**
 * A stack, for the process to run.
 *
 *     export const queueStack = defineStack({
 *       name: 'queues',
 *       provider: { ...kinds, connect: cloudClients(queueCloud) },
 *       services: [
 *         service({
 *           managed: QueueKind,
 *           externalNames: 'deterministic',
 *           external: (cloud: QueueCloud) => queueClient(cloud),
 *           claims: [satisfies({ claim: AnyQueueKind, class: QueueClassKind, configure })],
 *         }),
 *       ],
 *     });
 */
export function defineStack<C, P extends object>({
  name,
  provider: { connect, ...providers },
  services,
}: StackDefinition<C, P>): DefinedStack {
  const definitions = [
    providers.provider,
    providers.providerConfig,
    ...services.flatMap((service) => service.definitions),
  ];
  return {
    name,
    definitions: uniqBy(definitions, kindKey),
    managed(env) {
      const connecting = connect(env, providers);
      return services.map(({ managed }) => managed(providers, connecting));
    },
    claims: services.flatMap(({ claims }) => claims.map((claim) => ({ ...claim, stack: name }))),
  };
}
