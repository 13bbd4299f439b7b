import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import isPlainObject from 'lodash/isPlainObject.js';
import mapValues from 'lodash/mapValues.js';
import mergeWith from 'lodash/mergeWith.js';
import set from 'lodash/set.js';
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
/** An object of deploy/optional with another value at this path. */
const changed = (name: string, path: string, value: unknown): Changes => ({
  [name]: set(structuredClone(optional[name]) as object, path.split(' '), value),
});
const bindings = ['claims', 'events', 'secrets', 'namespaces'].map(
  (role) => [`ClusterRoleBinding services-stack-${role}`, undefined] as const,
);
const subjects = [{ kind: 'ServiceAccount', namespace: 'crossplane-system', name: 'services-stack' }];
const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const bindingIn = (namespace: string, role: string): Changes => {
  const name = `services-stack-${role}`;
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  const binding = { apiVersion, kind: 'RoleBinding', metadata: { namespace, name }, roleRef, subjects };
  return { [`RoleBinding ${namespace}/${name}`]: binding };
};
const servedOnly = (namespaces: readonly string[]): Changes => {
  const name = 'services-stack-namespace';
  const rule = { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] };
  const rules = [{ ...rule, resourceNames: namespaces }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name };
  const binding = { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects };
  return {
    ...Object.fromEntries(bindings),
    [`ClusterRole ${name}`]: { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    [`ClusterRoleBinding ${name}`]: binding,
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

const roleArn = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a' };

type Row = readonly [Values, Changes];
/** Values that go as they are into this part of the Deployment. */
const asGiven = (part: string, values: Values): Readonly<Record<string, Row>> =>
  mapValues(values, (value, name): Row => [{ [name]: value }, { [`${part} ${name}`]: value }]);

/** Of each value: values that set it, and the resulting changes of the objects. */
const table: Readonly<Record<string, Row>> = {
  ...asGiven(pod, {
    imagePullSecrets: [{ name: 'registry' }],
    volumes: [{ name: 'authority', configMap: { name: 'authority' } }],
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'only', operator: 'Exists' }],
    affinity,
    priorityClassName: 'system-cluster-critical',
  }),
  ...asGiven(container, {
    env: [{ name: 'SERVICES_STACK_LOG_LEVEL', value: 'debug' }],
    volumeMounts: [{ name: 'authority', mountPath: '/etc/authority', readOnly: true }],
  }),
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
  resources: [
    { resources: { requests: { cpu: 1 }, limits: { memory: '1Gi' } } },
    { [`${container} resources requests cpu`]: 1, [`${container} resources limits memory`]: '1Gi' },
  ],
  'serviceAccount.create': [{ serviceAccount: { create: false } }, { [account]: undefined }],
  'serviceAccount.name': [
    { serviceAccount: { name: 'databases' } },
    {
      [account]: undefined,
      'ServiceAccount crossplane-system/databases': {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
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
    { serviceAccount: { annotations: roleArn } },
    { [`${account} metadata annotations`]: roleArn },
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
    { securityContext: { runAsUser: 1001, runAsGroup: 0 } },
    {
      [`${container} securityContext runAsUser`]: 1001,
      [`${container} securityContext runAsGroup`]: 0,
    },
  ],
  topologySpreadConstraints: [
    { topologySpreadConstraints: [] },
    { [`${pod} topologySpreadConstraints`]: undefined },
  ],
  'podDisruptionBudget.enabled': [{ podDisruptionBudget: { enabled: true } }, added(budget)],
  'podDisruptionBudget.maxUnavailable': [
    { podDisruptionBudget: { enabled: true, maxUnavailable: '50%' } },
    changed(budget, 'spec maxUnavailable', '50%'),
  ],
  'networkPolicy.enabled': [{ networkPolicy: { enabled: false } }, { [policy]: undefined }],
  'networkPolicy.metricsFrom': [
    { networkPolicy: { metricsFrom: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] } },
    { [`${policy} spec ingress 0 from`]: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] },
  ],
  'podMonitor.enabled': [{ podMonitor: { enabled: true } }, added(monitor)],
  'podMonitor.labels': [
    { podMonitor: { enabled: true, labels: { release: 'prometheus' } } },
    changed(monitor, 'metadata labels release', 'prometheus'),
  ],
  'podMonitor.interval': [
    { podMonitor: { enabled: true, interval: '1m30s' } },
    changed(monitor, 'spec podMetricsEndpoints 0 interval', '1m30s'),
  ],
  'prometheusRule.enabled': [{ prometheusRule: { enabled: true } }, added(alerts)],
  'prometheusRule.docs': [
    { prometheusRule: { enabled: true, docs: 'https://docs.internal/' } },
    {
      [alerts]: JSON.parse(
        JSON.stringify(optional[alerts]).replaceAll(
          /"alert":"(\w+)"(.*?)"annotations":\{/g,
          (found, alert: string) =>
            `${found}"runbook_url":"https://docs.internal/alerts.html#${alert.toLowerCase()}",`,
        ),
      ),
    },
  ],
  'prometheusRule.labels': [
    { prometheusRule: { enabled: true, labels: { release: 'prometheus' } } },
    changed(alerts, 'metadata labels release', 'prometheus'),
  ],
  'grafanaDashboard.enabled': [{ grafanaDashboard: { enabled: true } }, added(grafana)],
  'grafanaDashboard.labels': [
    { grafanaDashboard: { enabled: true, labels: { folder: 'databases', grafana_dashboard: null } } },
    changed(grafana, 'metadata labels', { 'app.kubernetes.io/name': 'services-stack', folder: 'databases' }),
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

  test('the default values of the chart give install.yaml without the Namespace', () => {
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
    const listsWhole = (_: unknown, value: unknown) => (Array.isArray(value) ? value : undefined);
    const all: Values = mergeWith({}, ...Object.values(table).map(([values]) => values), listsWhole);
    const switchedOn = {
      networkPolicy: { enabled: true },
      serviceAccount: { create: true },
      installCrds: true,
    };
    const { objects } = await chartWith({ ...all, ...switchedOn });
    const names = Object.keys(byName(objects));
    for (const name of [budget, monitor, alerts, grafana]) assert.ok(names.includes(name), name);
    const invocation = parseFlags(argsOf(objects), {
      stacks: ['postgresql', 'aws', 'gcp'],
      name: 'services-stack',
      version: '0',
    });
    assert.ok(invocation.type === 'run');
    const { stacks, namespaces, secretNamespaces, dashboardBindAddress, installCrds } = invocation.flags;
    assert.deepEqual([stacks, namespaces], [['postgresql', 'aws'], ['team-a']]);
    assert.deepEqual([secretNamespaces, installCrds], [['team-a', 'cloud-credentials'], true]);
    assert.deepEqual(dashboardBindAddress, { host: '127.0.0.1', port: 8082 });
  });

  test('with namespaces it gives the objects of deploy/namespaced, with flags instead of the ConfigMap', async () => {
    const { objects } = await chartWith({
      namespaces: ['team-a'],
      secretNamespaces: ['cloud-credentials'],
      installCrds: false,
    });
    const parts = [...objectsOf('deploy/base'), ...objectsOf('deploy/namespaced')];
    const wanted = byName(parts.filter(({ kind }) => !['Namespace', 'ConfigMap'].includes(kind)));
    const args = [...argsOf(parts), '--namespace=team-a', '--secret-namespaces=cloud-credentials'];
    assert.deepEqual(changes(wanted, byName(objects)), { [`${container} args`]: args });
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

  describe('the schema of the chart', () => {
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
    const wrongType = (of: string, expected: string, given = 'string') =>
      `- ${of}: Invalid type. Expected: ${expected}, given: ${given}`;
    const env = [{ name: 'SERVICES_STACK_LOG_LEVEL', value: 1 }];
    const refused: Readonly<Record<string, readonly [Values, ...string[]]>> = {
      'a wrong type': [{ replicaCount: 'two' }, wrongType('replicaCount', 'integer')],
      'a text instead of several values': [{ image: 'services-stack:1' }, wrongType('image', 'object')],
      'a number as a tag': [{ image: { tag: 1.2 } }, wrongType('image.tag', 'string', 'number')],
      'a text for a list': [{ namespaces: 'team-a' }, wrongType('namespaces', 'array')],
      'a name that is not one of a namespace': [
        { namespaces: ['team_a'] },
        `- namespaces.0: Does not match pattern ${dnsLabel}`,
      ],
      'an unknown value': [{ replicas: 3 }, '- (root): Additional property replicas is not allowed'],
      'an unknown value below another': [
        { image: { name: 'a' } },
        '- image: Additional property name is not allowed',
      ],
      'a number as the value of a variable': [{ env }, wrongType('env.0.value', 'string', 'integer')],
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
        wrongType('dashboard.enabled', 'boolean'),
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

  describe('the notes of the chart', () => {
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
      const forward = 'kubectl -n databases port-forward deployment/services-stack 8082';
      assert.deepEqual(await notes({ dashboard: { enabled: true } }), [...first, forward]);
    });

    test('name the namespaces that are served', async () => {
      const { notes } = await chartWith({ namespaces: ['team-a'], secretNamespaces: ['secrets'] });
      assert.match(notes, /these namespaces only: team-a\.\n.*these namespaces only: team-a, secrets\.\n/);
    });

    test('name files that exist', async () => {
      const { notes } = await chartWith();
      const files = notes.match(/\b(docs|examples|crds)\/[\w./-]*\w/g) ?? [];
      assert.ok(files.length > 2);
      const missing = files.filter((file) => !existsSync(join(projectRoot, file)));
      assert.deepEqual(missing, []);
    });
  });
});

test('the chart has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const chart = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as Values;
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});

test('the chart has nothing of the stacks for the demo', () => {
  const texts = globSync('{templates,files}/*', { cwd: chartFolder }).map((name) =>
    readFileSync(join(chartFolder, name), 'utf8'),
  );
  assert.ok(texts.length > 10);
  const demo = /\b(fcp|ocp)\b|fancysql|favourite|ambivalent/i;
  const found = texts.flatMap((text) => demo.exec(text)?.[0] ?? []);
  assert.deepEqual(found, []);
});
