import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { conditionReasons } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { stacks } from '../../app/stacks.ts';
import { flagSpecs } from '../../runtime/process/flag-specs.ts';
import { projectRoot } from './project-copy.ts';
import { servedMetrics } from './served-metrics.ts';

const page = (name: string): string => readFileSync(join(projectRoot, 'docs', `${name}.md`), 'utf8');
/** The cells of every row of its tables, without headers. */
const rows = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
const code = (text: string): readonly string[] =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner);

test('the table of flags is that of the process', () => {
  const names = { stacks: stacks.map(({ name }) => name), name: 'services-stack' };
  const specs = Object.values(flagSpecs(names)).map(({ usage, default: byDefault }) => [
    usage.split(' ')[0],
    byDefault || (usage.startsWith('--namespace') ? 'all' : ''),
  ]);
  const inGuide = rows(page('flags').split('\n## ')[0] ?? '').map(([flag = '', byDefault = '']) => [
    code(flag)[0],
    byDefault.replaceAll('`', ''),
  ]);
  assert.deepEqual(inGuide, specs);
});

test('the metrics of the guide are those that are served', async () => {
  const served = await servedMetrics();
  const inGuide = rows(page('metrics')).flatMap(([names = '']) => {
    const [first = '', ...others] = code(names);
    const prefix =
      /^(controller_runtime_reconcile|workqueue|crossplane_managed_resource)_/.exec(first)?.[1] ?? '';
    return [first, ...others.map((name) => (name.startsWith('_') ? prefix + name : name))];
  });
  assert.deepEqual(inGuide.toSorted(), served.toSorted());
});

/** The external clients and configure functions of the stacks. */
const stackKinds = 'stacks/*/{*,!(client|emulator|kinds)/**/*}.ts';

test('the guide explains every reason there is, and no other', () => {
  const sources = globSync(['{app,controllers}/**/*.ts', stackKinds, 'apis/core/v1alpha1/condition.ts'], {
    cwd: projectRoot,
  })
    .map((file) => readFileSync(join(projectRoot, file), 'utf8'))
    .join('\n');
  const patterns = [
    /reason: '([A-Z][A-Za-z]+)'/g,
    /(?:notReady|unknown|warning)\(\s*'([A-Z][A-Za-z]+)'/g,
    /\b(?:event|normal)\(\s*'([A-Z][A-Za-z]+)'/g,
    /'(InvalidClassSelector|No(?:Default|Matching)Class)'/g,
    /'(Cannot[A-Z][A-Za-z]+|NamespaceNotAllowed|WaitingToBind|UnknownKind|ManagedResourceNotFound|(?:Apply|Destroy)Failure)'/g,
    /'((?:Created|Updated|Deleted)ExternalResource)'/g,
  ];
  const used = new Set([
    ...conditionReasons,
    ...patterns.flatMap((pattern) => [...sources.matchAll(pattern)].map(([, reason]) => reason)),
  ]);
  const text = page('troubleshooting') + page('events');
  const explained = code(text).filter((word) => /^[A-Z]/.test(word));
  const types = ['AsyncOperation', 'LastAsyncOperation', 'Reconciling', 'Stalled', 'Terminating'];
  assert.deepEqual(new Set(explained.filter((word) => !types.includes(word))), used);
});

test('the page of annotations, labels and finalizers names all that the code has, and no other', () => {
  const files = globSync(['{apis/core,app,controllers,runtime}/**/*.ts', stackKinds], { cwd: projectRoot });
  const sources = files.map((file) => readFileSync(join(projectRoot, file), 'utf8')).join('\n');
  const keys = /'((?:[a-z-]+\.)*crossplane\.io\/[a-z-]*)'/g;
  const inCode = [...sources.matchAll(keys)].map(([, key = '']) => key);
  const text = page('annotations');
  const inPage = code(text).filter((key) => /^(?:[a-z-]+\.)*crossplane\.io\//.test(key));
  const keysInPage = [...new Set(inPage)].map((key) => key.replace('…', '')).toSorted();
  assert.deepEqual(keysInPage, [...new Set(inCode)].toSorted());
  const finalizers = code(text.split('## Finalizers')[1] ?? '');
  assert.deepEqual(finalizers.toSorted(), Object.values(finalizerNames).toSorted());
});
