import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { condition, failingWith, remedyOf, tracedIn } from './traced-objects.ts';

/** A managed resource that fails so, its ProviderConfig and, where it has entries, the secret. */
const failing = (
  [group, kind, managedGroup]: readonly [group: string, kind: string, managedGroup: string],
  key: string,
  entries: readonly string[] | undefined,
  message: string,
  error: Condition['error'] = { class: 'CredentialsRefused' },
): readonly KubernetesObject[] => [
  {
    apiVersion: managedGroup,
    kind,
    metadata: { name: 'db', generation: 1 },
    spec: { providerConfigRef: { name: 'demo' }, forProvider: {} },
    status: { observedGeneration: 1, ...failingWith(message, error) },
  } as KubernetesObject,
  {
    apiVersion: group,
    kind: 'ProviderConfig',
    metadata: { name: 'demo' },
    spec: { credentials: { source: 'Secret', secretRef: { namespace: 'infra', name: 'server', key } } },
  } as KubernetesObject,
  ...(entries === undefined
    ? []
    : [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: 'infra', name: 'server' },
          data: encodeDetails(
            Object.fromEntries(entries.map((entry) => [entry, entry === 'clusterCA' ? 'x\ny' : 'x'])),
          ),
        } as KubernetesObject,
      ]),
];

const apiVersion = 'postgresql.crossplane.io/v1alpha1';
const postgresql = [apiVersion, 'PostgreSQLDatabase', apiVersion] as const;
const gcp = ['gcp.crossplane.io/v1beta1', 'Topic', 'pubsub.gcp.crossplane.io/v1alpha1'] as const;
const aws = ['aws.crossplane.io/v1beta1', 'VPC', 'ec2.aws.upbound.io/v1beta1'] as const;
const favourite = [
  'fcp.crossplane.io/v1alpha3',
  'FavouriteDBInstance',
  'database.fcp.crossplane.io/v1alpha3',
] as const;
const refused = 'server refused the credentials (HTTP 401)';
const creating = (name: string, from: string): string =>
  `kubectl -n infra create secret generic ${name} ${from}`;
const elsewhere =
  'If no other object uses this secret, correct it where it is written. Otherwise create another secret, with the values of this one that are right, and name it in the provider.';

const lines =
  'Replace FILE by a file of yours, with a line for each entry: endpoint=…, port=…, username=…, password=….';
const withEntry = (entry: string, form: string): string =>
  `Replace FILE by a file of yours, with the value of the entry "${entry}": ${form}.`;
const awsForm =
  'the lines [default], aws_access_key_id=… and aws_secret_access_key=…, and for temporary credentials aws_session_token=…';
const googleForm =
  'the key of a service account, as Google writes it: JSON with "type", "client_email", "private_key", "private_key_id" and "token_uri"';
const cloudForm = '{"url": …, "token": …}';
/** The Secret exists: other objects may use it. */
const createAnother = (group: string, file: string, advice: string) => ({
  advice: `${elsewhere} ${advice}`,
  commands: [creating('server-new', file), `kubectl edit providerconfigs.${group} demo`],
});
const serverCommand = createAnother('postgresql.crossplane.io', '--from-env-file=FILE', lines);
const all = ['endpoint', 'port', 'username', 'password'];

