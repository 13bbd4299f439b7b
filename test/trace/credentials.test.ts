import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { condition, failingWith, leaseHeld, sourceOf, tracedIn } from './traced-objects.ts';

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
          data: encodeDetails(Object.fromEntries(entries.map((entry) => [entry, 'x']))),
        } as KubernetesObject,
      ]),
];

const postgresql = [
  'postgresql.crossplane.io/v1alpha1',
  'PostgreSQLDatabase',
  'postgresql.crossplane.io/v1alpha1',
] as const;
const gcp = ['gcp.crossplane.io/v1beta1', 'Topic', 'pubsub.gcp.crossplane.io/v1alpha1'] as const;
const aws = ['aws.crossplane.io/v1beta1', 'VPC', 'ec2.aws.upbound.io/v1beta1'] as const;
const refused = 'connect failed: observe failed: server refused the credentials (HTTP 401)';
const patching = (from: string): string =>
  `kubectl -n infra patch secret server --patch "$(kubectl create secret generic server ${from} --dry-run=client -o json)"`;

interface Row {
  readonly of: readonly [string, string, string];
  readonly key: string;
  readonly entries: readonly string[] | undefined;
  readonly fault: string;
  readonly advice: string;
  readonly commands: string;
}
const all = ['endpoint', 'port', 'username', 'password'];
const rows: Readonly<Record<string, Row>> = {
  'of PostgreSQL, refused: a patch of what is wrong, which leaves the rest': {
    of: postgresql,
    key: 'endpoint',
    entries: all,
    fault: 'wrong credentials',
    advice:
      'Replace FILE by a file of yours, with a line for each wrong entry, of endpoint=…, port=…, username=…, password=…; the other entries do not change.',
    commands: patching('--from-env-file=FILE'),
  },
  'of PostgreSQL, without the entry that is named: likewise': {
    of: postgresql,
    key: 'endpoint',
    entries: ['username', 'password'],
    fault: 'missing credentials',
    advice:
      'Replace FILE by a file of yours, with a line for each wrong entry, of endpoint=…, port=…, username=…, password=…; the other entries do not change.',
    commands: patching('--from-env-file=FILE'),
  },
  'of PostgreSQL, not there: made with all entries': {
    of: postgresql,
    key: 'endpoint',
    entries: undefined,
    fault: 'missing credentials',
    advice:
      'Replace FILE by a file of yours, with a line for each entry: endpoint=…, port=…, username=…, password=….',
    commands: 'kubectl -n infra create secret generic server --from-env-file=FILE',
  },
  "of Google's cloud, refused: the one entry that is named": {
    of: gcp,
    key: 'key.json',
    entries: ['key.json', 'note'],
    fault: 'wrong credentials',
    advice: 'Replace FILE by a file of yours, with the value of the entry "key.json".',
    commands: patching('--from-file=key.json=FILE'),
  },
  'of AWS, not there: made with the one entry': {
    of: aws,
    key: 'credentials',
    entries: undefined,
    fault: 'missing credentials',
    advice: 'Replace FILE by a file of yours, with the value of the entry "credentials".',
    commands: 'kubectl -n infra create secret generic server --from-file=credentials=FILE',
  },
};

describe('credentials', () => {
  for (const [name, { of, key, entries, fault, advice, commands }] of Object.entries(rows)) {
    test(name, async () => {
      const objects = failing(of, key, entries, refused);
      const [group, kind, managedGroup] = of.map((text) => text.split('/')[0] ?? '');
      for (const asked of [
        [`${kind}.${managedGroup}`, 'db'],
        [`providerconfig.${group}`, 'demo'],
      ] as const) {
        const trace = await tracedIn(objects, asked);
        assert.deepEqual(
          { fault: trace.fault?.name, advice: trace.fault?.advice, commands: trace.fault?.commands },
          { fault, advice, commands: [commands] },
        );
      }
    });
  }
});

