import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import isPlainObject from 'lodash/isPlainObject.js';
import mergeWith from 'lodash/mergeWith.js';
import { parse, parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { parseFlags } from '../../runtime/process/flags.ts';
import type { Values } from './chart.ts';
import { chartFolder, chartWith, rendered, withoutRenderer } from './chart.ts';
import type { Deployment } from './manifests.ts';
import { objectOf, objectsOf } from './manifests.ts';
import { projectRoot } from './project-copy.ts';

const installed = parseAllDocuments(readFileSync(join(projectRoot, 'deploy', 'install.yaml'), 'utf8')).map(
  (document) => document.toJS() as KubernetesObject,
);
const nameOf = ({ kind, metadata: { namespace, name } }: KubernetesObject): string =>
  namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
/** Objects by their names. Throws if two have the same name. */
function byName(objects: readonly KubernetesObject[]): Readonly<Record<string, unknown>> {
  const all = new Map(objects.map((object) => [nameOf(object), object]));
  assert.equal(all.size, objects.length, 'two objects have the same name');
  return Object.fromEntries([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const argsOf = (objects: readonly KubernetesObject[]): readonly string[] =>
  objectOf<Deployment>(objects, 'Deployment', 'services-stack').spec.template.spec.containers[0].args;

type Changes = Readonly<Record<string, unknown>>;

/** The parts of `after` that differ from `before`, by their paths. `undefined`: the part was removed. */
function changes(before: unknown, after: unknown, path = ''): Changes {
  if (isPlainObject(before) && isPlainObject(after)) {
    const [was, is] = [before as Changes, after as Changes];
    return Object.assign(
      {},
      ...[...new Set([...Object.keys(was), ...Object.keys(is)])].map((key) =>
        changes(was[key], is[key], path === '' ? key : `${path} ${key}`),
      ),
    );
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return Object.assign({}, ...after.map((item, i) => changes(before[i], item, `${path} ${i}`)));
  try {
    assert.deepEqual(after, before);
    return {};
  } catch {
    return { [path]: after };
  }
}

const deployment = 'Deployment crossplane-system/services-stack spec';
const pod = `${deployment} template spec`;
const container = `${pod} containers 0`;
const defaultArgs = argsOf(installed);
const withArgs = (...args: readonly string[]): Changes => ({
  [`${container} args`]: [...defaultArgs, ...args],
});
const account = 'ServiceAccount crossplane-system/services-stack';
const policy = 'NetworkPolicy crossplane-system/services-stack';
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const optional = byName(objectsOf('deploy/optional'));
/** An object of deploy/optional, which the chart adds. */
const added = (name: string): Changes => ({ [name]: optional[name] });
const budget = 'PodDisruptionBudget crossplane-system/services-stack';
const monitor = 'PodMonitor crossplane-system/services-stack';
const alerts = 'PrometheusRule crossplane-system/services-stack';
const grafana = 'ConfigMap crossplane-system/services-stack-dashboard';
/** An object of deploy/optional with changed parts, each with its path. */
const changed = (name: string, ...parts: readonly (readonly [path: string, value: unknown])[]): Changes => {
  const object = structuredClone(optional[name]);
  for (const [path, value] of parts) {
    const keys = path.split(' ');
    const parent = keys
      .slice(0, -1)
      .reduce((at, key) => at[key] as Record<string, unknown>, object as Record<string, unknown>);
    parent[keys.at(-1) ?? ''] = value;
  }
  return { [name]: object };
};
const bindings = ['claims', 'events', 'secrets', 'namespaces'].map(
  (role) => [`ClusterRoleBinding services-stack-${role}`, undefined] as const,
);
const subjects = [{ kind: 'ServiceAccount', namespace: 'crossplane-system', name: 'services-stack' }];
const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const bindingIn = (namespace: string, role: string): Changes => {
  const name = `services-stack-${role}`;
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  return {
    [`RoleBinding ${namespace}/${name}`]: {
      ...{ apiVersion, kind: 'RoleBinding', metadata: { namespace, name }, roleRef, subjects },
    },
  };
};
const servedOnly = (namespaces: readonly string[]): Changes => {
  const name = 'services-stack-namespace';
  const rule = { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] };
  return {
    ...Object.fromEntries(bindings),
    [`ClusterRole ${name}`]: {
      ...{ apiVersion, kind: 'ClusterRole', metadata: { name } },
      rules: [{ ...rule, resourceNames: namespaces }],
    },
    [`ClusterRoleBinding ${name}`]: {
      ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name } },
      ...{ roleRef: { apiGroup, kind: 'ClusterRole', name }, subjects },
    },
    ...Object.assign(
      {},
      ...namespaces.flatMap((each) => ['claims', 'secrets', 'events'].map((role) => bindingIn(each, role))),
    ),
    ...bindingIn('default', 'events'),
  };
};
const affinity = {
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
};

/** Of each value: values that set it, and the resulting changes of the objects. */
const table: Readonly<Record<string, readonly [Values, Changes]>> = {
  'image.repository': [
    { image: { repository: 'registry.example.org/services-stack' } },
    { [`${container} image`]: 'registry.example.org/services-stack:0.1.0' },
  ],
  'image.tag': [{ image: { tag: '1.2.3' } }, { [`${container} image`]: 'services-stack:1.2.3' }],
  'image.digest': [
    { image: { tag: '1.2.3', digest } },
    { [`${container} image`]: `services-stack@${digest}` },
  ],
  'image.pullPolicy': [{ image: { pullPolicy: 'Always' } }, { [`${container} imagePullPolicy`]: 'Always' }],
  imagePullSecrets: [
    { imagePullSecrets: [{ name: 'registry' }] },
    { [`${pod} imagePullSecrets`]: [{ name: 'registry' }] },
  ],
  replicaCount: [{ replicaCount: 3 }, { [`${deployment} replicas`]: 3 }],
  stacks: [{ stacks: ['postgresql', 'aws'] }, withArgs('--stacks=postgresql,aws')],
  installCrds: [
    { installCrds: false },
    {
      [`${container} args`]: defaultArgs.filter((arg) => arg !== '--install-crds'),
      'ClusterRole services-stack-install-crds': undefined,
      'ClusterRoleBinding services-stack-install-crds': undefined,
    },
  ],
  namespaces: [
    { namespaces: ['team-a', 'default'] },
    { ...withArgs('--namespace=team-a,default'), ...servedOnly(['team-a', 'default']) },
  ],
  secretNamespaces: [
    { namespaces: ['team-a'], secretNamespaces: ['team-a', 'cloud-credentials'] },
    {
      ...withArgs('--namespace=team-a', '--secret-namespaces=team-a,cloud-credentials'),
      ...servedOnly(['team-a']),
      ...bindingIn('cloud-credentials', 'secrets'),
      ...bindingIn('cloud-credentials', 'events'),
    },
  ],
  'dashboard.enabled': [
    { dashboard: { enabled: true } },
    withArgs('--dashboard-bind-address=127.0.0.1:8082'),
  ],
  env: [
    { env: [{ name: 'SERVICES_STACK_LOG_LEVEL', value: 'debug' }] },
    { [`${container} env`]: [{ name: 'SERVICES_STACK_LOG_LEVEL', value: 'debug' }] },
  ],
  resources: [
    { resources: { requests: { cpu: 1 }, limits: { memory: '1Gi' } } },
    { [`${container} resources requests cpu`]: 1, [`${container} resources limits memory`]: '1Gi' },
  ],
  volumes: [
    { volumes: [{ name: 'authority', configMap: { name: 'authority' } }] },
    { [`${pod} volumes`]: [{ name: 'authority', configMap: { name: 'authority' } }] },
  ],
  volumeMounts: [
    { volumeMounts: [{ name: 'authority', mountPath: '/etc/authority', readOnly: true }] },
    { [`${container} volumeMounts`]: [{ name: 'authority', mountPath: '/etc/authority', readOnly: true }] },
  ],
  'serviceAccount.create': [{ serviceAccount: { create: false } }, { [account]: undefined }],
  'serviceAccount.name': [
    { serviceAccount: { name: 'databases' } },
    {
      [account]: undefined,
      'ServiceAccount crossplane-system/databases': {
        ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
        metadata: { namespace: 'crossplane-system', name: 'databases' },
      },
      [`${pod} serviceAccountName`]: 'databases',
      ...Object.fromEntries(
        Object.keys(byName(installed))
          .filter((name) => /^(Cluster)?RoleBinding /.test(name))
          .map((name) => [`${name} subjects 0 name`, 'databases']),
      ),
    },
  ],
  'serviceAccount.annotations': [
    { serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a' } } },
    {
      [`${account} metadata annotations`]: {
        'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a',
      },
    },
  ],
  podAnnotations: [
    { podAnnotations: { 'example.org/a': 'true' } },
    { [`${deployment} template metadata annotations`]: { 'example.org/a': 'true' } },
  ],
  podLabels: [
    { podLabels: { 'sidecar.istio.io/inject': 'false' } },
    { [`${deployment} template metadata labels sidecar.istio.io/inject`]: 'false' },
  ],
  podSecurityContext: [
    { podSecurityContext: { fsGroup: 1000 } },
    { [`${pod} securityContext fsGroup`]: 1000 },
  ],
  securityContext: [
    { securityContext: { runAsUser: null, runAsGroup: null } },
    {
      [`${container} securityContext runAsUser`]: undefined,
      [`${container} securityContext runAsGroup`]: undefined,
    },
  ],
  nodeSelector: [
    { nodeSelector: { 'kubernetes.io/arch': 'arm64' } },
    { [`${pod} nodeSelector`]: { 'kubernetes.io/arch': 'arm64' } },
  ],
  tolerations: [
    { tolerations: [{ key: 'only', operator: 'Exists' }] },
    { [`${pod} tolerations`]: [{ key: 'only', operator: 'Exists' }] },
  ],
  affinity: [{ affinity }, { [`${pod} affinity`]: affinity }],
  topologySpreadConstraints: [
    { topologySpreadConstraints: [] },
    { [`${pod} topologySpreadConstraints`]: undefined },
  ],
  priorityClassName: [
    { priorityClassName: 'system-cluster-critical' },
    { [`${pod} priorityClassName`]: 'system-cluster-critical' },
  ],
  'podDisruptionBudget.enabled': [{ podDisruptionBudget: { enabled: true } }, added(budget)],
  'podDisruptionBudget.maxUnavailable': [
    { podDisruptionBudget: { enabled: true, maxUnavailable: '50%' } },
    changed(budget, ['spec maxUnavailable', '50%']),
  ],
  'networkPolicy.enabled': [{ networkPolicy: { enabled: false } }, { [policy]: undefined }],
  'networkPolicy.metricsFrom': [
    { networkPolicy: { metricsFrom: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] } },
    { [`${policy} spec ingress 0 from`]: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] },
  ],
  'podMonitor.enabled': [{ podMonitor: { enabled: true } }, added(monitor)],
  'podMonitor.labels': [
    { podMonitor: { enabled: true, labels: { release: 'prometheus' } } },
    changed(monitor, ['metadata labels release', 'prometheus']),
  ],
  'podMonitor.interval': [
    { podMonitor: { enabled: true, interval: '1m30s' } },
    changed(monitor, ['spec podMetricsEndpoints 0 interval', '1m30s']),
  ],
  'prometheusRule.enabled': [{ prometheusRule: { enabled: true } }, added(alerts)],
  'prometheusRule.labels': [
    { prometheusRule: { enabled: true, labels: { release: 'prometheus' } } },
    changed(alerts, ['metadata labels release', 'prometheus']),
  ],
  'grafanaDashboard.enabled': [{ grafanaDashboard: { enabled: true } }, added(grafana)],
  'grafanaDashboard.labels': [
    { grafanaDashboard: { enabled: true, labels: { folder: 'databases', grafana_dashboard: null } } },
    changed(grafana, [
      'metadata labels',
      { 'app.kubernetes.io/name': 'services-stack', folder: 'databases' },
    ]),
  ],
  // A chart that depends on this one sets these two.
  enabled: [{ enabled: true }, {}],
  global: [{ global: { imageRegistry: 'registry.example.org' } }, {}],
};

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly default?: unknown;
}

