import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { JsonSchema } from '../../../apis/crd.ts';
import { isDefinition } from '../../fakes/admission.ts';
import { isUsual } from '../kinds.ts';
import { cloudFitting } from './cloud-values.ts';
import type { Field } from './fields.ts';
import { fieldText } from './fields.ts';
import { adminNamespace, credentialsSecret, systemOf } from './inventory.ts';

/** The values that a field may get. */
export interface FieldValues {
  /**
   * Sensible values in the world of a scenario: names of objects that exist, that do not exist yet, or that
   * will never exist.
   */
  readonly fitting: readonly unknown[];
  /** At the limits of what the definition takes. */
  readonly extreme: readonly unknown[];
  /** Values that the API must refuse. */
  readonly refused: readonly unknown[];
}

/** The older Provider of each system: its name, and its group and version. */
const legacyProviders = {
  favourite: ['favourite', 'fcp.crossplane.io/v1alpha3'],
  other: ['other', 'ocp.crossplane.io/v1alpha1'],
  postgresql: ['server', 'postgresql.crossplane.io/v1alpha1'],
  aws: ['aws', 'aws.crossplane.io/v1alpha3'],
  gcp: ['gcp', 'gcp.crossplane.io/v1alpha3'],
} as const;

const parameter = (name: string, value: string) => ({ name, value });
const [searchPath, timeout] = [parameter('search_path', 'public'), parameter('statement_timeout', '60s')];
const hstore = { name: 'hstore', schema: 'public' };
const expression = (key: string) => (operator: string, values?: readonly string[]) => [
  { key, operator, ...(values && { values }) },
];
const [stage, size] = [expression('stage'), expression('size')];
const inTeam = expression('kubernetes.io/metadata.name')('In', ['team-a']);

export type Fitting = readonly unknown[] | ((kind: Kind) => readonly unknown[]);

/** Values that the definitions do not describe: by the end of a field's path, the first that fits. */
const fitting: readonly (readonly [RegExp, Fitting])[] = [
  [/providerRef\.name$/, (kind) => [legacyProviders[systemOf(kind)][0], 'late', 'nobody']],
  [/providerRef\.kind$/, ['Provider', 'ProviderConfig']],
  [/providerRef\.apiVersion$/, (kind) => [legacyProviders[systemOf(kind)][1], 'example.org/v1']],
  [/providerConfigRef\.name$/, ['default', 'second', 'nobody']],
  [/configRef\.name$/, ['default', 'late', 'nobody']],
  [/(S|s)ecretRef\.name$/, (kind) => [credentialsSecret[systemOf(kind)].name, 'rotated', 'nobody']],
  [/(S|s)ecretRef\.key$/, (kind) => [credentialsSecret[systemOf(kind)].key, 'nothing']],
  [/writeConnectionSecretsToNamespace$/, [adminNamespace, 'elsewhere']],
  [/[nN]amespace$/, [adminNamespace, 'elsewhere', 'team-a']],
  [/defaultScope$/, ['stores', 'elsewhere']],
  [/writeConnectionSecretToRef\.name$/, ['connection', 'secret-0', 'another']],
  [/publishConnectionDetailsTo\.name$/, ['published', 'published-again', 'connection']],
  [/networkIdRef\.name$/, ['network-0', 'late', 'nobody']],
  [/networkId$/, ['net-000001', 'net-999999']],
  [/(owner|role|memberOf)Ref\.name$/, ['role-0', 'late', 'nobody']],
  [/databaseRef\.name$/, ['database-0', 'late', 'nobody']],
  [/(forProvider|initProvider)\.(owner|role|memberOf)$/, ['role-0', 'postgres', 'nobody']],
  [/(forProvider|initProvider)\.database$/, ['database-0', 'postgres', 'nobody']],
  [/(forProvider|initProvider)\.schema$/, ['public', 'nowhere']],
  [/(forProvider|initProvider)\.name$/, ['own-name', 'other-name']],
  [/engineVersion$/, (kind) => (systemOf(kind) === 'postgresql' ? ['18', '14', '99'] : ['5.7', '8.0'])],
  [/version$/, ['5.7', '8.0']],
  [/cidr$/, ['10.0.0.0/16', '10.1.0.0/24', '999.0.0.0/99']],
  [/encoding$/, ['UTF8', 'LATIN1', 'nonsense']],
  [/lcC(ollate|Type)$/, ['C', 'en_US.utf8', 'nonsense']],
  [
    /(ToRef|claimSecret)\.template$/,
    [{ KEY: '{{ password }}' }, { KEY: '{{ host }}', LOST: '{{ nothing }}' }, { type: 'x' }, {}],
  ],
  [/template$/, ['template0', 'template1', 'nobody']],
  [
    /extensions$/,
    [[{ name: 'pg_trgm' }], [{ name: 'pg_trgm', version: '1.6' }, hstore], [{ name: 'nonsense' }], []],
  ],
  [
    /configurationParameters$/,
    [[searchPath], [parameter('work_mem', '8MB'), timeout], [parameter('nonsense', 'x')], []],
  ],
  [/spec\.forProvider\.privileges$/, [['CONNECT'], ['CONNECT', 'CREATE'], ['ALL'], ['USAGE'], []]],
  [/initProvider\.privileges$/, [['CONNECT'], ['ALL'], []]],
  [
    /managementPolicies$/,
    [
      ['Observe'],
      ['*'],
      ['Observe', 'Create', 'Update', 'LateInitialize'],
      ['Observe', 'Create', 'Delete'],
      ['Observe', 'Delete'],
      ['Observe', 'Update'],
      [],
      ['Create'],
      ['*', 'Delete'],
    ],
  ],
  [/(metadata|ToRef|claimSecret)\.(labels|annotations)$/, [{ tier: 'one' }, { tier: 'two' }, {}]],
  [/namespaceSelector\.matchLabels$/, [{ stage: 'live' }, { stage: 'test' }, { tier: 'one' }, {}]],
  [/matchLabels$/, [{ size: 'small' }, { tier: 'one' }, { tier: 'nowhere' }, {}]],
  [
    /namespaceSelector\.matchExpressions$/,
    [stage('In', ['live']), stage('NotIn', ['test']), inTeam, stage('DoesNotExist'), stage('NotIn'), []],
  ],
  [
    /matchExpressions$/,
    [
      size('In', ['small', 'huge']),
      size('NotIn', ['small']),
      size('Exists'),
      size('DoesNotExist'),
      size('In'),
      size('Exists', ['small']),
      [],
    ],
  ],
  [/is-default-class$/, ['true', 'false', 'True']],
  [/paused$/, ['true', 'false']],
  [/poll-interval$/, ['10s', '2m', 'soon']],
  [/reconcile-requested-at$/, ['now', 'again']],
  [/external-name$/, ['renamed', 'net-000001']],
  [/source$/, ['Secret', 'None', 'Environment', 'InjectedIdentity', 'Filesystem']],
  // No Vault stands in the simulated world.
  [/^spec\.type$/, ['Kubernetes']],
  [/env\.name$/, ['CREDENTIALS', 'PATH']],
  [/fs\.path$/, ['/etc/credentials', '/proc/self/environ']],
  [/vault\.server$/, ['http://vault.test']],
  [/mountPath$/, ['secret', 'nowhere']],
  [/^data$/, [encodeDetails({ note: 'one' }), encodeDetails({ note: 'two', password: 'guessed' }), {}]],
  // References of the binding: who writes them by hand writes anything.
  [/claimRef\.name$/, ['claim-0', 'nobody']],
  [/claimRef\.kind$/, ['FancySQLInstance', 'PostgreSQLInstance']],
  [
    /(claimRef|resourceRef|classRef)\.apiVersion$/,
    (kind) => [`${kind.group}/${kind.version}`, 'example.org/v1'],
  ],
  [/resourceRef\.name$/, ['by-hand-0', 'late', 'nobody']],
  [/resourceRef\.kind$/, ['FavouriteDBInstance', 'AmbivalentDBInstance', 'PostgreSQLDatabase']],
  [/classRef\.name$/, ['small', 'large', 'other-small', 'late']],
  [/classRef\.kind$/, ['FavouriteDBInstanceClass', 'AmbivalentDBInstanceClass', 'PostgreSQLDatabaseClass']],
];

