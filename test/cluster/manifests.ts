import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, test } from 'node:test';
import { V1PodDisruptionBudget, V1PodDisruptionBudgetSpec } from '@kubernetes/client-node';
import isMatch from 'lodash/isMatch.js';
import mapValues from 'lodash/mapValues.js';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { projectRoot } from '../docs/project-copy.ts';
import { objectOf } from '../fakes/object-of.ts';
import { applyTo } from './stack-harness.ts';

/** How each file of these folders is checked. A file without a check fails a test. */
const checks = {
  definition: ['crds/*.yaml', 'crds/demo/*.yaml'],
  'workload or role': [
    'deploy/install.yaml',
    'deploy/{base,cluster-wide,namespaced}/*.yaml',
    'deploy/optional/{demo-stacks,grafana-dashboard,install-crds}.yaml',
  ],
  example: ['examples/**/*.yaml'],
  'object of the Prometheus operator': ['deploy/optional/{pod-monitor,prometheus-rule}.yaml'],
  'object of Kubernetes 1.21 or later': ['deploy/optional/pod-disruption-budget.yaml'],
  'object of Kubernetes 1.30 or later, tried with CEL in test/docs/deletion-protection.test.ts': [
    'deploy/optional/deletion-protection.yaml',
  ],
  patch: ['deploy/argocd/health-checks.yaml'],
  'run by kustomize in test/docs/kustomize.test.ts': [
    'deploy/*/Kustomization',
    'deploy/kustomize/{name-references.yaml,scopes.json}',
  ],
  'rendered and compared by test/docs/install.test.ts': ['deploy/chart/**'],
  'no manifest': ['deploy/Dockerfile', 'deploy/README.md'],
} as const;
type Check = keyof typeof checks;

const files = globSync('{crds,deploy,examples}/**/*', { cwd: projectRoot, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length + 1))
  .toSorted();
const checksOf = (file: string): readonly string[] =>
  Object.entries(checks).flatMap(([check, globs]) =>
    globs.some((glob) => matchesGlob(file, glob)) ? [check] : [],
  );
const filesOf = (check: Check): readonly string[] => files.filter((file) => checksOf(file)[0] === check);

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const objectsIn = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);

interface Secret extends KubernetesObject {
  readonly stringData?: Readonly<Record<string, string>>;
}

/** An object as the API server returns it: `stringData` of a Secret is in `data`. */
function returned({ stringData, ...object }: Secret): object {
  if (stringData === undefined) return object;
  return { ...object, data: mapValues(stringData, (value) => Buffer.from(value).toString('base64')) };
}

/** Installs our definitions and those of the Prometheus operator. */
export function testManifests(controlPlane: () => ControlPlane): void {
  test('each file of crds/, deploy/ and examples/ is checked in one way', () => {
    assert.ok(files.length > 100, String(files.length));
    const unchecked = files.filter((file) => checksOf(file).length !== 1);
    assert.deepEqual(unchecked, []);
    const unused = Object.values(checks)
      .flat()
      .filter((glob) => !files.some((file) => matchesGlob(file, glob)));
    assert.deepEqual(unused, []);
  });

  describe('the API server accepts each manifest, and keeps each of its fields', () => {
    /** Would apply these files, in one command. */
    async function isAccepted(accepted: readonly string[]): Promise<void> {
      assert.ok(accepted.length > 0);
      const args = accepted.flatMap((file) => ['-f', join(projectRoot, file)]);
      const answer = await controlPlane().kubectl(['apply', '--dry-run=server', '-o', 'json', ...args]);
      const objects = accepted.flatMap((file) => objectsIn(textOf(file)));
      assertStored(objects, answer);
    }

    /** Fails if the API server dropped a field of one of the objects, for example because its definition lacks the field. */
    function assertStored(objects: readonly KubernetesObject[], answer: string): void {
      const { items = [] } = JSON.parse(answer.startsWith('{') ? answer : '{}') as {
        readonly items?: readonly object[];
      };
      const answers = items.length === 0 ? [JSON.parse(answer) as object] : items;
      assert.equal(answers.length, objects.length);
      for (const [index, object] of objects.entries()) {
        const wanted = returned(object);
        if (!isMatch(answers[index] ?? {}, wanted)) assert.deepEqual(answers[index], wanted);
      }
    }

    test('definitions', async () => {
      await isAccepted(filesOf('definition'));
      await controlPlane().installDefinitions();
    });

    test('workloads, roles and examples, in the namespaces that they name', async () => {
      const checked = [...filesOf('workload or role'), ...filesOf('example')];
      const namespaces = checked
        .flatMap((file) => objectsIn(textOf(file)))
        .flatMap(({ metadata }) => metadata.namespace ?? []);
      const named = [...new Set(namespaces)].filter((name) => name !== 'default');
      await applyTo(controlPlane(), ...named.map((name) => objectOf(NamespaceKind, { name })));
      await isAccepted(filesOf('workload or role'));
      await isAccepted(filesOf('example'));
    });

    test('objects of the Prometheus operator, with its definitions', async () => {
      await controlPlane().installCrds([join(projectRoot, 'test/fixtures/prometheus-operator')]);
      await isAccepted(filesOf('object of the Prometheus operator'));
    });

    test('the PodDisruptionBudget, as policy/v1beta1 where the server has no policy/v1', async () => {
      const [file = ''] = filesOf('object of Kubernetes 1.21 or later');
      const [budget = assert.fail('no object')] = objectsIn(textOf(file));
      // policy/v1 of a current Kubernetes has each of its fields.
      const fieldsOf = (model: { getAttributeTypeMap(): readonly { readonly name: string }[] }) =>
        new Set(model.getAttributeTypeMap().map(({ name }) => name));
      const { spec } = budget as KubernetesObject & { readonly spec: object };
      assert.equal(budget.apiVersion, 'policy/v1');
      assert.ok(new Set(Object.keys(budget)).isSubsetOf(fieldsOf(V1PodDisruptionBudget)));
      assert.ok(new Set(Object.keys(spec)).isSubsetOf(fieldsOf(V1PodDisruptionBudgetSpec)));

      const versions = (await controlPlane().kubectl(['api-versions'])).split('\n');
      const apiVersion = versions.includes('policy/v1') ? 'policy/v1' : 'policy/v1beta1';
      const served = { ...budget, apiVersion };
      const dryRun = ['apply', '--dry-run=server', '-o', 'json', '-f', '-'];
      const answer = await controlPlane().kubectl(dryRun, JSON.stringify(served));
      assertStored([served], answer);
    });

    test("the patch of Argo CD's configuration", async () => {
      const [file = ''] = filesOf('patch');
      await controlPlane().kubectl(['create', 'configmap', 'argocd-cm', '--from-literal=url=kept']);
      const answer = await controlPlane().kubectl([
        'patch',
        'configmap',
        'argocd-cm',
        '--dry-run=server',
        '-o',
        'json',
        '--patch-file',
        join(projectRoot, file),
      ]);
      const { data } = JSON.parse(answer) as { readonly data: Readonly<Record<string, string>> };
      assert.deepEqual(Object.keys(data).toSorted(), ['resource.customizations', 'url']);
    });
  });
}
