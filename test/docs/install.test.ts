import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
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
const deploymentOf = (objects: readonly KubernetesObject[]) =>
  objectOf<Deployment>(objects, 'Deployment', 'services-stack');

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
    const added = container.args.filter((arg) => !plain.args.includes(arg));
    assert.deepEqual(added, ['--install-crds']);
    const others = (objects: readonly KubernetesObject[]) =>
      objects.filter(({ kind }) => kind !== 'Deployment');
    assert.deepEqual(others(installed), others(parts));
  });

  test('the command of the page sets the name of the image, and changes nothing else', async () => {
    const page = readFileSync(join(projectRoot, 'docs', 'install.md'), 'utf8');
    const [, edit = assert.fail('no command')] = /^(sed .*) \| kubectl apply -f -$/m.exec(page) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', edit], { cwd: join(projectRoot, 'deploy') });
    const before = textOf('install.yaml');
    const [image = assert.fail('no image')] = /image: services-stack:\S+/.exec(before) ?? [];
    assert.equal(
      stdout,
      before.replace(image, image.replace('services-stack', 'registry.example.org/services-stack')),
    );
  });

  test('has nothing of the stacks for the demo', () => {
    const demo = /\b(fcp|ocp)\b|fancysql|favourite|ambivalent/i;
    assert.doesNotMatch(textOf('install.yaml'), demo);
    assert.match(textOf('optional', 'demo-stacks.yaml'), demo);
  });

  test('has only API groups that every supported server has', () => {
    const known = ['v1', 'apps/v1', 'rbac.authorization.k8s.io/v1', 'networking.k8s.io/v1'];
    assert.deepEqual(new Set(installed.map(({ apiVersion }) => apiVersion)), new Set(known));
  });

  test('keeps everybody out but who scrapes and probes', () => {
    type Policy = KubernetesObject & { readonly spec: object };
    const { spec } = objectOf<Policy>(installed, 'NetworkPolicy', 'services-stack');
    const { metadata } = deploymentOf(installed).spec.template;
    const podSelector = { matchLabels: metadata.labels };
    const ingress = ['metrics', 'probes'].map((port) => ({ ports: [{ protocol: 'TCP', port }] }));
    assert.deepEqual(spec, { podSelector, policyTypes: ['Ingress'], ingress });
  });
});
