import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Deployment } from './manifests.ts';
import { objectOf, objectsOf } from './manifests.ts';
import { projectRoot } from './project-copy.ts';

const textOf = (...path: readonly string[]): string =>
  readFileSync(join(projectRoot, 'deploy', ...path), 'utf8');
const objectsIn = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);

const installed = objectsIn(textOf('install.yaml'));
const nameOf = ({ kind, metadata: { namespace = '', name } }: KubernetesObject) =>
  `${kind} ${namespace}/${name}`;
const byName = (objects: readonly KubernetesObject[]) =>
  objects.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** As `helm template` would, of a chart that has no more than this: the values, and the namespace of the release. */
function rendered(template: string, values: Readonly<Record<string, unknown>>, namespace: string): string {
  const text = template
    .replaceAll('{{ .Release.Namespace }}', namespace)
    .replaceAll(/\{\{ \.Values\.(\w+) \}\}/g, (whole, name: string) => String(values[name] ?? whole));
  assert.equal(/\{\{|\}\}/.exec(text), null, 'what is not rendered here');
  return text;
}

const values = parse(textOf('chart', 'values.yaml')) as Readonly<Record<string, unknown>>;
const templates = globSync('*.yaml', { cwd: join(projectRoot, 'deploy', 'chart', 'templates') });
const chartIn = (namespace: string, over: Readonly<Record<string, unknown>> = {}) =>
  templates.flatMap((name) =>
    objectsIn(rendered(textOf('chart', 'templates', name), { ...values, ...over }, namespace)),
  );
const deploymentOf = (objects: readonly KubernetesObject[]) =>
  objectOf<Deployment & { readonly spec: { readonly replicas: number } }>(
    objects,
    'Deployment',
    'services-stack',
  );

describe('install.yaml', () => {
  test('is base, cluster-wide and the right to install definitions, which the process then does', () => {
    const parts = [
      ...objectsOf('deploy/base'),
      ...objectsOf('deploy/cluster-wide'),
      ...objectsIn(textOf('optional', 'install-crds.yaml')),
    ];
    assert.deepEqual(installed.map(nameOf), parts.map(nameOf));
    const [container] = deploymentOf(installed).spec.template.spec.containers;
    const [plain] = deploymentOf(parts).spec.template.spec.containers;
    assert.deepEqual(
      container.args.filter((arg) => !plain.args.includes(arg)),
      ['--install-crds'],
    );
    const others = (objects: readonly KubernetesObject[]) =>
      objects.filter(({ kind }) => kind !== 'Deployment');
    assert.deepEqual(others(installed), others(parts));
  });

  test('has nothing of the stacks for the demo, and neither has the chart', () => {
    const texts = [textOf('install.yaml'), ...templates.map((name) => textOf('chart', 'templates', name))];
    const demo = /\b(fcp|ocp)\b|fancysql|favourite|ambivalent/i;
    assert.deepEqual(
      texts.flatMap((text) => demo.exec(text)?.[0] ?? []),
      [],
    );
    assert.match(textOf('optional', 'demo-stacks.yaml'), demo);
  });

  test('has only API groups that every supported server has', () => {
    const known = ['v1', 'apps/v1', 'rbac.authorization.k8s.io/v1', 'networking.k8s.io/v1'];
    assert.deepEqual(new Set(installed.map(({ apiVersion }) => apiVersion)), new Set(known));
  });

  test('keeps everybody out but who scrapes and probes', () => {
    const { spec } = objectOf<KubernetesObject & { readonly spec: object }>(
      installed,
      'NetworkPolicy',
      'services-stack',
    );
    const { metadata } = deploymentOf(installed).spec.template;
    assert.deepEqual(spec, {
      podSelector: { matchLabels: metadata.labels },
      policyTypes: ['Ingress'],
      ingress: [
        {
          ports: [
            { protocol: 'TCP', port: 'metrics' },
            { protocol: 'TCP', port: 'probes' },
          ],
        },
      ],
    });
  });
});

describe('the chart', () => {
  test('is install.yaml but for the Namespace, with the values that it comes with', () => {
    const wanted = installed.filter(({ kind }) => kind !== 'Namespace');
    const asArgument = (objects: readonly KubernetesObject[]) =>
      JSON.parse(JSON.stringify(objects).replaceAll('--install-crds=true', '--install-crds')) as object;
    assert.deepEqual(asArgument(byName(chartIn('crossplane-system'))), asArgument(byName(wanted)));
  });

  test('goes into any namespace, and leaves no other name behind', () => {
    const objects = chartIn('databases');
    assert.equal(JSON.stringify(objects).includes('crossplane-system'), false);
    const inNone = ['ClusterRole', 'ClusterRoleBinding'];
    const namespaces = objects
      .filter(({ kind }) => !inNone.includes(kind))
      .map(({ metadata }) => metadata.namespace);
    assert.deepEqual(new Set(namespaces), new Set(['databases']));
  });

  test('takes each of its values', () => {
    const over = {
      ...{ image: 'registry.example.org/services-stack@sha256:00', replicas: 3, installCrds: false },
      ...{ cpu: '1', memory: '1Gi', memoryLimit: '2Gi' },
    };
    assert.deepEqual(Object.keys(over).toSorted(), Object.keys(values).toSorted());
    const { spec } = deploymentOf(chartIn('databases', over));
    const { image, args, resources } = spec.template.spec.containers[0] as unknown as Record<string, unknown>;
    assert.deepEqual(
      [spec.replicas, image, resources],
      [3, over.image, { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } }],
    );
    assert.ok((args as readonly string[]).includes('--install-crds=false'));
  });

  test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    const chart = parse(textOf('chart', 'Chart.yaml')) as Readonly<Record<string, unknown>>;
    assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  });
});
