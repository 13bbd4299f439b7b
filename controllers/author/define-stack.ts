import get from 'lodash/get.js';
import uniq from 'lodash/uniq.js';
import { DefinitionError } from '../../apis/core/definition-error.ts';
import { nameOf, objectProblem, requireForm } from '../../apis/core/forms.ts';
import type { Definition } from '../../apis/core/schema.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Provider, ProviderConfig, SystemFacts } from '../../apis/core/v1alpha1/provider.ts';
import ownManifest from '../../package.json' with { type: 'json' };
import type { Environment } from '../../runtime/controller/environment.ts';
import { callAuthor } from '../border.ts';
import type { ClaimService } from '../claim-service.ts';
import type { GeneratedCredential, SecretDetails } from '../credential.ts';
import type { ExternalClient } from '../managed/connecting/external-client.ts';
import type { ManagedService } from '../managed/setup.ts';
import type { ProviderKinds } from '../provider/provider-credentials.ts';
import type { Reference, ReferenceField, ReferenceSelector } from '../references/references.ts';
import type { Stack } from '../stack.ts';
import { configureProblems } from './configure-problems.ts';
import { satisfiesForm, serviceForm, stackForm } from './definition-forms.ts';

/** The connection that a managed resource's provider leads to. */
export interface Connection<C> {
  /** The value from which external clients are created: most often the cloud's own client. */
  readonly client: C;
  /** See `system` of {@link ExternalClient}. */
  system?(signal: AbortSignal): Promise<string>;
  /** See `otherSystemAdvice` of {@link ExternalClient}. */
  readonly otherSystemAdvice?: string;
  /** See `check` of {@link ExternalClient}. */
  check?(signal: AbortSignal): Promise<void>;
  /** See `facts` of {@link ExternalClient}. */
  facts?(): SystemFacts;
  /** The managed resource as external clients get it: with the tags that its provider adds. Default: as it is. */
  withTags?<M extends Managed>(managed: M): M;
}

/** Returns the connection of a managed resource. Throws an Error whose message a condition may show. */
export type Connect<C> = (managed: Managed, signal: AbortSignal) => Promise<Connection<C>>;

/**
 * The connection of a stack to its external system. `P` are the fields of its providers' specs without the credentials.
 */
export interface StackProvider<C, P extends object> extends ProviderKinds<P> {
  readonly provider: Definition<Provider & { readonly spec: P }>;
  readonly providerConfig: Definition<ProviderConfig & { readonly spec: P }>;
  /** Called once per process, so that it can cache clients. Also called if only the parts of a stack are listed. */
  readonly connect: (env: Environment, kinds: ProviderKinds<P>) => Connect<C>;
}

/** The fields of `T` whose values are `V`. */
type FieldsWith<T, V> = { [F in keyof T]-?: NonNullable<T[F]> extends V ? F : never }[keyof T] & string;

type ParametersOf<M extends Managed> = NonNullable<M['spec']['forProvider']>;

/** A {@link ReferenceField} whose field names exist in the kind's `forProvider`, with the right types. */
export interface FieldReference<M extends Managed> extends ReferenceField {
  readonly field: FieldsWith<ParametersOf<M>, string | readonly string[]>;
  readonly ref: FieldsWith<ParametersOf<M>, Reference | readonly Reference[]>;
  readonly selector?: FieldsWith<ParametersOf<M>, ReferenceSelector>;
}

/** The names of the fields of `T`; for a union, of every alternative. */
type FieldOf<T> = T extends unknown ? keyof T : never;

/**
 * One claim kind that managed kinds with parameters `P` satisfy; from {@link satisfies}. `Field` are the names of their
 * fields.
 */
export interface Satisfied<P, Field = FieldOf<P>> {
  readonly claim: Definition<Claim>;
  readonly class: Definition<Class>;
  readonly configure: (claim: never, resourceClass: never) => { readonly forProvider: P };
  readonly whyIncompatible?: ((claim: never, offered: never) => string | undefined) | undefined;
  /** See {@link ClaimService}. */
  readonly definedAt?: string | undefined;
  /**
   * Never present at run time. It carries the type of `forProvider`, so that a field that the managed kind lacks does
   * not compile.
   */
  readonly fields?: Field;
}

/**
 * A claim kind that a managed kind satisfies, and its class kind. `configure` is pure: it receives claim and class, and
 * returns `forProvider` of the managed resource. Fields that the managed kind does not have do not compile. It throws
 * an Error whose message tells the claim's author what is incompatible.
 *
 * `whyIncompatible` returns the reason why a class or a managed resource can never serve the claim, or undefined if it
 * can. An example is `has engine "postgres", which no MySQLInstance can be given`, which follows the name of a class or
 * a managed resource in a message.
 *
 * It is called before a class is chosen by a selector or as the default, before a resource is created from a class, and
 * before a claim is bound to a resource that it names. Without it, every claim of the kind can be bound to such a
 * resource. `offered` is `forProvider`, with the values of `initProvider` that it lacks. For a resource it also contains
 * the values of the status with the same names. Any field may be absent.
 *
 * `configure` gets the class with the values of its `initProvider` in `forProvider`, too. Values that it does not change
 * stay in `initProvider` alone.
 */
export const satisfies = <C extends Claim, K extends Class, P>(service: {
  readonly claim: Definition<C>;
  readonly class: Definition<K>;
  readonly configure: (claim: NoInfer<C>, resourceClass: NoInfer<K>) => { readonly forProvider: P };
  readonly whyIncompatible?: (claim: NoInfer<C>, offered: Partial<NoInfer<P>>) => string | undefined;
}): Satisfied<P> => {
  requireForm(satisfies, satisfiesForm, service, ({ claim }) => get(claim, 'kind'));
  return { ...service, definedAt: new Error('satisfies').stack };
};

