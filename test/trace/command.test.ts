import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Subject } from 'rxjs';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { allStacks } from '../../app/stacks.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { testClock } from '../../testing/test-clock.ts';
import { runTrace } from '../../trace/command.ts';
import { FakeApiServer } from '../fakes/api-server.ts';

const root = join(import.meta.dirname, '..', '..');
const since = '2026-01-02T03:04:00Z';
const ready = {
  type: 'Ready',
  status: 'False' as const,
  reason: 'NoMatchingClass',
  message: 'no resource class matches spec.classSelector size=huge',
  lastTransitionTime: since,
};
const claim = {
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance' as const,
  metadata: { namespace: 'team-shop', name: 'orders', creationTimestamp: since },
  spec: { classSelector: { matchLabels: { size: 'huge' } } },
  status: { observedGeneration: 1, bindingPhase: 'Unbound' as const, conditions: [ready] },
};

describe('the command', () => {
  const api = new FakeApiServer(
    FancySQLInstanceKind,
    FavouriteDBInstanceClassKind,
    FavouriteDBInstanceKind,
    AmbivalentDBInstanceClassKind,
    AmbivalentDBInstanceKind,
    EventKind,
    NamespaceKind,
  );
  let folder: string;
  let kubeconfig: string;

  before(async () => {
    await api.start();
    api.put(FancySQLInstanceKind, claim);
    for (const name of ['default', 'team-shop'])
      api.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    folder = await mkdtemp(join(tmpdir(), 'services-stack-trace-'));
    kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, api.kubeConfig().exportConfig());
  });
  after(async () => {
    await api.stop();
    await rm(folder, { recursive: true });
  });

  /** Runs it as it is typed. */
  async function run(words: readonly string[], { isTerminal = false, columns = 100 } = {}) {
    const [out, err]: [string[], string[]] = [[], []];
    const stop$ = new Subject<void>();
    const clock = testClock();
    const stdout = Object.assign(new PassThrough(), { isTTY: isTerminal, columns });
    stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    const running = runTrace(words, {
      stacks: allStacks,
      clock,
      stdout: stdout as unknown as NodeJS.WriteStream,
      stderr: { write: (text: string) => err.push(text) > 0 },
      stop$,
    });
    const texts = () => ({ out: out.join(''), err: err.join('') });
    return { clock, stop$, running, texts };
  }
  async function ended(words: readonly string[], options = {}) {
    const { running, texts } = await run(words, options);
    const code = await running;
    await new Promise(setImmediate); // what was written is read in a later turn
    return { code, ...texts() };
  }

  /** The words that trace a claim of the team. */
  const tracing = (name: string, ...flags: readonly string[]): readonly string[] => [
    'fancysqlinstance',
    name,
    '-n',
    'team-shop',
    '--kubeconfig',
    kubeconfig,
    ...flags,
  ];

  const bad: Readonly<Record<string, readonly [words: readonly string[], says: RegExp]>> = {
    'a kind that does not exist': [
      ['fancyinstance', 'orders'],
      /^"fancyinstance" is not a known kind; did you mean fancysqlinstances\.database\.crossplane\.io[^?]*\?\n$/,
    ],
    'a kind of Kubernetes itself': [
      ['deployments', 'orders'],
      /^"deployments" is not a known kind; claims are fancysqlinstances\.[^;]*, and there are \d+ other kinds\n$/,
    ],
    'a kind that several groups have': [
      ['providerconfig', 'default'],
      /^"providerconfig" names several kinds: use one of providerconfigs\.aws\.crossplane\.io, .*\n$/,
    ],
    'no name': [
      ['fancysqlinstance'],
      /^"fancysqlinstance" of what name\? trace <kind> <name> \[-n <namespace>\]\n$/,
    ],
    'no words': [
      [],
      /^missing required argument 'kind': trace <kind> <name> \[-n <namespace>\]; --help lists every flag\n$/,
    ],
    'a flag that does not exist': [
      ['fancysqlinstance', 'orders', '--colour'],
      /^unknown option '--colour': trace .*\n$/,
    ],
    'a format that does not exist': [
      ['fancysqlinstance', 'orders', '-o', 'yaml'],
      /^--output: "yaml" is not allowed; it must be text or json\n$/,
    ],
    'a lease that is none': [
      ['fancysqlinstance', 'orders', '--lease', 'a'],
      /^--lease: "a" is not allowed; it must be <namespace>\/<name>\n$/,
    ],
    'a kubeconfig that is not there': [
      ['fancysqlinstance', 'orders', '--kubeconfig', '/nowhere'],
      /^--kubeconfig: cannot read kubeconfig \/nowhere: ENOENT\n$/,
    ],
    'a file that is no kubeconfig': [
      ['fancysqlinstance', 'orders', '--kubeconfig', join(root, 'LICENSE')],
      /^--kubeconfig: \S+LICENSE is not .*\n$/,
    ],
  };
  for (const [what, [words, says]] of Object.entries(bad)) {
    test(`${what} is reported in one sentence, and the exit code is 2`, async () => {
      const { code, out, err } = await ended(words);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, says);
    });
  }

  test('the name of no object gives the exit code 2', async () => {
    const err = 'FancySQLInstance team-shop/nobody does not exist (fancysqlinstance nobody)\n';
    assert.deepEqual(await ended(tracing('nobody')), { code: 2, out: '', err });
  });

  test('a context that does not exist is reported with the existing contexts', async () => {
    const { code, err } = await ended(tracing('a', '--context', 'prod'));
    assert.equal(code, 2);
    assert.match(err, /^--context: there is no context "prod"; there are: \S+\n$/);
  });

  test('an API server that does not answer is reported with its address', async () => {
    const config = join(folder, 'elsewhere');
    const there = api.kubeConfig().exportConfig();
    await writeFile(config, there.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:1'));
    const { code, err } = await ended(tracing('orders', '--kubeconfig', config));
    assert.equal(code, 2);
    assert.match(err, /^cannot read from http:\/\/127\.0\.0\.1:1: .*\n$/);
  });

  const spellings = [
    ['fancysqlinstances', 'orders'],
    ['FancySQLInstance', 'orders'],
    ['fancysqlinstances.database.crossplane.io', 'orders'],
    ['fancysqlinstance.v1alpha1.database.crossplane.io', 'orders'],
    ['fancysqlinstance/orders'],
  ];
  for (const words of spellings) {
    test(`${words.join(' ')} is found, is not usable, and ends with 1`, async () => {
      const { code, out } = await ended([...words, ...tracing('').slice(2), '-o', 'json']);
      const { subject, verdict, isUsable, fault } = JSON.parse(out);
      assert.deepEqual([code, subject], [1, 'FancySQLInstance team-shop/orders']);
      assert.deepEqual([verdict, isUsable, fault.name], ['broken', false, 'no match']);
    });
  }

  const verdict = `FancySQLInstance team-shop/orders cannot be used

  No resource class matches spec.classSelector
  size=huge.
  No class that can serve the claim has a label.
  Ask an administrator for one.
    kubectl -n team-shop edit fancysqlinstances.database.crossplane.io orders
`;
  const texts: Readonly<Record<string, readonly [flags: readonly string[], tree: string]>> = {
    'the output is the verdict, the cause, the command and a tree of one line for each link': [
      [],
      `… FancySQLInstance team-shop/orders NoMatchingClass
  ✗ class selector size=huge ◀ no match
? controllers
`,
    ],
    'with --verbose no text is cut: lines are as wide as the terminal at most, except for commands': [
      ['--verbose'],
      `… FancySQLInstance team-shop/orders NoMatchingClass
    Unbound
    Ready False NoMatchingClass for 5 s: no
      resource class matches spec.classSelector
      size=huge
  ✗ class selector size=huge ◀ no match
? controllers
    no lease: no process runs, or one with
    --leader-elect=false
`,
    ],
  };
  for (const [what, [flags, tree]] of Object.entries(texts)) {
    test(what, async () => {
      const { code, out } = await ended(tracing('orders', ...flags), { columns: 48 });
      assert.deepEqual([code, out], [1, `${verdict}\n${tree}`]);
    });
  }

  test('with --watch each change is printed, and the exit code is that of the last trace', async () => {
    const { clock, stop$, running, texts } = await run(tracing('orders', '-w'));
    const until = async (isSo: () => boolean) => {
      for (let turn = 0; turn < 1_500 && !isSo(); turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await clock.advance(500);
      }
    };
    await until(() => texts().out.includes('NoMatchingClass'));
    const conditions = [{ ...ready, status: 'True', reason: 'Available' } as const];
    const status = { ...claim.status, bindingPhase: 'Bound', conditions } as const;
    api.put(FancySQLInstanceKind, { ...claim, status });
    await until(() => texts().out.includes('can be used'));
    stop$.next();
    assert.equal(await running, 0);
    assert.equal(texts().out.match(/^FancySQLInstance team-shop\/orders can/gm)?.length, 2);
    api.put(FancySQLInstanceKind, claim);
  });

  test('a flag without a value is as absent, as for kubectl', async () => {
    const words = tracing('orders', '--context=', '-o=json').filter((word) => word !== kubeconfig);
    const { KUBECONFIG } = process.env;
    process.env.KUBECONFIG = kubeconfig;
    try {
      const { code, err } = await ended(
        words.map((word) => (word === '--kubeconfig' ? '--kubeconfig=' : word)),
      );
      assert.deepEqual([code, err], [1, '']);
    } finally {
      if (KUBECONFIG === undefined) delete process.env.KUBECONFIG;
      else process.env.KUBECONFIG = KUBECONFIG;
    }
  });

  const outputs: Readonly<Record<string, readonly [redirect: string, says: RegExp]>> = {
    'without a reader there is no answer, and no error': ['| true', /^2 $/],
    'an answer that cannot be written is reported': [
      '> /dev/full',
      /^2 cannot write the answer: .*ENOSPC.*$/,
    ],
  };
  for (const [what, [redirect, says]] of Object.entries(outputs)) {
    test(what, async () => {
      const words = [process.execPath, join(root, 'app/trace.ts'), ...tracing('orders', '-v')];
      const script = `{ "$@"; echo $? > ${folder}/code; } ${redirect}`;
      const { stderr } = await promisify(execFile)('/bin/sh', ['-c', script, 'sh', ...words]);
      assert.match(`${(await readFile(join(folder, 'code'), 'utf8')).trim()} ${stderr.trim()}`, says);
    });
  }

  test('kubectl runs it as a plugin, by a link on the PATH', async () => {
    const plugin = join(folder, 'kubectl-services_stack');
    await symlink(join(root, 'trace', 'kubectl-services_stack'), plugin);
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const failure = (
      ...words: readonly string[]
    ): Promise<{ readonly code: number; readonly stdout: string }> =>
      promisify(execFile)(plugin, words, { env }).then(
        () => assert.fail(),
        (error) => error,
      );
    const { code, stdout } = await failure('trace', 'fancysqlinstance', 'orders', '-n', 'team-shop');
    assert.match(stdout, /^FancySQLInstance team-shop\/orders cannot be used\n/);
    assert.deepEqual([code, (await failure('race')).code], [1, 2]);
  });
});
