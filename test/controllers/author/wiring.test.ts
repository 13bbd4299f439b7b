import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { text } from '../../../apis/core/schema.ts';
import { available, reconcileSuccess } from '../../../apis/core/v1alpha1/condition.ts';
import { defineProvider, defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type { CloudClientOptions } from '../../../controllers/author/cloud-clients.ts';
import { cloudClients } from '../../../controllers/author/cloud-clients.ts';
import { defineStack, satisfies, service } from '../../../controllers/author/define-stack.ts';
import { namedByUs } from '../../../controllers/author/named-by-us.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import type {
  ExternalClient,
  Observation,
  PollingClient,
} from '../../../controllers/managed/connecting/external-client.ts';
import { providerFacts } from '../../../controllers/provider/provider-credentials.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { FavouriteCloudClient } from '../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { favouriteCloudClient } from '../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../../stacks/demo-clouds/client/other-cloud.ts';
import { configureFavouriteDBInstance } from '../../../stacks/demo-clouds/fcp/favourite-db-instance/configure.ts';
import { favouriteDBInstanceClient } from '../../../stacks/demo-clouds/fcp/favourite-db-instance/external-client.ts';
import { networkClient } from '../../../stacks/demo-clouds/fcp/network/external-client.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { FavouriteDBInstance } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { Network } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { ProviderConfigKind, ProviderKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { configurePostgreSQLDatabase } from '../../../stacks/postgresql/postgresql-database/configure.ts';

const provider = {
  provider: ProviderKind,
  providerConfig: ProviderConfigKind,
  connect: cloudClients(favouriteCloudClient),
};
const external = (cloud: FavouriteCloudClient) => favouriteDBInstanceClient(cloud);
const claims = [
  satisfies({
    claim: FancySQLInstanceKind,
    class: FavouriteDBInstanceClassKind,
    configure: configureFavouriteDBInstance,
  }),
];
const instances = {
  managed: FavouriteDBInstanceKind,
  externalNames: 'deterministic',
  external,
  claims,
} as const;
/** Providers with a field of their own. */
const access = { group: 'gcp.example.org', version: 'v1', stack: 'gcp', description: 'A project.' };
const fields = { projectID: text('The project that everything is made in.') };
const projects = {
  provider: defineProvider(access, fields),
  providerConfig: defineProviderConfig(access, fields),
};
const factsOf = () => providerFacts({} as Environment, projects);
type Facts = Awaited<ReturnType<ReturnType<typeof factsOf>>>;
type Observed = Observation<FavouriteDBInstance>;
const observed = { exists: true, isUpToDate: true };
const details = {
  type: 'fancysql',
  provider: 'favourite-cloud',
  endpoint: 'db.example.org',
  host: 'db.example.org',
  port: '5432',
  username: 'admin',
};