type Row = readonly [
  of: readonly [string, string, string],
  key: string,
  entries: readonly string[] | undefined,
  remedy: ReturnType<typeof remedyOf>,
  error?: Condition['error'],
];
const rows: Readonly<Record<string, Row>> = {
  'of PostgreSQL, refused: no command changes the Secret, which other objects may use': [
    postgresql,
    'endpoint',
    all,
    { name: 'wrong credentials', ...serverCommand },
  ],
  'of PostgreSQL, without the entry that is named: likewise': [
    postgresql,
    'endpoint',
    ['username', 'password'],
    { name: 'missing credentials', ...serverCommand },
  ],
  'of PostgreSQL, not there: made with all entries': [
    postgresql,
    'endpoint',
    undefined,
    { name: 'missing credentials', advice: lines, commands: [creating('server', '--from-env-file=FILE')] },
  ],
  'of PostgreSQL, never sent, since an entry is wrong: all entries that the Secret has': [
    postgresql,
    'endpoint',
    [...all, 'sslmode'],
    {
      name: 'unusable credentials',
      ...createAnother(
        'postgresql.crossplane.io',
        '--from-env-file=FILE',
        lines.replace(/\.$/, ', sslmode=….'),
      ),
    },
    { class: 'CredentialsUnreadable' },
  ],
  'of PostgreSQL, with a certificate of several lines: a manifest, as an env file has one line for each': [
    postgresql,
    'endpoint',
    [...all, 'clusterCA'],
    {
      name: 'unusable credentials',
      advice: `${elsewhere} Replace FILE by a file of yours, with the manifest of Secret server-new, with these entries in stringData: endpoint, port, username, password, clusterCA.`,
      commands: [
        'kubectl -n infra create -f FILE',
        'kubectl edit providerconfigs.postgresql.crossplane.io demo',
      ],
    },
    { class: 'CredentialsUnreadable' },
  ],
  'of AWS, no access key: the one entry, with all fields that are read': [
    aws,
    'credentials',
    ['credentials'],
    {
      name: 'unusable credentials',
      ...createAnother(
        'aws.crossplane.io',
        '--from-file=credentials=FILE',
        withEntry('credentials', awsForm),
      ),
    },
    { class: 'CredentialsUnreadable' },
  ],
  "of Google's cloud, refused: the one entry, with all fields that are read": [
    gcp,
    'key.json',
    ['key.json', 'note'],
    {
      name: 'wrong credentials',
      ...createAnother('gcp.crossplane.io', '--from-file=key.json=FILE', withEntry('key.json', googleForm)),
    },
  ],
  'of Favourite Cloud, never sent: the one entry, with all fields that are read': [
    favourite,
    'credentials',
    ['credentials'],
    {
      name: 'unusable credentials',
      ...createAnother(
        'fcp.crossplane.io',
        '--from-file=credentials=FILE',
        withEntry('credentials', cloudForm),
      ),
    },
    { class: 'CredentialsUnreadable' },
  ],
  'of AWS, not there: made with the one entry and its fields': [
    aws,
    'credentials',
    undefined,
    {
      name: 'missing credentials',
      advice: withEntry('credentials', awsForm),
      commands: [creating('server', '--from-file=credentials=FILE')],
    },
  ],
};

describe('credentials', () => {
  for (const [name, [of, key, entries, remedy, error]] of Object.entries(rows)) {
    test(name, async () => {
      const objects = failing(of, key, entries, refused, error);
      const [group, kind, managedGroup] = of.map((text) => text.split('/')[0] ?? '');
      for (const command of [
        [`${kind}.${managedGroup}`, 'db'],
        [`providerconfig.${group}`, 'demo'],
      ] as const) {
        const trace = await tracedIn(objects, command);
        assert.deepEqual(remedyOf(trace.fault), remedy);
      }
    });
  }
});

test('an empty entry of the Secret counts as missing', async () => {
  const objects = failing(gcp, 'key.json', ['key.json'], refused).map((object) =>
    object.kind === 'Secret' ? ({ ...object, data: { 'key.json': '' } } as KubernetesObject) : object,
  );
  const { fault } = await tracedIn(objects, ['topic.pubsub.gcp.crossplane.io', 'db']);
  assert.equal(
    fault?.cause,
    'The secret infra/server of ProviderConfig demo has no value for the key "key.json"; it has nothing.',
  );
});

test('advice to use other credentials says that they serve all resources of the provider', async () => {
  const objects = failing(gcp, 'key.json', ['key.json'], 'not allowed', { class: 'Forbidden' });
  const { fault } = await tracedIn(objects, ['topic.pubsub.gcp.crossplane.io', 'db']);
  assert.deepEqual(
    [fault?.name, fault?.advice],
    [
      'not allowed',
      `Give them the right in the external system, then try again with the first command. Or use other credentials, which then serve all resources of the provider. ${elsewhere} ${withEntry('key.json', googleForm)}`,
    ],
  );
});

test('if the provider leads to another system, no command changes the provider or the recorded system', async () => {
  const error = { class: 'OtherSystem' };
  const objects = failing(gcp, 'key.json', ['key.json'], 'it connects to projects/b', error);
  const { fault } = await tracedIn(objects, ['topic.pubsub.gcp.crossplane.io', 'db']);
  assert.deepEqual(remedyOf(fault), {
    name: 'other system',
    advice:
      "If the change was a mistake, undo it: check the provider's spec, such as a project or a region, and its credentials. Other providers may use the same secret. Nothing is lost while you do nothing. If both are one system under two names, confirm that for this resource: kubectl annotate topics.pubsub.gcp.crossplane.io db crossplane.io/adopt-identity=true",
    commands: ['kubectl get providerconfigs.gcp.crossplane.io demo -o yaml'],
  });
});

