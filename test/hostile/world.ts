import assert from 'node:assert/strict';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { printable } from '../../apis/core/v1alpha1/printable.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { favouriteCloudClient } from '../../stacks/demo-clouds/client/favourite-cloud.ts';
import { otherCloudClient } from '../../stacks/demo-clouds/client/other-cloud.ts';
import { createFcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { createOcpStack } from '../../stacks/demo-clouds/ocp/stack.ts';
import { PostgreSQLDatabaseClassKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import * as postgresqlProviders from '../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { createPostgresqlStack } from '../../stacks/postgresql/stack.ts';
import { claimKinds } from '../fakes/defined-kinds.ts';
import { inProcessCloud } from '../fakes/in-process-cloud.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { objectOf, referenceOf } from '../fakes/object-of.ts';
import type { CarriedReply, CarryOutside } from '../fakes/outside.ts';
import { Simulation } from '../fakes/simulation.ts';

const minuteMs = 60_000;

/** The text that no log line, Event or condition may have: each secret contains it. */
export const planted = 'hunter2';

/** The result that a run of the world is judged by. */
export class World {
  readonly simulation: Simulation;
  readonly favourite;
  readonly other;
  readonly postgresql;
  readonly #stacks;
  #garbled: (reply: CarriedReply) => CarriedReply = (reply) => reply;

  constructor(seed: number, { isEnforced = true } = {}) {
    this.simulation = new Simulation({ seed, syncPeriodMs: 10 * minuteMs, isEnforced });
    const { clock, random } = this.simulation;
    const token = `${planted}-token`;
    const cloud = (flavour: 'favourite' | 'other') =>
      inProcessCloud(clock, { url: `http://${flavour}.test`, flavour, token, random });
    this.favourite = cloud('favourite');
    this.other = cloud('other');
    this.postgresql = createInProcessPostgresql(clock, { password: `${planted}-password` });
    const { favourite, other, postgresql } = this;
    const garbling: CarryOutside = async (_call, effect) => this.#garbled((await effect()) as CarriedReply);
    this.#stacks = [
      createFcpStack({
        createClient: (options) =>
          favouriteCloudClient({ ...options, dispatcher: favourite.carrierFor(garbling) }),
      }),
      createOcpStack({
        createClient: (options) => otherCloudClient({ ...options, dispatcher: other.dispatcher }),
      }),
      createPostgresqlStack({ createServer: postgresql.clientsFor().createServer }),
    ];
    this.#furnish();
  }

  get cluster() {
    return this.simulation.cluster;
  }

  start(): void {
    this.simulation.start(this.#stacks);
  }

  /** The fate of each answer of Favourite Cloud, from now on. */
  garble(garbled: (reply: CarriedReply) => CarriedReply): void {
    this.#garbled = garbled;
  }

  /** An administrator's: credentials of both clouds, a class of each, a secret store. */
  #furnish(): void {
    for (const { url } of [this.favourite, this.other]) {
      const credentials = JSON.stringify({ url, token: `${planted}-token` });
      const name = url.includes('favourite') ? 'favourite' : 'other';
      this.put(SecretKind, { namespace: 'infra', name }, { data: encodeDetails({ credentials }) });
    }
    const { endpoint, port, username, password } = this.postgresql.credentials;
    const data = encodeDetails({ endpoint, port: String(port), username, password });
    this.put(SecretKind, { namespace: 'infra', name: 'postgresql' }, { data });
    const secretRef = (name: string, key = 'credentials') => ({ namespace: 'infra', name, key });
    const configOf = (name: string, key?: string) => ({
      spec: { credentials: { source: 'Secret', secretRef: secretRef(name, key) } },
    });
    this.put(fcp.ProviderConfigKind, { name: 'default' }, configOf('favourite'));
    this.put(ocp.ProviderConfigKind, { name: 'default' }, configOf('other'));
    this.put(postgresqlProviders.ProviderConfigKind, { name: 'default' }, configOf('postgresql', 'endpoint'));
    const legacy = { credentialsSecretRef: secretRef('favourite') };
    this.put(fcp.ProviderKind, { name: 'legacy' }, { spec: legacy });
    const putClass = (kind: Kind, name: string, forProvider: object) => {
      const specTemplate = { writeConnectionSecretsToNamespace: 'infra', forProvider };
      this.put(kind, { name, labels: { size: 'small' } }, { specTemplate });
    };
    putClass(FavouriteDBInstanceClassKind, 'small', { fancinessLevel: 3 });
    putClass(AmbivalentDBInstanceClassKind, 'other-small', { ambivalence: 5 });
    putClass(PostgreSQLDatabaseClassKind, 'shared', {});
    this.put(StoreConfigKind, { name: 'default' }, { spec: { type: 'Kubernetes', defaultScope: 'stores' } });
  }

  /** As it is given, whatever definitions say. */
  put<T extends KubernetesObject>(kind: Kind<T>, metadata: T['metadata'], rest: object = {}): T {
    return this.cluster.put(kind, objectOf(kind, metadata, rest));
  }

  /** A normal claim, in a namespace that no other object uses. */
  claim(name: string): void {
    const classRef = referenceOf(FavouriteDBInstanceClassKind, 'small');
    const spec = { classRef, writeConnectionSecretToRef: { name } };
    this.put(FancySQLInstanceKind, { namespace: 'quiet', name, uid: `uid-of-${name}` }, { spec });
  }

  /** It is Bound and can be used: its secret has a password that opens its database. */
  assertUsable(name: string): void {
    const key = { namespace: 'quiet', name };
    const { status, spec } = this.cluster.get<Claim>(FancySQLInstanceKind, key);
    assert.equal(status?.bindingPhase, 'Bound', `claim ${name}`);
    assert.equal(getCondition(status.conditions, 'Ready').status, 'True', `claim ${name}`);
    const { password } = decodeDetails(this.cluster.get<Secret>(SecretKind, key));
    const instance = this.favourite.instances().find(({ item }) => item.name === spec.resourceRef?.name);
    assert.ok(instance !== undefined && password === instance.item.password, `claim ${name} can be used`);
  }

  /** Nothing of the process has stopped, and nothing was logged that calls for its author. */
  assertNoFault(): void {
    const faults = this.simulation.log.filter((line) => faultSigns.some((sign) => sign.test(line)));
    assert.deepEqual(faults.map((line) => line.slice(0, 2_000)).slice(0, 3), []);
  }

  /** No write was made that changed nothing. */
  assertEveryWriteChanges(): void {
    const { carriedOut } = this.simulation;
    const index = carriedOut.indexOf('which changed nothing');
    assert.equal(index, -1, `${carriedOut[index - 1]} changed nothing`);
  }

  /**
   * The messages of the process have no planted secret, and no control characters of a terminal. Statuses
   * that others have written are their own.
   */
  assertDecentWords(written: readonly KubernetesObject[] = []): void {
    const known = new Set(textsIn(written));
    const texts: (readonly [where: string, text: string])[] = [
      ...this.simulation.log.flatMap((line) =>
        textsIn(JSON.parse(line)).map((text) => ['a log line', text] as const),
      ),
      ...this.cluster
        .all(EventKind)
        .flatMap((event) => textsIn(event).map((text) => ['an Event', text] as const)),
      ...claimKinds.flatMap((kind) =>
        this.cluster.all<Claim>(kind).flatMap(({ status }) =>
          textsIn(status?.conditions)
            .filter((text) => !known.has(text))
            .map((text) => ['a condition', text] as const),
        ),
      ),
    ];
    const passwords = [this.favourite, this.other].flatMap((cloud) =>
      cloud.instances().map(({ item }) => item.password),
    );
    const secrets = [planted, Buffer.from(planted).toString('base64').slice(0, 9), ...passwords];
    for (const [where, text] of texts) {
      const leaked = secrets.find((secret) => text.includes(secret));
      assert.equal(leaked, undefined, `${where} holds a secret: ${text.slice(0, 500)}`);
      const finding = `${where}: ${JSON.stringify(text.slice(0, 500))}`;
      if (where === 'a log line')
        assert.doesNotMatch(text.replaceAll(/\n {4}at /g, ''), unprintable, finding);
      else assert.equal(printable(text), text, finding);
    }
  }

  /** Everything there is, by kind and key; Events left out. */
  inventory(): readonly string[] {
    return this.cluster
      .objects()
      .filter(({ kind }) => kind !== 'Event')
      .map((object) => `${object.apiVersion} ${object.kind} ${objectKeyText(object.metadata)}`)
      .toSorted();
  }

  /** An object as the inventory lists it. */
  nameOf(kind: Kind, key: ObjectKey): string {
    return `${apiVersionOf(kind)} ${kind.kind} ${objectKeyText(key)}`;
  }

  /** How many writes the process has sent so far, how many of these were carried out, and how often it reconciled. */
  effort(): { readonly writes: number; readonly carriedOut: number; readonly runs: number } {
    const { writes, carriedOut, runs } = this.simulation;
    return { writes: writes.length, carriedOut: carriedOut.length, runs: runs.length };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** The text of a log line about a crash that no object, with any content, may cause. */
const faultSigns = [
  /"msg":"(?:a bug stopped (?:a trigger|the watch of this kind|the sending)|a bug in (?:a trigger|an index))/,
  /Cannot (?:read|set|convert)|is not (?:a function|iterable|a constructor)|undefined is not|Invalid (?:URL|array|string|time|Date)|Maximum call stack|out of memory|URI malformed|"name":"(?:Type|Range|Reference|Syntax|URI|Assertion)Error"/,
];

/** Every text in a value, keys included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [key, ...textsIn(child)]);
}