/** The compiler tests these wrong wirings: an `@ts-expect-error` without an error is an error. */
void ({
  'an external client of another kind': () =>
    // @ts-expect-error a network is no instance
    service({ managed: FavouriteDBInstanceKind, externalNames: 'assigned', external: networkClient }),
  'a managed kind that is a claim': () =>
    // @ts-expect-error a claim is namespaced and has another spec
    service({ ...instances, managed: FancySQLInstanceKind }),
  'configure of another managed kind': () =>
    service({
      ...instances,
      claims: [
        // @ts-expect-error the fields of a database
        satisfies({
          claim: PostgreSQLInstanceKind,
          class: FavouriteDBInstanceClassKind,
          // @ts-expect-error it reads the class of a database
          configure: configurePostgreSQLDatabase,
        }),
      ],
    }),
  'configure of another claim': () =>
    satisfies({
      claim: NetworkKind as never as typeof PostgreSQLInstanceKind,
      class: FavouriteDBInstanceClassKind,
      // @ts-expect-error a PostgreSQL claim has no version
      configure: ({ spec: { nonsense } }, { specTemplate }) => ({
        forProvider: { ...specTemplate.forProvider, version: nonsense },
      }),
    }),
  'configure that yields a misspelt field': () =>
    service({
      ...instances,
      claims: [
        // @ts-expect-error fancinessLevel
        satisfies({
          claim: FancySQLInstanceKind,
          class: FavouriteDBInstanceClassKind,
          configure: (_claim, { specTemplate: { forProvider } }) => ({
            forProvider: { ...forProvider, fancynessLevel: 3 },
          }),
        }),
      ],
    }),
  'configure that yields a misspelt field if the claim has a value': () =>
    service({
      ...instances,
      claims: [
        // @ts-expect-error version
        satisfies({
          claim: FancySQLInstanceKind,
          class: FavouriteDBInstanceClassKind,
          configure: ({ spec: { version } }, { specTemplate: { forProvider } }) => ({
            forProvider: { ...forProvider, ...(version !== undefined && { verson: version }) },
          }),
          whyIncompatible: () => undefined,
        }),
      ],
    }),
  'the client of another cloud': () =>
    defineStack({
      name: 'x',
      // @ts-expect-error the service takes another client
      provider: { ...provider, connect: cloudClients(otherCloudClient) },
      services: [service(instances)],
    }),
  'a Provider in place of a ProviderConfig': () =>
    // @ts-expect-error they have other specs
    defineStack({ name: 'x', provider: { ...provider, providerConfig: ProviderKind }, services: [] }),
  'a client that needs what the providers do not say': () =>
    defineStack({
      name: 'x',
      // @ts-expect-error they have no projectID
      provider: {
        ...provider,
        connect: cloudClients((options: CloudClientOptions<{ readonly projectID: string }>) =>
          favouriteCloudClient(options),
        ),
      },
      services: [service(instances)],
    }),
  'a client made of what a ProviderConfig says of its credentials': () =>
    defineStack({
      name: 'x',
      provider: {
        ...projects,
        // @ts-expect-error parameters have no credentials
        connect: cloudClients(({ parameters: { credentials } }) => ({ credentials })),
      },
      services: [],
    }),
  'a message of a provider, with its credentials among the parameters': ({ parameters }: Facts) =>
    // @ts-expect-error they are beside them
    parameters.credentials,
  'names that are neither ours nor assigned': () =>
    // @ts-expect-error deterministic or assigned
    service({ ...instances, externalNames: 'determinate' }),
  'a reference into a field that there is not, from a field or a selector that is none': () =>
    service({
      ...instances,
      references: [
        // @ts-expect-error networkID
        { field: 'networkID', ref: 'networkIdRef', selector: 'networkIdSelector', to: NetworkKind },
        // @ts-expect-error a text
        { field: 'networkId', ref: 'networkId', selector: 'networkIdSelector', to: NetworkKind },
        // @ts-expect-error a text
        { field: 'networkId', ref: 'networkIdRef', selector: 'version', to: NetworkKind },
      ],
    }),
  'a field of the status that there is not': (): Observed => ({
    ...observed,
    // @ts-expect-error hostname
    status: { hostName: 'db.example.org' },
  }),
  'a field of the status that is the framework’s': (): Observed => ({
    ...observed,
    // @ts-expect-error the claim's
    status: { bindingPhase: 'Bound' },
  }),
  'a late field that there is not': (): Observed => ({
    ...observed,
    // @ts-expect-error fancinessLevel
    lateInitialized: { fanciness: 3 },
  }),
  'another condition in the place of Ready': (): Observed => ({
    ...observed,
    // @ts-expect-error Synced
    ready: reconcileSuccess(),
  }),
  'a detail that is no text': (): Observed => ({
    ...observed,
    // @ts-expect-error a number
    details: { ...details, port: 5432 },
  }),
  'a detail that the kind does not declare': (): Observed => ({
    ...observed,
    // @ts-expect-error endpoint
    details: { ...details, address: 'db.example.org' },
  }),
  'details without one that the kind declares': (): Observed => ({
    ...observed,
    // @ts-expect-error without a port
    details: omit(details, 'port'),
  }),
  'a detail of a kind that declares none': (): Observation<Network> => ({
    ...observed,
    // @ts-expect-error a network has none
    details: { endpoint: 'net.example.org' },
  }),
  'a password of a kind that declares none': () =>
    service({
      managed: NetworkKind,
      externalNames: 'assigned',
      // @ts-expect-error a network has none
      credential: generatedPassword,
      external: networkClient,
    }),
  'databases whose kind declares other details': () =>
    // @ts-expect-error databaseConnection
    namedByUs<Network, object, object, object>({} as never),
  'an external client without delete': () =>
    service({
      ...instances,
      // @ts-expect-error what is made must be deleted
      external: (): Omit<ExternalClient<FavouriteDBInstance>, 'delete'> => ({}) as never,
    }),
} satisfies Readonly<Record<string, (facts: Facts) => unknown>>);

describe('a right wiring compiles', () => {
  test('the stack has its claims with their classes and resources', () => {
    const right: Observed = {
      ...observed,
      ready: available(),
      status: { id: 1 },
      lateInitialized: { version: '5.7' },
    };
    assert.equal(right.ready?.type, 'Ready');
    const stack = defineStack({ name: 'x', provider, services: [service(instances)] });
    const kinds = stack.claims.map(({ claim, class: { kind }, managed }) => [claim.kind, kind, managed.kind]);
    assert.deepEqual(kinds, [['FancySQLInstance', 'FavouriteDBInstanceClass', 'FavouriteDBInstance']]);
  });

  test('a deletion that is sometimes done at once compiles', () => {
    type Client = Pick<PollingClient<Network>, 'delete'>;
    const client: Client = {
      async delete({ spec }) {
        return spec.reclaimPolicy === 'Delete' ? { operation: 'deletion-1' } : undefined;
      },
    };
    assert.equal(typeof client.delete, 'function');
  });

  test('the fields of a provider beside its credentials are typed', () => {
    const stack = defineStack({
      name: 'x',
      provider: {
        ...projects,
        connect: cloudClients(({ parameters: { projectID }, url }) => `${url}/projects/${projectID}`, {
          systemOf: ({ parameters: { projectID } }) => projectID.toUpperCase(),
        }),
      },
      services: [],
    });
    const projectOf = ({ parameters: { projectID } }: Facts): string => projectID.toUpperCase();
    assert.deepEqual([stack.definitions.length, typeof projectOf], [2, 'function']);
  });

  test('the type of a claim knows how its resource is named', () => {
    const assigning = { ...instances, externalNames: 'assigned' } as const;
    const { claims: served } = defineStack({ name: 'x', provider, services: [service(assigning)] });
    const names = served.map(({ externalNames }) => externalNames);
    assert.deepEqual(names, ['assigned']);
  });

  test('the type of a stack has each of its kinds, once', () => {
    const network = service({
      managed: NetworkKind,
      externalNames: 'assigned',
      external: (cloud: FavouriteCloudClient) => networkClient(cloud),
    });
    const { definitions } = defineStack({
      name: 'x',
      provider,
      services: [service(instances), service({ ...instances, claims: [...claims] }), network],
    });
    assert.deepEqual(definitions, [
      ProviderKind,
      ProviderConfigKind,
      FavouriteDBInstanceKind,
      FavouriteDBInstanceClassKind,
      FancySQLInstanceKind,
      NetworkKind,
    ]);
  });
});
