import { annotationKeys } from '../../../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails, Secret } from '../../../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../../../apis/database/v1alpha1/postgresql-instance.ts';
import { stackControllers } from '../../../../../controllers/stack.ts';
import { realClock } from '../../../../../runtime/time/clock.ts';
import type { Credentials } from '../../../../../stacks/postgresql/client/credentials.ts';
import type { PostgreSQLDatabaseClass } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLDatabaseClassKind } from '../../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import {
  ProviderConfigKind,
  ProviderKind,
} from '../../../../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { createPostgresqlStack } from '../../../../../stacks/postgresql/stack.ts';
import { FakeCluster, FakeProcess } from '../../../../controllers/environment-fake.ts';
import type { postgresqlFixture } from '../clients/fixture.ts';

type Fixture = Awaited<ReturnType<typeof postgresqlFixture>>;

const apiVersion = 'postgresql.crossplane.io/v1alpha1';

/** The stack over an API server in memory and a real PostgreSQL. */
export class StackScene {
  readonly cluster = new FakeCluster();
  /** Those that the stack has asked for. */
  readonly servers: Credentials[] = [];
  process: FakeProcess;
  readonly #fixture: Fixture;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.putSecret();
    const credentialsSecretRef = { namespace: 'infra', name: 'server', key: 'endpoint' };
    this.cluster.put(ProviderConfigKind, {
      apiVersion,
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'Secret', secretRef: credentialsSecretRef } },
    });
    this.cluster.put(ProviderKind, {
      apiVersion,
      kind: 'Provider',
      metadata: { name: 'legacy' },
      spec: { credentialsSecretRef },
    });
    this.cluster.put(PostgreSQLDatabaseClassKind, {
      apiVersion,
      kind: 'PostgreSQLDatabaseClass',
      metadata: { name: 'small' },
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        reclaimPolicy: 'Delete',
        forProvider: { onDelete: 'TerminateSessions' },
      },
    });
    this.process = this.start();
  }

  /** The class of the claims with other fields. */
  editClass(fields: Partial<PostgreSQLDatabaseClass['specTemplate']>): void {
    const found = this.cluster.get(PostgreSQLDatabaseClassKind, { name: 'small' });
    if (found !== undefined)
      this.cluster.put(PostgreSQLDatabaseClassKind, {
        ...found,
        specTemplate: { ...found.specTemplate, ...fields },
      });
  }

  putSecret(entries: ConnectionDetails = {}): void {
    const { credentials } = this.#fixture;
    this.cluster.put<Secret>(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'infra', name: 'server' },
      data: encodeDetails({ ...credentials, port: String(credentials.port), ...entries }),
    });
  }

  start(): FakeProcess {
    const stack = createPostgresqlStack({
      createServer: ({ credentials: given, ...options }) => {
        this.servers.push(given);
        return this.#fixture.server({
          ...options,
          credentials: given,
          connectionWaitMs: 100,
          clock: realClock(),
        });
      },
    });
    return new FakeProcess(this.cluster, (env) => stackControllers(env, [stack]), { isExternalReal: true });
  }

  /** A claim of a namespace, by default of `team`, with an external name if its team chose one. */
  putClaim(
    name: string,
    { namespace = 'team', externalName }: { namespace?: string; externalName?: string } = {},
  ): void {
    this.cluster.put(PostgreSQLInstanceKind, {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'PostgreSQLInstance',
      metadata: {
        namespace,
        name,
        ...(externalName && { annotations: { [annotationKeys.externalName]: externalName } }),
      },
      spec: {
        classRef: { apiVersion, kind: 'PostgreSQLDatabaseClass', name: 'small' },
        writeConnectionSecretToRef: { name: `${name}-connection` },
      },
    });
  }

  claim(name: string, namespace = 'team') {
    return this.cluster.get(PostgreSQLInstanceKind, { namespace, name });
  }

  details(name: string, namespace = 'team'): ConnectionDetails {
    return decodeDetails(this.cluster.get(SecretKind, { namespace, name: `${name}-connection` }));
  }
}