/**
 * A managed kind, its external clients, and the claims that it satisfies. `C` is the connection that its provider
 * returns.
 */
export interface ServiceDefinition<M extends Managed, C>
  extends Pick<
    ManagedService<M>,
    'externalNames' | 'names' | 'creationGraceMs' | 'confirmAbsenceMs' | 'limits'
  > {
  readonly managed: Definition<M>;
  readonly references?: readonly FieldReference<NoInfer<M>>[];
  /** The password that is generated for each of its resources; see {@link GeneratedCredential}. Absent: none. */
  readonly credential?: GeneratedCredential<NoInfer<M>>;
  /** The external system generates a password or another secret, and reports it. Default: false. */
  readonly reportsSecrets?: boolean;
  /** Creates the external client from a connection. Each run creates a new one, so it holds no state. */
  readonly external: (client: C) => ExternalClient<NoInfer<M>>;
  /** Absent: none. */
  readonly claims?: readonly Satisfied<NoInfer<M>['spec']['forProvider']>[];
}

/** A service of a stack; from {@link service}. */
export interface Service<C> {
  readonly definitions: readonly Definition[];
  readonly managed: (providers: ProviderKinds, connect: Connect<C>) => ManagedService;
  readonly claims: readonly ClaimService[];
}

/** Combines a service's parts. Parts with different types do not compile. */
export function service<M extends Managed, C>(definition: ServiceDefinition<M, C>): Service<C> {
  requireForm(service, serviceForm, definition, ({ managed }) => get(managed, 'kind'));
  const { managed: kind, external, claims = [], credential, reportsSecrets, ...rest } = definition;
  const secretDetails: SecretDetails<M> = {
    ...(credential && { credential }),
    ...(reportsSecrets && { reportsSecrets }),
  };
  const { stack: definedAt } = new Error('service');
  return {
    definitions: [kind, ...claims.flatMap((satisfied) => [satisfied.class, satisfied.claim])],
    managed: (providers, connect) => ({
      ...rest,
      kind,
      ...(definedAt !== undefined && { definedAt }),
      secretDetails: secretDetails as unknown as SecretDetails,
      providers,
      connector: {
        async connect(managed, signal) {
          const { client, withTags, ...connected } = await connect(managed, signal);
          const made = callAuthor({ name: 'external', definedAt }, () => external(client), objectProblem);
          const own = withOwnMethods(made);
          return { ...(withTags ? tagging(own, withTags) : own), ...connected };
        },
      },
    }),
    claims: claims.map((satisfied) => ({
      ...(satisfied as unknown as ClaimService),
      managed: kind,
      externalNames: rest.externalNames,
      secretDetails: secretDetails as unknown as SecretDetails,
      ...(rest.names && { names: rest.names }),
      problemsOf: configureProblems({ ...satisfied, managed: kind }),
    })),
  };
}

/** The client as an object that can be spread. The methods of a class are not among the fields of its objects. */
function withOwnMethods<T extends object>(client: T): T {
  if (Object.getPrototypeOf(client) === Object.prototype) return client;
  const named: Record<string, unknown> = {};
  for (
    let each: object | null = client;
    each !== null && each !== Object.prototype;
    each = Object.getPrototypeOf(each)
  ) {
    for (const name of Object.getOwnPropertyNames(each)) {
      const value: unknown = Reflect.get(client, name);
      if (name !== 'constructor') named[name] ??= typeof value === 'function' ? value.bind(client) : value;
    }
  }
  return named as T;
}

/** The client, which gets each managed resource with the tags that its provider adds. */
function tagging<M extends Managed>(
  client: ExternalClient<M>,
  withTags: (managed: M) => M,
): ExternalClient<M> {
  return {
    ...client,
    observe: (managed, ...rest) => client.observe(withTags(managed), ...rest),
    create: (managed, ...rest) => client.create(withTags(managed), ...rest),
    update: (managed, ...rest) => client.update(withTags(managed), ...rest),
    delete: (managed, ...rest) => client.delete(withTags(managed), ...rest),
  } as ExternalClient<M>;
}

/** The parts of a stack: one provider, and the services that use it. */
export interface StackDefinition<C, P extends object> {
  /** The name in the flag `--stacks`. */
  readonly name: string;
  readonly provider: StackProvider<C, P>;
  readonly services: readonly Service<C>[];
}

/** A stack with the definitions of all its kinds, for generated files. */
export interface DefinedStack extends Stack {
  /** Each once. */
  readonly definitions: readonly Definition[];
  /** The version of this package that made it. */
  readonly packageVersion: string;
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
export function defineStack<C, P extends object>(definition: StackDefinition<C, P>): DefinedStack {
  requireForm(defineStack, stackForm, definition, ({ name }) => name);
  const { name, provider, services } = definition;
  const { connect, ...providers } = provider;
  const definitions = [
    providers.provider,
    providers.providerConfig,
    ...services.flatMap((service) => service.definitions),
  ];
  return {
    name,
    definitions: uniq(definitions),
    packageVersion: ownManifest.version,
    managed(env) {
      const connecting = connect(env, providers);
      if (typeof connecting !== 'function')
        throw new DefinitionError(
          `connect of ${name} returned ${nameOf(connecting)}, which must be a function that connects a managed resource`,
        );
      return services.map(({ managed }) => managed(providers, connecting));
    },
    claims: services.flatMap(({ claims }) => claims.map((claim) => ({ ...claim, stack: name }))),
  };
}
