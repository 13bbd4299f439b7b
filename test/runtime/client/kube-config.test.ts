import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { inspect, promisify } from 'node:util';
import { lastValueFrom } from 'rxjs';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { selfSignedCertificate } from '../../../local/postgresql-certificate.ts';
import { execCredentials } from '../../../runtime/client/exec-credential.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import { readKubeConfig } from '../../../runtime/client/kube-config.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';

const run = promisify(execFile);
const { certificate, privateKey } = selfSignedCertificate();
const clock = realClock();
const plugin = `#!/bin/sh
echo x >> "$(dirname "$0")/runs"
printf '%s' "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/question"
cat "$(dirname "$0")/answer"
`;
const answer = (status: object): string =>
  JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status });
const exec = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: './plugin',
  interactiveMode: 'Never',
} as const;

type Entries = Readonly<Record<string, object>>;
interface Parts {
  readonly clusters?: Entries;
  readonly users?: Entries;
  readonly contexts?: Entries;
  readonly current?: string;
}
const listed = (field: string, entries: Entries = {}) =>
  Object.entries(entries).map(([name, content]) => ({ name, [field]: content }));
const kubeconfig = ({ clusters, users, contexts, current }: Parts): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    ...(current && { 'current-context': current }),
    clusters: listed('cluster', clusters),
    users: listed('user', users),
    contexts: listed('context', contexts),
  });

const authority = Buffer.from(certificate).toString('base64');
/** A cluster whose certificate authority is known. */
const trusted = (server: string) => ({ server, 'certificate-authority-data': authority });

/** The credentials and the impersonation of a request. */
const identity = ({ headers }: { readonly headers: IncomingHttpHeaders }) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'authorization' || name.startsWith('impersonate-')),
  );

/** An API server that records the identity of the last request, and refuses some tokens. */
async function apiServer(isTls: boolean) {
  const received = {
    last: undefined as object | undefined,
    times: 0,
    refused: new Set<string>(),
    /** How many of the next refusals wait until a request is accepted. */
    held: 0,
  };
  const waiting: (() => void)[] = [];
  const answerTo: RequestListener = (request, response) => {
    received.last = identity(request);
    received.times += 1;
    const isRefused = received.refused.has(request.headers.authorization ?? '');
    const failure = { status: 'Failure', code: 401, message: 'Unauthorized' };
    const status = { kind: 'Status', apiVersion: 'v1', ...failure };
    const version = { major: '1', minor: '30', gitVersion: 'v1.30.0' };
    const respond = () => {
      response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRefused ? status : version));
    };
    if (isRefused && received.held > 0) {
      received.held -= 1;
      waiting.push(respond);
      return;
    }
    respond();
    if (!isRefused) for (const each of waiting.splice(0)) each();
  };
  const tls = { cert: certificate, key: privateKey };
  const server = isTls ? createTlsServer(tls, answerTo) : createServer(answerTo);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http${isTls ? 's' : ''}://127.0.0.1:${port}`, received };
}

