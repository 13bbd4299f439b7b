import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { eventually } from '../cluster/stack-harness.ts';
import { temporaryFolder } from '../local/temporary-folder.ts';
import { demo, root } from './demo-run.ts';

/** The processes that a process has started and that run `script`. */
async function childrenOf(pid: number | undefined, script: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  return [...stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)]
    .filter(([, , parent, command]) => Number(parent) === pid && command?.includes(script))
    .map(([, child]) => Number(child));
}

type Shell = (line: string) => Promise<string>;

/** Runs lines in a shell whose kubectl reaches the cluster of the demo, and returns what they print. */
const shellOf = (output: string): Shell => {
  const env = { ...process.env, KUBECONFIG: /export KUBECONFIG=(\S+)/.exec(output)?.[1] };
  return async (line) => (await promisify(execFile)('bash', ['-c', line], { env })).stdout;
};

/** Runs the commands of the demo in a shell, and checks the results that it promises. */
async function tryExperiments(output: string, shell: Shell): Promise<void> {
  const [remove, fail, edit] = [...output.matchAll(/^\d\. .*\n((?: {2}\S.*\n)+)/gm)].map(([, lines = '']) =>
    lines.trim().split(/\n */),
  );
  const [deletion = '', look = ''] = remove ?? [];
  const password = (await shell(`${look} -o jsonpath={.data.password}`)).trim();
  await shell(deletion);
  await eventually('the secret is back', async () => {
    const again = await shell(`${look} -o jsonpath={.data.password}`).catch(() => '');
    return again.trim() === password;
  });

  await shell(edit?.[0] ?? '');
  const dreams = 'kubectl -n team-blog get fancysqlinstance dreams -o jsonpath={.status.bindingPhase}';
  await eventually('dreams is bound', async () => (await shell(dreams)).trim() === 'Bound');

  const [begin = '', end = ''] = fail ?? [];
  const reason = `kubectl -n team-shop get rediscluster sessions -o jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'`;
  await shell(begin);
  await eventually('it says so', async () => (await shell(reason)).trim() === 'AvailableWithTrouble');
  await shell(end);
  await eventually('it has recovered', async () => (await shell(reason)).trim() === 'Available');
}

/**
 * The administrator of the guide can log in to the PostgreSQL server of the demo. It has another port than in the guide if
 * another server of this machine has that one, such as the demo of another test.
 */
async function tryGuide(shell: Shell): Promise<void> {
  const guide = readFileSync(join(root, 'docs/postgresql.md'), 'utf8');
  const [, address] = /`psql (postgresql:\S+)`/.exec(guide) ?? assert.fail('no psql command');
  const [, portInGuide = ''] = /^ {2}port: "(\d+)"$/m.exec(guide) ?? assert.fail('no port');
  const entry = 'kubectl -n postgresql-credentials get secret demo-server -o jsonpath={.data.port}';
  const port = await shell(`${entry} | base64 -d`);
  const client = new Client({ connectionString: address?.replace(`:${portInGuide}/`, `:${port}/`) });
  await client.connect();
  await client.end();
}

async function tryAndKill(output: string, { pid }: ChildProcess): Promise<void> {
  const shell = shellOf(output);
  try {
    await tryGuide(shell);
    await tryExperiments(output, shell);
  } finally {
    const [controllers = assert.fail('no controllers')] = await childrenOf(pid, 'main.ts --kubeconfig');
    process.kill(controllers, 'SIGKILL');
  }
}

describe('npm run demo', () => {
  test('the commands of the demo do what it says; and it ends with 1 and the reason when its controllers end', async () => {
    let tried: Promise<void> | undefined;
    const { code, output } = await demo([], async (sofar, child) => {
      if (tried !== undefined || !sofar.includes('Ctrl-C ends everything')) return;
      tried = tryAndKill(sofar, child);
    });
    if (tried === undefined) assert.fail(output);
    await tried;
    assert.equal(code, 1, output);
    assert.match(output, /the controllers ended by themselves, with SIGKILL/);
    assert.match(output, /The controllers said last:\n(?: {2}\d\d:\d\d:\S+ (?:INFO|WARN|ERROR).*\n)+/);
    const [, acts = ''] = output.split('apply examples/ ...');
    const bound = acts.indexOf('team-shop/cart-db  BoundManagedResource');
    const requested = acts.search(/team-shop-cart-db-\w+ {2}CreatedExternalResource/);
    assert.ok(requested >= 0 && requested < bound, 'an act is shown before the acts that follow from it');
    const [, afterwards] = /Ctrl-C ends everything\.\n\n(.*?)demo: the controllers ended/s.exec(output) ?? [];
    assert.equal(afterwards, '', 'nothing follows the instructions while the controllers work');
    assert.match(output, /Services Stack \d+\.\d+\.\d+, Kubernetes 1\.\d+, PostgreSQL \d+\.\d+, Node 24\./);
    assert.match(output, /^ +\+\d+\.\d s {2}PostgreSQLInstance team-shop\/cart-db {2}BoundManagedResource /m);
  });

  test('Ctrl-C takes everything down while claims are applied, says goodbye last and ends with 0', async () => {
    let isRequested = false;
    const { code, output } = await demo([], async (sofar, child) => {
      if (isRequested || !sofar.includes('watch it live')) return;
      isRequested = true;
      child.kill('SIGINT');
    });
    assert.equal(code, 0, output);
    assert.match(output, /\nGoodbye: .*\n$/);
  });

  test('nothing remains of a demo that was killed', async (t) => {
    const folder = await temporaryFolder(t);
    await chmod(folder, 0o755); // for PostgreSQL, which may run as another user
    const killAtStart = async (sofar: string, child: ChildProcess) => {
      if (sofar.includes('watch it live')) child.kill('SIGKILL');
    };
    const { output } = await demo([], killAtStart, folder);
    assert.match(output, /watch it live/);
    await eventually('its folders are removed', async () => (await readdir(folder)).length === 0);
    await eventually('its processes are gone', async () => {
      const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args=']);
      return !stdout.includes(folder);
    });
  });
});
