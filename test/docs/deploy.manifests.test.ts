import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Binding, Deployment, PolicyRule, Role } from './manifests.ts';
import { objectOf, objectsOf, permissionsOf } from './manifests.ts';
import { copyProject, folderAt, projectRoot } from './project-copy.ts';

type Selecting = KubernetesObject & { readonly spec: { readonly selector: object } };

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: Record<'kind' | 'plural', string> & { readonly categories: readonly string[] };
  };
}

const [base, optional] = [objectsOf('deploy/base'), objectsOf('deploy/optional')];
const definitions = objectsOf('crds') as readonly Definition[];
const demoDefinitions = objectsOf('crds/demo') as readonly Definition[];
/** Every stack uses it. */
const storeConfig = definitions.find(({ spec: { names } }) => names.kind === 'StoreConfig')!;
/** The prefix of the roles of some stacks, all definitions of these stacks, and the manifests with the roles. */
const parts = [
  { prefix: 'services-stack', own: definitions, manifests: base },
  { prefix: 'services-stack-demo', own: [...demoDefinitions, storeConfig], manifests: optional },
];
const deployment = objectOf<Deployment>(base, 'Deployment', 'services-stack');
const { template } = deployment.spec;
const [container] = template.spec.containers;

const verbs = {
  claims: ['get', 'list', 'patch', 'watch'],
  provisioned: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
  managed: ['get', 'list', 'patch', 'watch'],
  read: ['list', 'watch'],
  used: ['list', 'patch', 'watch'],
  people: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  onlookers: ['get', 'list', 'watch'],
} as const;

type Permissions = Readonly<Record<string, readonly string[]>>;

/** A permission for the object itself, and those that writing its status and owning others with it take. */
const written = (key: string, own: readonly string[]): Permissions => ({
  [key]: own,
  [`${key}/status`]: ['patch'],
  [`${key}/finalizers`]: ['update'],
});

const definitionsKey = 'apiextensions.k8s.io/customresourcedefinitions';
const keyOf = ({ spec: { group, names } }: Definition) => `${group}/${names.plural}`;
const has = ({ spec: { names } }: Definition, category: string) => names.categories.includes(category);

describe('roles follow the definitions', () => {
  type Matches = (definition: Definition, all: readonly Definition[]) => Permissions;
  const roles: Readonly<Record<string, Matches>> = {
    '-claims': (definition) => (has(definition, 'claims') ? written(keyOf(definition), verbs.claims) : {}),
    '': (definition, all) => {
      const key = keyOf(definition);
      if (has(definition, 'claims')) return {};
      const { kind } = definition.spec.names;
      const isProvisioned = all.some(({ spec: { names } }) => names.kind === `${kind}Class`);
      if (has(definition, 'managed')) return written(key, isProvisioned ? verbs.provisioned : verbs.managed);
      const isUsed = ['Provider', 'ProviderConfig', 'StoreConfig'].includes(kind);
      return isUsed ? { [key]: verbs.used, [`${key}/status`]: ['patch'] } : { [key]: verbs.read };
    },
    '-claims-edit': (definition) => (has(definition, 'claims') ? { [keyOf(definition)]: verbs.people } : {}),
    '-claims-view': (definition) =>
      has(definition, 'claims') ? { [keyOf(definition)]: verbs.onlookers } : {},
    '-browse': (definition) => (has(definition, 'classes') ? { [keyOf(definition)]: verbs.onlookers } : {}),
  };
  const isAboutDefinitions = ({ apiGroups }: PolicyRule) => apiGroups.includes('apiextensions.k8s.io');
  const namesOf = (some: readonly Definition[]) => some.map(({ metadata }) => metadata.name).toSorted();
  for (const { prefix, own, manifests } of parts) {
    for (const [suffix, matches] of Object.entries(roles)) {
      const name = `${prefix}${suffix}`;
      test(`${name} allows what it should for every kind of its stacks, and no more`, () => {
        const role = objectOf<Role>(manifests, 'ClusterRole', name);
        const { [definitionsKey]: _, ...allowed } = permissionsOf(role);
        assert.deepEqual(allowed, Object.assign({}, ...own.map((each) => matches(each, own))));
      });
    }

    test(`${prefix} may read each definition of its stacks and of the core, by its name, and no other`, () => {
      const { rules } = objectOf<Role>(manifests, 'ClusterRole', prefix);
      const [rule, ...others] = rules.filter(isAboutDefinitions);
      assert.deepEqual([rule?.verbs, rule?.resources, others], [['get'], ['customresourcedefinitions'], []]);
      assert.deepEqual(rule?.resourceNames?.toSorted(), namesOf(own));
    });
  }

  test('with --install-crds the process may write the definitions of its stacks, and no other', () => {
    const installing = ['services-stack-install-crds', 'services-stack-demo-install-crds'].map((name) => {
      const { rules } = objectOf<Role>(optional, 'ClusterRole', name);
      return rules.flatMap(({ resourceNames = [] }) => resourceNames).toSorted();
    });
    assert.deepEqual(installing, [namesOf(definitions), namesOf(demoDefinitions)]);
  });

  test('each role for the process with the stacks of the demo is bound to its service account', () => {
    const account = { kind: 'ServiceAccount', namespace: 'crossplane-system', name: 'services-stack' };
    for (const suffix of ['-claims', '', '-install-crds']) {
      const name = `services-stack-demo${suffix}`;
      const { roleRef, subjects } = objectOf<Binding>(optional, 'ClusterRoleBinding', name);
      assert.deepEqual([roleRef.name, subjects], [name, [account]]);
    }
  });
});

