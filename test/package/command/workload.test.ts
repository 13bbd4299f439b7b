import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { namespaceManifest, workloadManifests } from '../../../package/command/workload.ts';
import { objectsOf } from '../../docs/manifests.ts';

test('the manifests for authors are those of deploy/, with the names of the author', () => {
  const options = { name: 'services-stack', namespace: 'crossplane-system', image: 'services-stack:0.1.0' };
  const generated = [namespaceManifest(options, 'Generated.'), workloadManifests(options, 'Generated.')];
  const ours = [...objectsOf('deploy/base'), ...objectsOf('deploy/cluster-wide')];
  const key = ({ kind, metadata }: { kind: string; metadata: { name: string } }) =>
    `${kind} ${metadata.name}`;
  const byKey = (objects: readonly object[]) =>
    Object.fromEntries(objects.map((object) => [key(object as Parameters<typeof key>[0]), object]));
  assert.deepEqual(
    byKey(generated.flatMap((text) => parseAllDocuments(text)).map((document) => document.toJS())),
    byKey(ours.filter(({ kind }) => !['ClusterRole', 'Kustomization'].includes(kind))),
  );

  const workload = { name: 'boxes', namespace: 'box-land', image: 'registry.example.org/boxes:1.0.0' };
  const texts = [namespaceManifest(workload, 'Generated.'), workloadManifests(workload, 'Generated.')].join(
    '',
  );
  assert.doesNotMatch(texts, /services-stack|crossplane/);
  assert.match(texts, /image: registry\.example\.org\/boxes:1\.0\.0$/m);
});