describe('credentials in a Secret that other objects use, too', () => {
  const provider = (name: string, secret = 'server') =>
    ({
      apiVersion: 'gcp.crossplane.io/v1alpha3',
      kind: 'Provider',
      metadata: { name },
      spec: {
        projectID: 'shop',
        credentialsSecretRef: { namespace: 'infra', name: secret, key: 'key.json' },
      },
    }) as KubernetesObject;
  const asked = ['topic.pubsub.gcp.crossplane.io', 'db'] as const;
  const own = failing(gcp, 'key.json', ['key.json'], refused);
  const edit = 'kubectl edit providerconfigs.gcp.crossplane.io demo';

  test('no command changes credentials that another provider uses: its resources might move to another system', async () => {
    const { fault } = await tracedIn([...own, provider('theirs'), provider('else', 'another')], asked);
    assert.deepEqual(
      { advice: fault?.advice, commands: fault?.commands },
      {
        advice:
          'Provider theirs has its credentials from the same secret, and a change applies to all. Unless you want that, create a secret for this one alone, and name it there:',
        commands: [edit],
      },
    );
  });

  test('no command changes credentials if the user may not see who shares them', async () => {
    const source = sourceOf([leaseHeld(), ...own], [], ({ kind }) => kind !== 'Provider');
    const { fault } = await tracedIn(own, asked, source);
    assert.deepEqual(
      { advice: fault?.advice, commands: fault?.commands },
      {
        advice:
          'You cannot see whether others have their credentials from the same secret. An administrator who can see that can change it. Or create a secret for this one alone, and name it there:',
        commands: [edit],
      },
    );
  });

  test('no command changes a Secret that has the token of a StoreConfig', async () => {
    const store = {
      apiVersion: 'secrets.crossplane.io/v1alpha1',
      kind: 'StoreConfig',
      metadata: { name: 'vault' },
      spec: {
        type: 'Vault',
        defaultScope: 'apps',
        vault: {
          auth: {
            method: 'Token',
            token: { source: 'Secret', secretRef: { namespace: 'infra', name: 'server', key: 'token' } },
          },
        },
      },
    } as unknown as KubernetesObject;
    const { fault } = await tracedIn([...own, store], asked);
    assert.match(fault?.advice ?? '', /^StoreConfig vault has its credentials from the same secret, /);
    assert.deepEqual(fault?.commands, [edit]);
  });

  test('no command changes a Secret that another object controls, for example the connection Secret of a server', async () => {
    const controlled = own.map((object) =>
      object.kind === 'Secret'
        ? ({
            ...object,
            metadata: {
              ...object.metadata,
              ownerReferences: [
                {
                  apiVersion: 'database.aws.crossplane.io/v1beta1',
                  kind: 'RDSInstance',
                  name: 'orders',
                  uid: 'u',
                  controller: true,
                },
              ],
            },
          } as KubernetesObject)
        : object,
    );
    const { fault } = await tracedIn(controlled, asked);
    assert.deepEqual(
      { advice: fault?.advice, commands: fault?.commands },
      {
        advice:
          'RDSInstance orders controls and writes the secret. Fix the credentials there, or create a secret for this one alone, and name it there:',
        commands: [edit],
      },
    );
  });

  test('a command that creates a shared Secret is preceded by the names of the other providers', async () => {
    const absent = own.filter(({ kind }) => kind !== 'Secret');
    const { fault } = await tracedIn([...absent, provider('theirs')], asked);
    assert.deepEqual(
      { name: fault?.name, advice: fault?.advice, commands: fault?.commands },
      {
        name: 'missing credentials',
        advice:
          'Provider theirs has its credentials from this secret too: it must be right for all. Replace FILE by a file of yours, with the value of the entry "key.json".',
        commands: ['kubectl -n infra create secret generic server --from-file=key.json=FILE'],
      },
    );
  });

  test('advice to use other credentials says that they serve all resources of the provider', async () => {
    const words = 'observe failed: the service does not allow it (403 Forbidden)';
    const { fault } = await tracedIn(
      failing(gcp, 'key.json', ['key.json'], words, { class: 'Forbidden' }),
      asked,
    );
    assert.deepEqual(
      { name: fault?.name, advice: fault?.advice },
      {
        name: 'not allowed',
        advice:
          'Give them the right in the external system. Or use other credentials, which then serve all resources of ProviderConfig demo. Replace FILE by a file of yours, with the value of the entry "key.json".',
      },
    );
  });

  const elsewhere =
    'connect failed: the provider connects to projects/b, but external resource "db" is in projects/a';
  const eitherOr =
    'If the change was a mistake, undo it: check its credentials secret, the name of that secret, and the rest of its spec, such as a project or a region. If both are one system under two names, confirm that for this resource with kubectl annotate topics.pubsub.gcp.crossplane.io db crossplane.io/adopt-identity=true. Nothing is lost while you do nothing.';
  const ways: Readonly<Record<string, readonly [others: readonly KubernetesObject[], advice: string]>> = {
    'none of the two ways back is a command to paste': [[], eitherOr],
    'and who else has them is said before': [
      [provider('theirs'), provider('ours')],
      `Provider theirs, Provider ours have their credentials from the same secret: a change there also affects their resources. ${eitherOr}`,
    ],
  };
  for (const [name, [others, advice]] of Object.entries(ways)) {
    test(`or which lead elsewhere by now: ${name}`, async () => {
      const { fault } = await tracedIn(
        [...failing(gcp, 'key.json', ['key.json'], elsewhere, { class: 'OtherSystem' }), ...others],
        asked,
      );
      assert.deepEqual(
        { name: fault?.name, advice: fault?.advice, commands: fault?.commands },
        {
          name: 'other system',
          advice,
          commands: ['kubectl get providerconfigs.gcp.crossplane.io demo -o yaml'],
        },
      );
    });
  }
});