/** The values of a field; there is always one that fits. */
export function valuesOf(field: Pick<Field, 'kind' | 'path' | 'schema'>): FieldValues {
  const { kind, schema } = field;
  const table = isUsual(kind) ? fitting : [...cloudFitting, ...fitting];
  const known = table.find(([pattern]) => pattern.test(fieldText(field)))?.[1];
  const reported = typeof known === 'function' ? known(kind) : known;
  // The API server in memory does not check fields that definitions do not describe.
  const isJudged = field.path[0] !== 'metadata' && isDefinition(kind);
  return {
    fitting: reported ?? plain(schema),
    extreme: extreme(schema),
    refused: isJudged ? refused(schema) : [],
  };
}

function plain({ type, minimum = 0, maximum = 100, ...schema }: JsonSchema): readonly unknown[] {
  if (schema.enum !== undefined) return schema.enum as readonly unknown[];
  switch (type) {
    case 'boolean':
      return [true, false];
    case 'integer':
      return [Number(minimum) + 7, Math.min(Number(maximum), 42)];
    case 'object':
      return [{ one: 'value' }, {}];
    default:
      return ['one', 'two'];
  }
}

function extreme({ type, minimum, maximum, maxLength, pattern, ...schema }: JsonSchema): readonly unknown[] {
  if (schema.enum !== undefined || type === 'boolean') return [];
  if (type === 'integer') return [minimum, maximum].filter((limit) => limit !== undefined);
  if (type !== 'string' || (pattern !== undefined && maxLength === undefined)) return [];
  return ['x'.repeat(Number(maxLength ?? 300)), 'ü'];
}

function refused({ type, minimum, maximum, maxLength, ...schema }: JsonSchema): readonly unknown[] {
  if (schema.enum !== undefined) return ['nonsense'];
  switch (type) {
    case 'integer':
      return [Number(minimum ?? 0) - 1, Number(maximum ?? 1e6) + 1, '12', 0.5];
    case 'string':
      return [17, ...(maxLength === undefined ? [] : ['x'.repeat(Number(maxLength) + 1)])];
    case 'array':
      return ['none', [17]];
    default:
      return ['none'];
  }
}