test('a region that requests are signed for and should not be is put right in the ProviderConfig, and not in its secret', async () => {
  const words =
    'cannot get VPC "vpc-0a": AWS EC2 (mars-east-1) refused the credentials (403): AuthFailure: Credential should be scoped to a valid region; change spec.endpoint.signingRegion of the provider';
  const error = {
    class: 'CredentialsRefused',
    advice: ['ChangeProvider'],
    fields: ['spec.endpoint.signingRegion'],
  };
  const { fault } = await tracedIn(failing(aws, 'credentials', ['credentials'], words, error), ['vpc', 'db']);
  assert.deepEqual([fault?.name, fault?.link], ['wrong credentials', 'provider']);
  assert.deepEqual(fault?.commands, ['kubectl edit providerconfigs.aws.crossplane.io demo']);
});

test('a project that does not exist is corrected in the ProviderConfig, and not in its resources', async () => {
  const words =
    'cannot get topic "db": Google Cloud (https://pubsub.googleapis.com) answered (404 PROJECT_NOT_FOUND): Requested project not found; check spec.projectID of the ProviderConfig';
  const error = { class: 'Invalid', advice: ['ChangeProvider'], fields: ['spec.projectID'] };
  const objects = failing(gcp, 'key.json', ['key.json'], words, error);
  const { fault } = await tracedIn(objects, ['topic.pubsub.gcp.crossplane.io', 'db']);
  assert.deepEqual([fault?.name, fault?.link, fault?.advice], ['refused', 'provider', undefined]);
  assert.deepEqual(fault?.commands, ['kubectl edit providerconfigs.gcp.crossplane.io demo']);
});

describe('a ProviderConfig that says it is not ready is not as it should be', () => {
  const rows: Readonly<Record<string, readonly [reason: string, link: string, commands: readonly string[]]>> =
    {
      'for its credentials, which are to be put right': [
        'CredentialsRefused',
        'credentials',
        [
          creating('server-new', '--from-file=key.json=FILE'),
          'kubectl edit providerconfigs.gcp.crossplane.io demo',
        ],
      ],
      'because the system does not answer: no credentials fix that': ['ProviderUnreachable', 'server', []],
    };
  for (const [name, [reason, link, commands]] of Object.entries(rows)) {
    test(name, async () => {
      const [, config, secret] = failing(gcp, 'key.json', ['key.json'], refused);
      const status = { users: 1, conditions: [condition('Ready', 'False', reason, 'it says so')] };
      const objects = [{ ...config, status } as unknown as KubernetesObject, secret as KubernetesObject];
      const { fault, links } = await tracedIn(objects, ['providerconfig.gcp.crossplane.io', 'demo']);
      assert.deepEqual([fault?.name, fault?.link, fault?.commands], ['provider not ready', link, commands]);
      assert.deepEqual([links[0]?.state, links[0]?.says], ['waits', ['1 user']]);
    });
  }
});

test('the trace of a ProviderConfig announces no command that it does not have', async () => {
  for (const [errorClass, advice] of [
    [
      'Unreachable',
      'Check the network, and the address in the credentials. The controllers continue once it answers.',
    ],
    ['ReadOnly', 'The controllers continue by themselves once it accepts changes.'],
  ] as const) {
    const objects = failing(gcp, 'key.json', ['key.json'], 'it says so', { class: errorClass });
    const { fault } = await tracedIn(objects, ['providerconfig.gcp.crossplane.io', 'demo']);
    assert.deepEqual([fault?.advice, fault?.commands], [advice, []]);
    const resourceFault = (await tracedIn(objects, ['topic', 'db'])).fault;
    assert.deepEqual(
      [resourceFault?.advice, resourceFault?.commands.length],
      [`${advice} To try again at once:`, 1],
    );
  }
});

test('if no Secret can have the name or namespace in the provider, no command creates that Secret', async () => {
  for (const reference of [
    { namespace: 'Bad_NS', name: 'server' },
    { namespace: 'infra', name: 'Bad_Name' },
  ]) {
    const [topic, provider] = failing(gcp, 'key.json', undefined, 'it does not exist');
    const secretRef = { ...reference, key: 'key.json' };
    const named = { ...provider, spec: { credentials: { source: 'Secret', secretRef } } } as KubernetesObject;
    const { fault } = await tracedIn([topic as KubernetesObject, named], ['topic', 'db']);
    assert.deepEqual(remedyOf(fault), {
      name: 'missing credentials',
      advice: 'No Secret can have this namespace and name: name another in the provider.',
      commands: ['kubectl edit providerconfigs.gcp.crossplane.io demo'],
    });
  }
});