test('a region that requests are signed for and should not be is put right in the ProviderConfig, and not in its secret', async () => {
  const words =
    'observe failed: cannot get VPC "vpc-0a": AWS EC2 (mars-east-1) refused the credentials (403): AuthFailure: Credential should be scoped to a valid region; change spec.endpoint.signingRegion of the provider';
  const error = {
    class: 'CredentialsRefused',
    advice: ['ChangeProvider'],
    fields: ['spec.endpoint.signingRegion'],
  };
  const { fault } = await tracedIn(failing(aws, 'credentials', ['credentials'], words, error), ['vpc', 'db']);
  assert.deepEqual(
    { name: fault?.name, link: fault?.link, commands: fault?.commands },
    {
      name: 'wrong credentials',
      link: 'provider',
      commands: ['kubectl edit providerconfigs.aws.crossplane.io demo'],
    },
  );
});

describe('a ProviderConfig that says it is not ready is not as it should be', () => {
  const rows: Readonly<Record<string, readonly [reason: string, link: string, commands: readonly string[]]>> =
    {
      'for its credentials, which are to be put right': [
        'CredentialsRefused',
        'credentials',
        [patching('--from-file=key.json=FILE')],
      ],
      'because the system does not answer: no credentials fix that': ['NoAnswer', 'server', []],
    };
  for (const [name, [reason, link, commands]] of Object.entries(rows)) {
    test(name, async () => {
      const [, config, secret] = failing(gcp, 'key.json', ['key.json'], refused);
      const status = { users: 1, conditions: [condition('Ready', 'False', reason, 'it says so')] };
      const objects = [{ ...config, status } as unknown as KubernetesObject, secret as KubernetesObject];
      const { fault, links } = await tracedIn(objects, ['providerconfig.gcp.crossplane.io', 'demo']);
      assert.deepEqual(
        { name: fault?.name, link: fault?.link, commands: fault?.commands },
        { name: 'provider not ready', link, commands },
      );
      assert.deepEqual([links[0]?.state, links[0]?.says], ['waits', ['1 user']]);
    });
  }
});