describe('manifests fit together', () => {
  for (const folder of ['base', 'cluster-wide', 'namespaced']) {
    test(`the Kustomization of ${folder} lists every manifest beside it`, () => {
      const at = (name: string) => join(projectRoot, 'deploy', folder, name);
      const { resources } = parse(readFileSync(at('Kustomization'), 'utf8'));
      const files = globSync('*.yaml', { cwd: at('.') }).toSorted();
      assert.deepEqual(resources, folder === 'base' ? files : ['../base', ...files]);
    });
  }

  test('the Service and the PodDisruptionBudget select the pods of the Deployment', () => {
    const { labels } = template.metadata;
    const service = objectOf<Selecting>(base, 'Service', 'services-stack-metrics');
    const budget = objectOf<Selecting>(optional, 'PodDisruptionBudget', 'services-stack');
    assert.deepEqual(service.spec.selector, labels);
    assert.deepEqual(budget.spec.selector, { matchLabels: labels });
  });

  test('ports and probes are those that the flags open', () => {
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    assert.ok(container.args.includes(`--metrics-bind-address=:${ports.metrics}`));
    assert.ok(container.args.includes(`--health-probe-bind-address=:${ports.probes}`));
    const { startupProbe, livenessProbe, readinessProbe } = container;
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port}${httpGet.path}`),
      ['probes/healthz', 'probes/healthz', 'probes/readyz'],
    );
  });
});

describe('the Dockerfile', () => {
  const dockerfile = readFileSync(join(projectRoot, 'deploy', 'Dockerfile'), 'utf8');
  const [building = '', running = ''] = dockerfile.split(/^FROM .*$/m).slice(1);
  const copied = [...building.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));

  test('is given what it copies, and nothing else', () => {
    const ignored = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
    const rules = ignored.filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(rules, ['*', ...copied.map((path) => `!${path}`).toSorted()]);
  });

  test('builds from what it copies all that the process needs to start', async () => {
    const commands = [...building.matchAll(/^RUN node (\S+) (\S+)$/gm)];
    const [[, , target = ''] = []] = commands;
    assert.match(running, new RegExp(`^COPY --from=build ${target} \\./$`, 'm'));
    const entrypoint = /^ENTRYPOINT (.+)$/m.exec(running)?.[1] ?? '[]';
    const [program, ...args] = JSON.parse(entrypoint) as readonly string[];
    assert.equal(program, 'node');
    const copy = await copyProject(copied);
    const image = await mkdtemp(join(tmpdir(), 'services-stack-image-'));
    try {
      for (const [, command = ''] of commands) {
        assert.deepEqual(await copy.node([command, image]), { code: 0, output: '' });
      }
      const { code: listed } = await copy.run('npm', ['run', '--silent', 'sbom']);
      assert.equal(listed, 0);
      const { code, output } = await folderAt(image).node([...args, '--version']);
      assert.deepEqual([code, output.trim()], [0, JSON.parse(await copy.read('package.json')).version]);
    } finally {
      await copy.remove();
      await rm(image, { recursive: true });
    }
  });

  test('has the node that everything is tested with', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    assert.match(dockerfile, new RegExp(`^ARG NODE=node:${devDependencies.node}-`, 'm'));
  });
});