const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8')) as Schema;

/** The names of all values, with dots. */
const valueNames = ({ properties = {} }: Schema, prefix = ''): readonly string[] =>
  Object.entries(properties).flatMap(([name, value]) =>
    value.properties === undefined || value.default !== undefined
      ? [`${prefix}${name}`]
      : valueNames(value, `${prefix}${name}.`),
  );

describe('the chart, rendered without Helm', { skip: withoutRenderer }, () => {
  let defaults: Readonly<Record<string, unknown>>;
  before(async () => {
    defaults = byName((await chartWith()).objects);
  });

  test('its default values give install.yaml without the Namespace', () => {
    assert.deepEqual(defaults, byName(installed.filter(({ kind }) => kind !== 'Namespace')));
  });

  test('each value has a row in this table', () => {
    assert.deepEqual(Object.keys(table).toSorted(), valueNames(schema).toSorted());
  });

  for (const [name, [values, expected]] of Object.entries(table)) {
    test(`${name} changes what its description says, and nothing else`, async () => {
      assert.deepEqual(changes(defaults, byName((await chartWith(values)).objects)), expected);
    });
  }

  test('all values together give valid objects, each once, with flags that the process takes', async () => {
    const all = Object.values(table).reduce<Values>(
      (merged, [values]) =>
        mergeWith({}, merged, values, (_, value: unknown) => (Array.isArray(value) ? value : undefined)),
      {},
    );
    const { objects } = await chartWith({
      ...all,
      networkPolicy: { enabled: true },
      serviceAccount: { create: true },
      installCrds: true,
    });
    const names = Object.keys(byName(objects));
    for (const name of [budget, monitor, alerts, grafana]) assert.ok(names.includes(name), name);
    const invocation = parseFlags(argsOf(objects), {
      ...{ stacks: ['postgresql', 'aws', 'gcp'], name: 'services-stack', version: '0' },
    });
    assert.ok(invocation.type === 'run');
    const { stacks, namespaces, secretNamespaces, dashboardBindAddress, installCrds } = invocation.flags;
    assert.deepEqual(
      [stacks, namespaces, secretNamespaces, dashboardBindAddress, installCrds],
      [
        ['postgresql', 'aws'],
        ['team-a'],
        ['team-a', 'cloud-credentials'],
        { host: '127.0.0.1', port: 8082 },
        true,
      ],
    );
  });

  test('with namespaces it gives the objects of deploy/namespaced, with flags instead of the ConfigMap', async () => {
    const { objects } = await chartWith({
      ...{ namespaces: ['team-a'], secretNamespaces: ['cloud-credentials'], installCrds: false },
    });
    const parts = [...objectsOf('deploy/base'), ...objectsOf('deploy/namespaced')];
    const wanted = byName(parts.filter(({ kind }) => !['Namespace', 'ConfigMap'].includes(kind)));
    assert.deepEqual(changes(wanted, byName(objects)), {
      [`${container} args`]: [
        ...argsOf(parts),
        '--namespace=team-a',
        '--secret-namespaces=cloud-credentials',
      ],
    });
  });

  test('goes into any namespace, and has no other namespace in its objects', async () => {
    for (const namespace of ['databases', '123']) {
      const { objects } = await chartWith({}, namespace);
      assert.equal(JSON.stringify(objects).includes('crossplane-system'), false);
      const namespaces = objects
        .filter(({ kind }) => !kind.startsWith('ClusterRole'))
        .map(({ metadata }) => metadata.namespace);
      assert.deepEqual(new Set(namespaces), new Set([namespace]));
    }
  });

  test('takes the values of each example in its README', async () => {
    const readme = readFileSync(join(chartFolder, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, yaml = '']) => parse(yaml) as Values,
    );
    assert.ok(examples.length > 4);
    for (const values of examples) {
      const { objects } = await chartWith(values);
      assert.notDeepEqual(changes(defaults, byName(objects)), {}, JSON.stringify(values));
    }
  });

  test('secretNamespaces without namespaces is refused with one sentence', async () => {
    const { problem = '' } = await rendered({ secretNamespaces: ['a'] });
    assert.match(
      problem,
      /: secretNamespaces needs namespaces: without namespaces, the process uses the Secrets of all namespaces$/,
    );
  });

  describe('its schema', () => {
    /** Newer versions of Helm have another validator: ajv is neither, and accepts and refuses the same. */
    const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

    test('accepts the default values, each a default of its own', () => {
      const values = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8')) as Values;
      assert.ok(validate(values), JSON.stringify(validate.errors));
      const defaultsOf = ({ properties = {} }: Schema): object =>
        Object.fromEntries(
          Object.entries(properties)
            .filter(([, value]) => value.default !== undefined || value.properties !== undefined)
            .map(([name, value]) => [name, value.default ?? defaultsOf(value)]),
        );
      assert.deepEqual(values, defaultsOf(schema));
    });

    const dnsLabel = "'^[a-z0-9]([a-z0-9-]*[a-z0-9])?$'";
    const refused: Readonly<Record<string, readonly [Values, ...string[]]>> = {
      'a wrong type': [
        { replicaCount: 'two' },
        '- replicaCount: Invalid type. Expected: integer, given: string',
      ],
      'a text instead of several values': [
        { image: 'services-stack:1' },
        '- image: Invalid type. Expected: object, given: string',
      ],
      'a number as a tag': [
        { image: { tag: 1.2 } },
        '- image.tag: Invalid type. Expected: string, given: number',
      ],
      'a text for a list': [
        { namespaces: 'team-a' },
        '- namespaces: Invalid type. Expected: array, given: string',
      ],
      'a name that is not one of a namespace': [
        { namespaces: ['team_a'] },
        `- namespaces.0: Does not match pattern ${dnsLabel}`,
      ],
      'an unknown value': [{ replicas: 3 }, '- (root): Additional property replicas is not allowed'],
      'an unknown value below another': [
        { image: { name: 'a' } },
        '- image: Additional property name is not allowed',
      ],
      'a number as the value of a variable': [
        { env: [{ name: 'SERVICES_STACK_LOG_LEVEL', value: 1 }] },
        '- env.0.value: Invalid type. Expected: string, given: integer',
      ],
      'an unknown pull policy': [
        { image: { pullPolicy: 'always' } },
        '- image.pullPolicy: image.pullPolicy must be one of the following: "", "Always", "IfNotPresent", "Never"',
      ],
      'a short digest': [
        { image: { digest: 'sha256:00' } },
        "- image.digest: Does not match pattern '^(sha256:[0-9a-f]{64})?$'",
      ],
      'a label that selects the pods': [
        { podLabels: { 'app.kubernetes.io/name': 'a' } },
        '- podLabels: Must not validate the schema (not)',
        '- podLabels: Property name of "app.kubernetes.io/name" does not match',
      ],
      'a value that was removed': [{ image: null }, '- (root): image is required'],
      'two wrong values, each with a line of its own': [
        { replicaCount: -1, dashboard: { enabled: 'yes' } },
        '- dashboard.enabled: Invalid type. Expected: boolean, given: string',
        '- replicaCount: Must be greater than or equal to 0',
      ],
    };
    for (const [name, [values, ...lines]] of Object.entries(refused)) {
      test(`refuses ${name}, in the words of Helm 3`, async () => {
        const { values: all, problem } = await rendered(values);
        assert.deepEqual([problem, validate(all)], [lines.join('\n'), false]);
      });
    }

    test('refuses the example of the README with its line', async () => {
      const readme = readFileSync(join(chartFolder, 'README.md'), 'utf8');
      const [, name = '', value, line] = /`--set (\w+)=(\w+)`.*\n\n```\n(.*)\n```/.exec(readme) ?? [];
      assert.equal((await rendered({ [name]: value })).problem, line);
    });
  });

  describe('its notes', () => {
    const commandsIn = (notes: string) =>
      [...notes.matchAll(/^ {5}(kubectl .*)$/gm)].map(([, command]) => command);
    const first = [
      'kubectl -n databases rollout status deployment/services-stack',
      'kubectl -n databases logs deployment/services-stack',
    ];

    test('have the commands for what is installed', async () => {
      const notes = async (values: Values) => commandsIn((await chartWith(values, 'databases')).notes);
      assert.deepEqual(await notes({}), first);
      assert.deepEqual(await notes({ installCrds: false }), [...first, 'kubectl apply -f crds.yaml']);
      assert.deepEqual(await notes({ dashboard: { enabled: true } }), [
        ...first,
        'kubectl -n databases port-forward deployment/services-stack 8082',
      ]);
    });

    test('name the namespaces that are served', async () => {
      const { notes } = await chartWith({ namespaces: ['team-a'], secretNamespaces: ['secrets'] });
      assert.match(notes, /these namespaces only: team-a\.\n.*these namespaces only: team-a, secrets\.\n/);
    });

    test('name files that exist', async () => {
      const { notes } = await chartWith();
      const files = notes.match(/\b(docs|examples|crds)\/[\w./-]*\w/g) ?? [];
      assert.ok(files.length > 2);
      assert.deepEqual(
        files.filter((file) => !existsSync(join(projectRoot, file))),
        [],
      );
    });
  });
});

test('the chart has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const chart = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as Values;
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});

test('the chart has nothing of the stacks for the demo', () => {
  const texts = globSync('{templates,files}/*', { cwd: chartFolder }).map((name) =>
    readFileSync(join(chartFolder, name), 'utf8'),
  );
  assert.ok(texts.length > 10);
  const demo = /\b(fcp|ocp)\b|fancysql|favourite|ambivalent/i;
  assert.deepEqual(
    texts.flatMap((text) => demo.exec(text)?.[0] ?? []),
    [],
  );
});