describe('a kubeconfig', () => {
  let folder: string;
  let right: Awaited<ReturnType<typeof apiServer>>;
  let wrong: Awaited<ReturnType<typeof apiServer>>;
  let plain: Awaited<ReturnType<typeof apiServer>>;
  let hasKubectl = false;
  const open: { close(): Promise<void> }[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'services-stack-kubeconfig-'));
    [right, wrong, plain] = await Promise.all([apiServer(true), apiServer(true), apiServer(false)]);
    await mkdir(join(folder, 'sub'));
    for (const each of ['', 'sub/']) {
      await writeFile(join(folder, `${each}plugin`), plugin);
      await chmod(join(folder, `${each}plugin`), 0o755);
      await writeFile(join(folder, `${each}answer`), answer({ token: `plugin-${each || 'top'}` }));
      await writeFile(join(folder, `${each}token`), `file-${each || 'top'}\n`);
    }
    const asking = run('kubectl', ['version', '--client']);
    hasKubectl = await asking.then(Boolean, () => false);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    for (const { received } of [right, wrong, plain]) {
      received.last = undefined;
      received.refused.clear();
    }
  });
  after(async () => {
    for (const { server } of [right, wrong, plain]) server.close();
    await rm(folder, { recursive: true });
  });

  const receivedBy = () => ({
    right: right.received.last,
    wrong: wrong.received.last,
    plain: plain.received.last,
  });

  /** A client of the kubeconfig that the environment names. */
  async function clientOf(
    environment: Record<string, string>,
    {
      elapsedMs = clock.elapsedMs,
      now = clock.now,
      ...options
    }: Partial<Clock> & { context?: string; accountFolder?: string } = {},
  ) {
    const kubeConfig = await readKubeConfig({
      ...options,
      environment: { ...process.env, ...environment },
      clock: { now },
    });
    const client = kubernetesClient({ kubeConfig, log: recordedLog(), clock: { ...clock, elapsedMs } });
    open.push(client);
    return client;
  }

  /** Reads the kubeconfig, sends one request, and returns the identities that the servers saw. */
  async function ask(environment: Record<string, string>, options: { context?: string } = {}) {
    await (await clientOf(environment, options)).serverVersion();
    return receivedBy();
  }

  /** The same through kubectl. */
  async function askByKubectl(environment: Record<string, string>, context?: string) {
    const args = [
      'version',
      '-o',
      'json',
      '--request-timeout=5s',
      ...(context ? ['--context', context] : []),
    ];
    const running = run('kubectl', args, { env: { ...process.env, ...environment } });
    running.child.stdin?.end();
    await running;
    return receivedBy();
  }

  interface Row {
    /** Files by name; `RIGHT` and `WRONG` are the two API servers. */
    readonly files: Readonly<Record<string, Parts | string>>;
    /** The value of KUBECONFIG, of names of files; default `a`. */
    readonly listed?: readonly string[];
    readonly context?: string;
    /**
     * The identity that the right server sees; default `Bearer t`. `plain`: the server without TLS sees a request
     * without credentials.
     */
    readonly wantedAccess?: object | 'plain';
  }
  const here = { c: trusted('RIGHT') };
  const there = { c: trusted('WRONG') };
  const at = (name: string, cluster: string) => ({ [name]: { cluster, user: 'u' } });
  const context = at('x', 'c');
  const bearer = { users: { u: { token: 't' } } };
  const one = (user: object, cluster: object = {}): Row['files'] => ({
    a: {
      clusters: { c: { ...trusted('RIGHT'), ...cluster } },
      users: { u: user },
      contexts: context,
      current: 'x',
    },
  });

  const noAuthority = { 'certificate-authority-data': undefined };
  const unverified = { 'insecure-skip-tls-verify': true };

  const rows: Readonly<Record<string, Row>> = {
    'of two files with a current context, the first wins': {
      files: {
        a: { ...bearer, clusters: { p: trusted('RIGHT') }, contexts: at('prod', 'p'), current: 'prod' },
        b: { ...bearer, clusters: { s: trusted('WRONG') }, contexts: at('staging', 's'), current: 'staging' },
      },
      listed: ['a', 'b'],
    },
    'of two files with a cluster of one name, the first wins': {
      files: { a: { clusters: here }, b: { ...bearer, clusters: there, contexts: context, current: 'x' } },
      listed: ['a', 'b'],
    },
    'a file that is missing, one that is empty and an empty name are skipped': {
      files: { a: '', ...one({ token: 't' }), b: '' },
      listed: ['missing', 'b', 'a'],
    },
    'a context that is asked for is used': {
      files: {
        a: {
          ...bearer,
          clusters: { ...there, d: trusted('RIGHT') },
          contexts: { ...context, ...at('y', 'd') },
          current: 'x',
        },
      },
      context: 'y',
    },
    'relative paths start from the folder of their file': {
      files: {
        'sub/a': { users: { u: { tokenFile: 'token' } } },
        b: { clusters: here, contexts: context, current: 'x' },
      },
      listed: ['sub/a', 'b'],
      wantedAccess: { authorization: 'Bearer file-sub/' },
    },
    'a token file wins over a token': {
      files: one({ token: 'old', tokenFile: 'token' }),
      wantedAccess: { authorization: 'Bearer file-top' },
    },
    'a user name and a password': {
      files: one({ username: 'ann', password: 'p:w' }),
      wantedAccess: { authorization: `Basic ${Buffer.from('ann:p:w').toString('base64')}` },
    },
    'impersonation with groups, a UID and extra values': {
      files: one({
        token: 't',
        as: 'jane',
        'as-uid': 'u-1',
        'as-groups': ['dev', 'ops'],
        'as-user-extra': { 'Example.com/Scope': ['a', 'b'] },
      }),
      wantedAccess: {
        authorization: 'Bearer t',
        'impersonate-user': 'jane',
        'impersonate-uid': 'u-1',
        'impersonate-group': 'dev, ops',
        'impersonate-extra-example.com%2fscope': 'a, b',
      },
    },
    'a credential plugin beside the kubeconfig': {
      files: one({ exec }),
      wantedAccess: { authorization: 'Bearer plugin-top' },
    },
    'over plain HTTP, as through kubectl proxy, no credentials are sent': {
      files: {
        a: { clusters: { c: { server: 'PLAIN' } }, users: { u: { exec } }, contexts: context, current: 'x' },
      },
      wantedAccess: 'plain',
    },
    'a server that is not verified': { files: one({ token: 't' }, { ...noAuthority, ...unverified }) },
  };

  const write = async (files: Row['files']): Promise<void> => {
    for (const [name, content] of Object.entries(files)) {
      const text = typeof content === 'string' ? content : kubeconfig(content);
      const urls = { PLAIN: plain.url, RIGHT: right.url, WRONG: wrong.url };
      const placed = text.replaceAll(/PLAIN|RIGHT|WRONG/g, (word) => urls[word as keyof typeof urls]);
      await writeFile(join(folder, name), placed);
    }
  };
  const environmentOf = (names: readonly string[]): Record<string, string> => ({
    KUBECONFIG: names.map((name) => join(folder, name)).join(delimiter),
  });

  const token = { authorization: 'Bearer t' };
  for (const [name, row] of Object.entries(rows)) {
    const { files, listed: names = ['a'], context: contextName, wantedAccess = token } = row;
    test(`${name}, as for kubectl`, async (testContext) => {
      await write(files);
      const ours = await ask(environmentOf(names), contextName === undefined ? {} : { context: contextName });
      const expected =
        wantedAccess === 'plain'
          ? { right: undefined, plain: {} }
          : { right: wantedAccess, plain: undefined };
      assert.deepEqual(ours, { wrong: undefined, ...expected });
      right.received.last = undefined;
      plain.received.last = undefined;
      if (!hasKubectl) return testContext.diagnostic('kubectl is not on this machine: not compared');
      assert.deepEqual(await askByKubectl(environmentOf(names), contextName), ours);
    });
  }

  const refused: Readonly<Record<string, readonly [files: Row['files'], message: RegExp]>> = {
    'two ways to name one certificate authority': [
      one({ token: 't' }, { 'certificate-authority': 'token', 'certificate-authority-data': 'YQ==' }),
      /^cluster "c": certificate-authority and certificate-authority-data exclude each other; remove one$/,
    ],
    'a certificate authority that is not verified': [
      one({ token: 't' }, { 'certificate-authority-data': 'YQ==', ...unverified }),
      /^cluster "c": insecure-skip-tls-verify and certificate-authority exclude each other; remove one$/,
    ],
    'a certificate authority that is not there': [
      one({ token: 't' }, { ...noAuthority, 'certificate-authority': 'nowhere.crt' }),
      /^cannot read certificate-authority .*\/nowhere\.crt: ENOENT$/,
    ],
    'a client certificate without its key': [
      one({ 'client-certificate-data': 'YQ==' }),
      /^user "u": client-certificate and client-key are needed together$/,
    ],
    'a token and a user name': [
      one({ token: 't', username: 'ann', password: 'p' }),
      /^user "u": token and username exclude each other; remove one$/,
    ],
    'groups without a user to impersonate': [
      one({ token: 't', 'as-groups': ['dev'] }),
      /^user "u": as-uid, as-groups and as-user-extra need as$/,
    ],
    'a context whose cluster is not there': [
      { a: { contexts: { x: { cluster: 'c' } }, current: 'x' } },
      /^context "x" names cluster "c", which is not there$/,
    ],
    'a current context that is not there': [
      { a: { clusters: here, contexts: { y: { cluster: 'c' } }, current: 'x' } },
      /^there is no context "x"; there are: y$/,
    ],
    'a plugin that needs a terminal': [
      one({ exec: { ...exec, interactiveMode: 'Always' } }),
      /^user "u": exec\.interactiveMode Always needs a terminal/,
    ],
    'a plugin without interactiveMode': [
      one({ exec: { ...exec, interactiveMode: undefined } }),
      /^user "u": exec\.interactiveMode is missing$/,
    ],
    'a plugin of an API version that was removed': [
      one({ exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      /^user "u": exec\.apiVersion must be client\.authentication\.k8s\.io\/v1 or/,
    ],
    'a name twice in one file': [
      {
        a: JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          'current-context': 'x',
          clusters: [...listed('cluster', here), ...listed('cluster', there)],
          contexts: listed('context', { x: { cluster: 'c' } }),
        }),
      },
      /\/a: cluster "c" is there twice$/,
    ],
    'a file that is not YAML': [{ a: 'clusters: [' }, /\/a is not YAML: see line 1$/],
    'another kind of object': [{ a: '{"kind": "Pod"}' }, /\/a is not a kubeconfig: kind must be Config$/],
  };
  const isRefused = async (files: Row['files'], message: RegExp): Promise<void> => {
    await write(files);
    await assert.rejects(clientOf(environmentOf(['a'])), { name: 'KubeConfigError', message });
  };
  for (const [name, [files, message]] of Object.entries(refused)) {
    test(`${name} is refused, as by kubectl`, async (testContext) => {
      await isRefused(files, message);
      if (!hasKubectl) return testContext.diagnostic('kubectl is not on this machine: not compared');
      await assert.rejects(askByKubectl(environmentOf(['a'])));
    });
  }

  /** kubectl allows or ignores these. */
  const refusedByUs: Readonly<Record<string, readonly [files: Row['files'], message: RegExp]>> = {
    'a context whose user is not there': [
      { a: { clusters: here, contexts: context, current: 'x' } },
      /^context "x" names user "u", which is not there$/,
    ],
    'a server without a scheme': [
      one({ token: 't' }, { server: '127.0.0.1:6443' }),
      /^cluster "c": server must begin with https:\/\/ or http:\/\/$/,
    ],
    'an auth-provider': [
      one({ 'auth-provider': { name: 'oidc' } }),
      /^user "u": auth-provider is not supported; use exec$/,
    ],
    'a field that a user has not': [
      one({ 'as-group': ['x'] }),
      /^user "u": as-group is not supported; remove it$/,
    ],
    'a file without a current context': [
      { a: { clusters: here, contexts: { y: { cluster: 'c' } } } },
      /^there is no current context; name one with --context: y$/,
    ],
  };
  for (const [name, [files, message]] of Object.entries(refusedByUs)) {
    test(`${name} is refused by name`, () => isRefused(files, message));
  }

  test('without a file and outside of a pod there is no API server', async () => {
    const environment = { HOME: join(folder, 'nobody') };
    await assert.rejects(readKubeConfig({ environment, clock }), {
      message: /^there is no kubeconfig, and this is no pod with a service account; name a file/,
    });
  });

  test('a context without a user is anonymous, and verifies the server (kubectl asks for a password)', async () => {
    await write({ a: { clusters: here, contexts: { x: { cluster: 'c' } }, current: 'x' } });
    const { right: received } = await ask(environmentOf(['a']));
    assert.deepEqual(received, {});
  });

  test('the file of --kubeconfig must exist', async () => {
    const path = join(folder, 'nowhere');
    const reading = readKubeConfig({ path, environment: {}, clock });
    await assert.rejects(reading, /cannot read kubeconfig .*nowhere: ENOENT$/);
  });

  test('a credential plugin learns of the cluster, if it asks for it', async () => {
    const config = { audience: 'here' };
    const extension = { name: 'client.authentication.k8s.io/exec', extension: config };
    const named = { 'tls-server-name': 'localhost', extensions: [extension] };
    await write(one({ exec: { ...exec, provideClusterInfo: true } }, named));
    await ask(environmentOf(['a']));
    const { stdout } = await run('cat', [join(folder, 'question')]);
    const cluster = { ...trusted(right.url), 'tls-server-name': 'localhost', config };
    assert.deepEqual(JSON.parse(stdout), {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster },
    });
  });

  const pluginGives = (status: object) => writeFile(join(folder, 'answer'), answer(status));
  const runs = async (): Promise<number> => (await run('cat', [join(folder, 'runs')])).stdout.length / 2;

  test('a credential plugin runs again when its credential has expired or is refused, and not before', async () => {
    const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
    await pluginGives({ token: 'first', expirationTimestamp: nextYear });
    await write(one({ exec }));
    let nowMs = Date.now();
    const elapsed = { ms: 1 };
    const client = await clientOf(environmentOf(['a']), {
      now: () => new Date(nowMs),
      elapsedMs: () => (elapsed.ms += 2_000),
    });
    const before = await runs();
    for (let times = 0; times < 3; times += 1) await client.serverVersion();
    assert.equal((await runs()) - before, 1);
    right.received.refused.add('Bearer first');
    await pluginGives({ token: 'second', expirationTimestamp: nextYear });
    await client.serverVersion();
    assert.deepEqual(right.received.last, { authorization: 'Bearer second' });
    assert.equal((await runs()) - before, 2);
    nowMs = Date.parse(nextYear);
    await client.serverVersion();
    assert.equal((await runs()) - before, 3);
  });

  test('requests that are refused at the same time run the credential plugin once', async () => {
    await pluginGives({ token: 'old' });
    await write(one({ exec }));
    const client = await clientOf(environmentOf(['a']));
    await client.serverVersion();
    const before = await runs();
    await pluginGives({ token: 'new' });
    right.received.refused.add('Bearer old');
    right.received.held = 1;
    await Promise.all([client.serverVersion(), client.serverVersion()]);
    assert.deepEqual(right.received.last, { authorization: 'Bearer new' });
    assert.equal((await runs()) - before, 1);
  });

  test('a refused request is sent again once', async () => {
    await pluginGives({ token: 'old' });
    await write(one({ exec }));
    right.received.refused.add('Bearer old');
    const before = right.received.times;
    await assert.rejects(ask(environmentOf(['a'])), { code: 401 });
    assert.equal(right.received.times - before, 2);
  });

  test('the token of a service account is read again at once when the API server refuses it', async () => {
    const accountFolder = await mkdtemp(join(folder, 'account-'));
    await writeFile(join(accountFolder, 'ca.crt'), certificate);
    await writeFile(join(accountFolder, 'token'), 'old\n');
    const { hostname, port } = new URL(right.url);
    const service = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const environment = { HOME: accountFolder, KUBECONFIG: '', ...service };
    const client = await clientOf(environment, { accountFolder });
    await client.serverVersion();
    assert.deepEqual(right.received.last, { authorization: 'Bearer old' });
    await writeFile(join(accountFolder, 'token'), 'new\n');
    right.received.refused.add('Bearer old');
    await client.serverVersion();
    assert.deepEqual(right.received.last, { authorization: 'Bearer new' });
  });

  test('the namespace of a pod is known from its service account, and not from a kubeconfig', async () => {
    const accountFolder = await mkdtemp(join(folder, 'account-'));
    await writeFile(join(accountFolder, 'ca.crt'), certificate);
    for (const file of ['token', 'namespace']) await writeFile(join(accountFolder, file), `${file}-of-pod\n`);
    const { hostname, port } = new URL(right.url);
    const service = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const environment = { HOME: accountFolder, KUBECONFIG: '', ...service };
    const inPod = await readKubeConfig({ environment, accountFolder, clock });
    await write(one({ token: 'a' }));
    const outside = await readKubeConfig({
      environment: { ...environmentOf(['a']), ...service },
      accountFolder,
      clock: realClock(),
    });
    assert.deepEqual([inPod.podNamespace, outside.podNamespace], ['namespace-of-pod', undefined]);
  });

  test('a token file is read again when a second is over', async () => {
    await writeFile(join(folder, 'rotated'), 'old\n');
    await write(one({ tokenFile: 'rotated' }));
    let elapsedMs = 0;
    const client = await clientOf(environmentOf(['a']), { elapsedMs: () => elapsedMs });
    await client.serverVersion();
    await writeFile(join(folder, 'rotated'), 'new\n');
    await client.serverVersion();
    assert.deepEqual(right.received.last, { authorization: 'Bearer old' });
    elapsedMs = 1_001;
    await client.serverVersion();
    assert.deepEqual(right.received.last, { authorization: 'Bearer new' });
  });

  test('a watch that is refused runs the credential plugin again', async () => {
    await pluginGives({ token: 'old' });
    await write(one({ exec }));
    right.received.refused.add('Bearer old');
    const client = await clientOf(environmentOf(['a']));
    const before = right.received.times;
    const options = { resourceVersion: '1', timeoutSeconds: 1 };
    const watch = () => lastValueFrom(client.watch(SecretKind, options), { defaultValue: undefined });
    await assert.rejects(watch(), { code: 401 });
    await pluginGives({ token: 'new' });
    await watch().catch(() => undefined); // this server sends no watch events
    assert.deepEqual(right.received.last, { authorization: 'Bearer new' });
    assert.equal(right.received.times - before, 2);
  });

  test('a credential plugin that reads its input finds it empty', async () => {
    await pluginGives({ token: 'read' });
    await writeFile(join(folder, 'reader'), plugin.replace('\n', '\ncat > /dev/null\n'));
    await chmod(join(folder, 'reader'), 0o755);
    await write(one({ exec: { ...exec, command: './reader' } }));
    const { right: received } = await ask(environmentOf(['a']));
    assert.deepEqual(received, { authorization: 'Bearer read' });
  });

  test('an error never contains the output of a credential plugin', async () => {
    await writeFile(join(folder, 'failing'), '#!/bin/sh\necho out-s3cret\necho err-s3cret >&2\nexit 3\n');
    await chmod(join(folder, 'failing'), 0o755);
    const failing = { ...exec, command: join(folder, 'failing'), args: ['arg-s3cret'], env: null };
    const credentials = execCredentials({
      exec: failing,
      command: failing.command,
      cluster: undefined,
      environment: process.env,
      clock,
    });
    await assert.rejects(credentials.current(), (error: Error) => {
      assert.match(error.message, /failing failed: 3$/);
      assert.doesNotMatch(inspect(error, { depth: null }), /s3cret/);
      return true;
    });
    await write(one({ exec }));
    const message = /must print an ExecCredential of client\.authentication\.k8s\.io\/v1 with a token/;
    for (const text of ['{"token": "s3cret"}', 'no JSON s3cret', answer({})]) {
      await writeFile(join(folder, 'answer'), text);
      await assert.rejects(ask(environmentOf(['a'])), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    }
    await write(one({ exec: { ...exec, command: './missing', installHint: 'get it from IT' } }));
    const missing = /credential plugin .*missing is not there; get it from IT/;
    await assert.rejects(ask(environmentOf(['a'])), missing);
  });

  test('the generated API classes stay out of the process', async () => {
    await write(one({ token: 't' }));
    const script = `
      const loaded = [];
      const { registerHooks } = await import('node:module');
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { readKubeConfig } = await import('./runtime/client/kube-config.ts');
      await readKubeConfig({ path: ${JSON.stringify(join(folder, 'a'))}, environment: {}, clock: { now: () => new Date() } });
      console.log(loaded.filter((url) => url.includes('/client-node/dist/gen/')).length, loaded.length);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: join(import.meta.dirname, '..', '..', '..'),
    });
    const [generated, all] = stdout.trim().split(' ').map(Number);
    assert.ok((generated ?? 0) < 5, `${stdout} of many hundred`);
    assert.ok((all ?? 0) > 20, stdout);
  });
});
