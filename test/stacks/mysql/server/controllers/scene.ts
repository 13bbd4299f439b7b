import assert from 'node:assert/strict';
import { getCondition } from '../../../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../../../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../../apis/core/v1alpha1/secret.ts';
import type { MySQLInstance } from '../../../../../apis/database/v1alpha1/mysql-instance.ts';
import { MySQLInstanceKind } from '../../../../../apis/database/v1alpha1/mysql-instance.ts';
import type { Stack } from '../../../../../controllers/stack.ts';
import { stackControllers } from '../../../../../controllers/stack.ts';
import type {
  MySQLDatabase,
  MySQLDatabaseClass,
} from '../../../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import {
  MySQLDatabaseClassKind,
  MySQLDatabaseKind,
} from '../../../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import { ProviderConfigKind } from '../../../../../stacks/mysql/kinds/v1alpha1/provider.ts';
import { createMysqlStack } from '../../../../../stacks/mysql/stack.ts';
import { FakeCluster, FakeProcess } from '../../../../controllers/environment-fake.ts';
import type { Fixture } from '../fixture.ts';

const apiVersion = 'mysql.crossplane.io/v1alpha1';

/** The stack over an API server in memory and a real MariaDB. */
export class StackScene {
  readonly cluster = new FakeCluster();
  process: FakeProcess;
  readonly #stacks: readonly Stack[];
  readonly #fixture: Fixture;

  constructor(fixture: Fixture, others: readonly Stack[] = []) {
    this.#fixture = fixture;
    this.#stacks = [createMysqlStack(), ...others];
    this.putSecret();
    this.cluster.put(ProviderConfigKind, {
      apiVersion,
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: {
        credentials: {
          source: 'Secret',
          secretRef: { namespace: 'infra', name: 'server', key: 'endpoint' },
        },
      },
    });
    this.putClass('small');
    this.process = this.start();
  }

  /** A class with a label of its name. */
  putClass(
    name: string,
    fields: Partial<MySQLDatabaseClass['specTemplate']> = {},
    labels: Readonly<Record<string, string>> = {},
  ): void {
    this.cluster.put(MySQLDatabaseClassKind, {
      apiVersion,
      kind: 'MySQLDatabaseClass',
      metadata: { name, labels },
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        reclaimPolicy: 'Delete',
        forProvider: { onDelete: 'TerminateSessions' },
        ...fields,
      },
    });
  }

  /** The credentials of the provider, with these entries instead. */
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
    return new FakeProcess(this.cluster, (env) => stackControllers(env, [...this.#stacks]), {
      isExternalReal: true,
    });
  }

  /** A claim of a namespace, by default of `team` and class `small`. */
  putClaim(
    name: string,
    {
      namespace = 'team',
      externalName,
      ...spec
    }: { namespace?: string; externalName?: string } & Partial<MySQLInstance['spec']> = {},
  ): void {
    const isChosen = [spec.classRef, spec.classSelector, spec.resourceRef].some(
      (field) => field !== undefined,
    );
    this.cluster.put(MySQLInstanceKind, {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'MySQLInstance',
      metadata: {
        namespace,
        name,
        ...(externalName !== undefined && { annotations: { [annotationKeys.externalName]: externalName } }),
      },
      spec: {
        ...(!isChosen && { classRef: { apiVersion, kind: 'MySQLDatabaseClass', name: 'small' } }),
        writeConnectionSecretToRef: { name: `${name}-connection` },
        ...spec,
      },
    });
  }

  /** A claim, Bound after the process settled. */
  async bound(name: string, options: Parameters<StackScene['putClaim']>[1] = {}): Promise<ConnectionDetails> {
    this.putClaim(name, options);
    await this.process.settle();
    const { namespace } = options;
    assert.equal(this.claim(name, namespace)?.status?.bindingPhase, 'Bound', this.says(name, namespace));
    return this.details(name, namespace);
  }

  claim(name: string, namespace = 'team') {
    return this.cluster.get(MySQLInstanceKind, { namespace, name });
  }

  /** The conditions of a claim and its resource, for a message. */
  says(name: string, namespace = 'team'): string {
    return JSON.stringify([
      this.claim(name, namespace)?.status?.conditions,
      this.resource(name, namespace)?.status?.conditions,
    ]);
  }

  resource(name: string, namespace = 'team'): MySQLDatabase | undefined {
    const { name: resource = '' } = this.claim(name, namespace)?.spec.resourceRef ?? {};
    return this.cluster.get(MySQLDatabaseKind, { name: resource });
  }

  /** Changes the spec of a managed resource, as an administrator does. */
  edit<M extends Managed>(kind: Kind<M>, name: string, spec: Partial<M['spec']>): void {
    const found = this.cluster.get(kind, { name }) ?? assert.fail(`no ${kind.kind} ${name}`);
    this.cluster.put(kind, { ...found, spec: { ...found.spec, ...spec } });
  }

  annotate<M extends Managed>(
    kind: Kind<M>,
    name: string,
    annotations: Readonly<Record<string, string>>,
  ): void {
    const found = this.cluster.get(kind, { name }) ?? assert.fail(`no ${kind.kind} ${name}`);
    const { metadata } = found;
    const all = { ...metadata.annotations, ...annotations };
    this.cluster.put(kind, { ...found, metadata: { ...metadata, annotations: all } });
  }

  details(name: string, namespace = 'team'): ConnectionDetails {
    return decodeDetails(this.cluster.get(SecretKind, { namespace, name: `${name}-connection` }));
  }

  /** Status, reason and message of a condition. */
  condition(kind: Kind<Managed>, name: string, type: 'Ready' | 'Synced') {
    const {
      status,
      reason,
      message = '',
    } = getCondition(this.cluster.get(kind, { name })?.status?.conditions, type);
    return { status, reason, message };
  }

  /** Deletes a claim whose resource is retained. Returns the resource, for another claim. */
  async release(name: string): Promise<ObjectReference & { readonly name: string }> {
    const { metadata } = this.resource(name) ?? assert.fail(`no resource of ${name}`);
    this.deleteClaim(name);
    await this.process.settle();
    const released = this.cluster.get(MySQLDatabaseKind, { name: metadata.name });
    assert.equal(released?.status?.bindingPhase, 'Released');
    return { apiVersion, kind: 'MySQLDatabase', name: metadata.name };
  }

  /** Lets another claim have a released resource, as an administrator does. */
  giveAway(name: string): void {
    this.edit(MySQLDatabaseKind, name, { claimRef: undefined } as never);
  }

  /** Deletes a claim, and its retained resource with it. */
  async deleteWithData(name: string, namespace: string): Promise<void> {
    const { metadata } = this.resource(name, namespace) ?? assert.fail(`no resource of ${name}`);
    this.edit(MySQLDatabaseKind, metadata.name, { reclaimPolicy: 'Delete' });
    this.deleteClaim(name, namespace);
    await this.process.settle();
  }

  deleteClaim(name: string, namespace = 'team'): void {
    this.cluster.delete(MySQLInstanceKind, { namespace, name });
  }
}
