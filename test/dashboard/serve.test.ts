import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { pageFiles } from '../../dashboard/page-files.ts';
import { isOurHost } from '../../dashboard/serve.ts';
import { FlagError, parseFlags } from '../../runtime/process/flags.ts';
import { LeaseKind } from '../../runtime/process/lease.ts';
import { until } from '../runtime/widgets.ts';
import { leaseKey, TracedWorld } from '../trace/traced-world.ts';

const root = join(import.meta.dirname, '..', '..');

describe('the live page of a process', () => {
  const world = new TracedWorld();
  let url: string;

  before(async () => {
    url = await world.startWithPage();
    world.claim('orders');
    world.claim('dreams', { classSelector: { matchLabels: { size: 'huge' } } });
    await world.pass();
  });
  after(() => world.simulation.kill());

  /** As a client of any sort might ask. */
  const ask = (
    path: string,
    given: { readonly method?: string; readonly headers?: Record<string, string> } = {},
  ) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      const sent = request(`${url}${path}`, given, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
      });
      sent.on('error', reject);
      sent.end();
    });
  const traceOf = (claim: string): string =>
    `/trace?resource=fancysqlinstances.database.crossplane.io&namespace=team-shop&name=${claim}`;
  /** The same, while the time of the process goes by. */
  async function meanwhile<T>(asking: Promise<T>): Promise<T> {
    let isOver = false;
    const ended = asking.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await world.pass(0.2);
    }
    return ended;
  }

  test('is what its files are, with a policy that lets nothing else in', async () => {
    const { status, headers, body } = await ask('/');
    assert.equal(status, 200);
    assert.equal(body, pageFiles['/']?.text);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(body, /https?:\/\/|<script(?! type="module" src="\/)|\sstyle="|\son\w+="/);
  });

  const hosts: Readonly<Record<string, boolean>> = {
    'localhost:8082': true,
    localhost: true,
    '127.0.0.1:8082': true,
    '[::1]:8082': true,
    '10.0.0.7': true,
    'evil.example:8082': false,
    'localhost.evil.example': false,
    '127.0.0.1.evil.example': false,
    '': false,
  };
  for (const [host, isFine] of Object.entries(hosts)) {
    test(`a request for ${host || 'no host'} is ${isFine ? 'answered' : 'refused'}`, async () => {
      assert.equal(isOurHost(host), isFine);
      if (host === '') return;
      for (const path of ['/', '/trace?resource=x&name=y']) {
        const { status } = await ask(path, { headers: { host } });
        assert.equal(status === 421, !isFine);
      }
    });
  }

  test('a request of another site is refused, and so is a request that would change something', async () => {
    assert.equal((await ask('/', { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await ask('/', { method })).status, 405);
    assert.equal((await ask('/../../etc/passwd')).status, 404);
  });

  test('HEAD gives the headers alone, and takes no place of a reader', async () => {
    for (const path of ['/', '/events', traceOf('dreams')]) {
      for (let attempt = 0; attempt < 17; attempt += 1) {
        const { status, body } = await meanwhile(ask(path, { method: 'HEAD' }));
        assert.deepEqual([path, status, body], [path, 200, '']);
      }
    }
  });

  test('a trace is that of the command', async () => {
    const { status, body } = await meanwhile(ask(traceOf('dreams')));
    const { verdict, fault } = JSON.parse(body);
    assert.deepEqual([status, verdict, fault.name], [200, 'broken', 'no match']);
    assert.match(fault.cause, /^No resource class matches spec\.classSelector size=huge; correct it, /);
  });

  test('the page shows when the resource runs next', async () => {
    const { body } = await meanwhile(ask(traceOf('orders')));
    assert.match(body, /"last observed \d+ s ago, next in \d+ s at the latest"/);
  });

  test('the page of a standby names the process that leads', async () => {
    const renewTime = new Date(world.clock.now()).toISOString();
    world.cluster.put(LeaseKind, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: leaseKey,
      spec: { holderIdentity: 'another', leaseDurationSeconds: 15, renewTime },
    });
    const { body } = await meanwhile(ask(traceOf('orders')));
    assert.match(body, /"another leads, renewed \d+ s ago"/);
  });

  test('of a thing that does not exist, or of no kind, there is none', async () => {
    for (const path of [traceOf('nobody'), '/trace?resource=nothing&name=a', '/trace?']) {
      assert.equal((await meanwhile(ask(path))).status, 404);
    }
  });

  test('no value of a secret is served, in a trace or an event', async () => {
    const controller = new AbortController();
    const answer = await fetch(`${url}/events`, { signal: controller.signal });
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    let reported = '';
    const reading = (async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) reported += chunk;
    })().catch(() => {});
    await meanwhile(until('it is reported', () => reported.includes('BoundManagedResource')));
    controller.abort();
    await reading;
    assert.match(
      reported,
      /^retry: 2000\nevent: greeting\ndata: \{"version":"0\.1\.0","stacks":\["fcp","ocp"\]\}\n\nevent: batch\n/,
    );
    assert.match(reported, /BoundManagedResource/);
    const { body } = await meanwhile(ask(traceOf('orders')));
    const key = { namespace: 'team-shop', name: 'orders-connection' };
    const { data = {} } = world.cluster.get(SecretKind, key);
    const password = Buffer.from(data.password ?? '', 'base64').toString();
    assert.ok(password.length > 8 && body.includes('password'));
    for (const value of [password, data.password ?? '', 'favourite-token']) {
      assert.ok(!reported.includes(value) && !body.includes(value));
    }
  });
});

test('every interface must be written in full, and 0 is none', () => {
  const product = { stacks: ['fcp'], name: 'x', version: '0' };
  const flags = (address: string) => {
    const invocation = parseFlags(['--dashboard-bind-address', address], product);
    return invocation.type === 'run' ? invocation.flags.dashboardBindAddress : undefined;
  };
  assert.deepEqual(flags('[::]:8082'), { host: '::', port: 8082 });
  assert.equal(flags('0'), undefined);
  assert.throws(
    () => flags(':8082'),
    new FlagError(
      '--dashboard-bind-address: ":8082" is not allowed; it must be host:port, with 0.0.0.0 or [::] for every interface, or 0 for none',
    ),
  );
});

test('the served files are those of dashboard/page/, and its scripts are of sound types', () => {
  const run = (program: string, ...words: readonly string[]) =>
    execFileSync(program, words, { cwd: root, stdio: 'pipe' });
  run(process.execPath, 'dashboard/generate.ts', '--check');
  run(join(root, 'node_modules/.bin/tsc'), '--noEmit', '-p', 'dashboard/page');
});
