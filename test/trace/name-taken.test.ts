import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { checkOurs, markOf } from '../../clients/postgresql/mark.ts';
import { checkOwnership } from '../../controllers/author/check-ownership.ts';
import { conditionErrorOf } from '../../controllers/core/error-class.ts';
import { labelOwner } from '../../controllers/gcp/labels.ts';
import { failingWith, tracedIn } from './traced-objects.ts';

const object = (
  [apiVersion, kind]: readonly [apiVersion: string, kind: string],
  name: string,
  thrown?: Error,
): KubernetesObject =>
  ({
    apiVersion,
    kind,
    metadata: {
      name,
      uid: `uid-of-${name}`,
      generation: 1,
      annotations: { 'crossplane.io/external-name': 'orders' },
    },
    spec: { providerConfigRef: { name: 'demo' }, forProvider: {} },
    ...(thrown !== undefined && {
      status: {
        observedGeneration: 1,
        ...failingWith(`observe failed: ${thrown.message}`, conditionErrorOf(thrown, 'call')),
      },
    }),
  }) as KubernetesObject;

const database = ['postgresql.crossplane.io/v1alpha1', 'PostgreSQLDatabase'] as const;
const role = ['postgresql.crossplane.io/v1alpha1', 'PostgreSQLRole'] as const;
const redis = ['cache.gcp.crossplane.io/v1beta1', 'CloudMemorystoreInstance'] as const;

/** With these objects the provider has no fault. */
const providers = ['postgresql.crossplane.io/v1alpha1', 'gcp.crossplane.io/v1beta1'].map(
  (apiVersion) =>
    ({
      apiVersion,
      kind: 'ProviderConfig',
      metadata: { name: 'demo' },
      spec: {
        projectID: 'demo',
        credentials: {
          source: 'Secret',
          secretRef: { namespace: 'infra', name: 'demo', key: 'credentials' },
        },
      },
    }) as KubernetesObject,
);
const credentials = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'infra', name: 'demo' },
  data: encodeDetails({ credentials: '{}' }),
} as KubernetesObject;

/** The error that a step throws. */
function thrownBy(step: () => unknown): Error {
  try {
    step();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  return assert.fail('nothing was thrown');
}

/** The error of PostgreSQL's client about a database of another owner. */
const notOurs = (comment?: string): Error =>
  thrownBy(() => checkOurs('database', { name: 'orders', ...(comment && { comment }) }, 'x/adopt-a'));
/** The error about an instance in Google Cloud with the labels of `a.b`, or without labels. */
const notOursInCloud = (tags: Readonly<Record<string, string>>): Error => {
  const managed = object(redis, 'adopt-a') as never;
  return thrownBy(() =>
    checkOwnership(managed, { what: 'instance "orders"', tags, isKnown: false }, labelOwner(managed)),
  );
};
const hidden = notOurs(markOf('x/former'));
const labels = {
  'crossplane-kind': 'cloudmemorystoreinstance_cache_gcp_crossplane_io',
  'crossplane-name': 'a_b',
};
const takenUp =
  'Give this resource another external name. If a deleted resource left it (Retain, Orphan), a new resource with the kind and name of the deleted one adopts it.';

interface Row {
  readonly asked: readonly [apiVersion: string, kind: string];
  readonly thrown: Error;
  readonly others?: readonly KubernetesObject[];
  /** How the cause ends. */
  readonly whose: string;
  readonly advice: string;
}

const rows: Readonly<Record<string, Row>> = {
  'a mark without a readable owner, and a role here has the same external name': {
    asked: database,
    thrown: hidden,
    others: [object(role, 'former'), object(database, 'other-server')],
    whose: 'The same external name: PostgreSQLDatabase other-server, PostgreSQLRole former.',
    advice: takenUp,
  },
  'a mark without a readable owner, and no other resource here has that external name': {
    asked: database,
    thrown: hidden,
    whose:
      'No other resource in this cluster has this external name: a deleted resource left it, or another cluster uses it.',
    advice: takenUp,
  },
  'no mark, in PostgreSQL': {
    asked: database,
    thrown: notOurs(),
    whose: '',
    advice:
      'Give this resource another external name, or run the SQL statement that makes this resource the owner.',
  },
  'no tag of an owner': {
    asked: redis,
    thrown: notOursInCloud({}),
    whose: '',
    advice:
      'Give this resource another external name. Or adopt it: first only observe it, then allow the other actions.',
  },
  'labels of an existing resource with `_` for a dot': {
    asked: redis,
    thrown: notOursInCloud(labels),
    others: [object(redis, 'a.b')],
    whose: 'It belongs to CloudMemorystoreInstance a.b, which exists.',
    advice: takenUp,
  },
  'labels of a deleted resource with `_` for a dot': {
    asked: redis,
    thrown: notOursInCloud(labels),
    whose:
      'CloudMemorystoreInstance a.b does not exist in this cluster: its deletion kept the external resource, or another cluster uses it.',
    advice:
      'Give this resource another external name. Or adopt the kept one, if you know its owner: create CloudMemorystoreInstance a.b with the annotation crossplane.io/external-name: orders. This resource is not needed then. To rename this resource:',
  },
  'an owner of an unknown kind': {
    asked: redis,
    thrown: notOursInCloud({ ...labels, 'crossplane-kind': 'box' }),
    whose: '',
    advice: takenUp,
  },
};

describe('an external resource that already has the external name', () => {
  for (const [name, { asked, thrown, others = [], whose, advice }] of Object.entries(rows)) {
    test(name, async () => {
      const own = object(asked, 'adopt-a', thrown);
      const { fault } = await tracedIn(
        [own, ...others, ...providers, credentials],
        [asked[1].toLowerCase(), 'adopt-a'],
      );
      assert.deepEqual(
        [fault?.name, fault?.advice, fault?.cause],
        [
          'name taken',
          advice,
          `The external system has another resource with this name: observe failed: ${thrown.message}.${whose && ` ${whose}`}`,
        ],
      );
    });
  }
});
