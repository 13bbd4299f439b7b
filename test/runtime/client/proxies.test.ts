import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import map from 'lodash/map.js';
import { lastValueFrom } from 'rxjs';
import type { CreateAgent } from '../../../clients/http.ts';
import { httpClient, keepAliveConnections } from '../../../clients/http.ts';
import { vaultClient } from '../../../clients/vault.ts';
import { selfSignedCertificate } from '../../../local/postgresql-certificate.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import { proxiesIn, readKubeConfig } from '../../../runtime/client/kube-config.ts';
import { agentsBy } from '../../../runtime/client/proxies.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { awsClient } from '../../../stacks/aws/client/aws-client.ts';
import { exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import { startFavouriteCloud } from '../../../testing/favourite-cloud/server.ts';
import { VaultServer } from '../../../testing/vault/server.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import type { HttpProxyOptions } from '../../fakes/http-proxy.ts';
import { HttpProxy } from '../../fakes/http-proxy.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { until, WidgetKind, widget } from '../widgets.ts';

const proxy = 'http://proxy.example.com:3128';
const secret = 'hunter2';
const root = join(import.meta.dirname, '..', '..', '..');

describe('the proxy variables', () => {
  type Variables = Readonly<Record<string, string>>;
  /** The variables in which a URL is reached directly, and those in which it uses this proxy. */
  const direct: Readonly<Record<string, readonly [url: string, variables: Variables]>> = {
    'without a variable every URL is reached directly': ['https://a.test', {}],
    'an empty variable is not set': ['https://a.test', { HTTPS_PROXY: ' ' }],
    'NO_PROXY alone does nothing': ['https://a.test', { NO_PROXY: 'b.test' }],
    'HTTPS_PROXY is not for http': ['http://a.test', { HTTPS_PROXY: proxy }],
    'HTTP_PROXY is not for https': ['https://a.test', { HTTP_PROXY: proxy }],
    'localhost uses no proxy': ['http://localhost:80', { HTTP_PROXY: proxy }],
    'an address of 127.0.0.0/8 uses no proxy': ['http://127.8.0.1', { HTTP_PROXY: proxy }],
    '::1 uses no proxy': ['http://[::1]:8080', { HTTP_PROXY: proxy }],
    'a loopback address of IPv4 in IPv6 uses no proxy': ['http://[::ffff:127.0.0.1]', { HTTP_PROXY: proxy }],
  };
  for (const [name, [url, variables]] of Object.entries(direct)) {
    test(name, async () => assert.equal((await proxiesIn(variables))?.proxyFor(url), undefined));
  }

  const withUser = `http://user:${secret}@p.test`;
  /** Of https://a.test, unless another URL is named. */
  const proxied: Readonly<Record<string, readonly [variables: Variables, want?: string, url?: string]>> = {
    'HTTPS_PROXY is for https': [{ HTTPS_PROXY: proxy }],
    'HTTP_PROXY is for http': [{ HTTP_PROXY: proxy }, proxy, 'http://a.test'],
    'a variable may be in lower case': [{ https_proxy: proxy }],
    'upper case wins over lower case': [{ https_proxy: 'http://other.test', HTTPS_PROXY: proxy }],
    'an empty variable in upper case does not hide lower case': [{ https_proxy: proxy, HTTPS_PROXY: '' }],
    'a proxy without a scheme is an HTTP proxy': [{ HTTPS_PROXY: 'proxy.example.com:3128' }],
    'a proxy may use HTTPS': [{ HTTPS_PROXY: 'https://p.test' }, 'https://p.test'],
    'a proxy may use SOCKS': [{ HTTPS_PROXY: 'socks5://p.test' }, 'socks5://p.test'],
    'a proxy may have a user and a password': [{ HTTPS_PROXY: withUser }, withUser],
    'a name that begins with localhost uses the proxy': [
      { HTTP_PROXY: proxy },
      proxy,
      'http://localhost.test',
    ],
  };
  for (const [name, [variables, want = proxy, url = 'https://a.test']] of Object.entries(proxied)) {
    test(name, async () => assert.equal((await proxiesIn(variables))?.proxyFor(url), want));
  }

  /** The URLs that are reached directly, and those that are not. */
  const exemptions: Readonly<Record<string, readonly [direct: string[], proxied: string[]]>> = {
    'a.test': [
      ['https://a.test', 'https://A.Test:8443/x', 'https://a.test.', 'https://b.a.test'],
      ['https://ba.test'],
    ],
    'A.TEST': [['https://a.test'], []],
    '.a.test': [['https://b.a.test'], ['https://a.test']],
    '*.a.test': [['https://b.a.test'], ['https://a.test']],
    'a.test:8443': [['https://a.test:8443'], ['https://a.test']],
    'a.test:443': [['https://a.test'], []],
    '*': [['https://a.test'], []],
    'b.test, a.test': [['https://a.test'], []],
    'b.test,,a.test': [['https://a.test'], []],
    'b.test': [[], ['https://a.test']],
    '10.0.0.1': [['https://10.0.0.1'], ['https://10.0.0.10']],
    '10.0.0.1:6443': [['https://10.0.0.1:6443'], ['https://10.0.0.1']],
    '10.0.0.0/8': [['https://10.96.0.1'], ['https://11.0.0.1', 'https://10.test']],
    'fd00::1': [['https://[fd00::1]'], []],
    'fd00:0::1': [['https://[fd00::1]'], []],
    '[fd00::1]:6443': [['https://[fd00::1]:6443'], ['https://[fd00::1]']],
    'fd00::/8': [['https://[fd12::1]'], ['https://[fe80::1]']],
  };
  for (const [noProxy, [without, through]] of Object.entries(exemptions)) {
    for (const url of [...without, ...through]) {
      const isDirect = without.includes(url);
      test(`with NO_PROXY=${noProxy}, ${url} is reached ${isDirect ? 'directly' : 'through the proxy'}`, async () => {
        const proxies = await proxiesIn({ HTTPS_PROXY: proxy, no_proxy: noProxy });
        assert.equal(proxies?.proxyFor(url), isDirect ? undefined : proxy);
      });
    }
  }

  const notAProxy = 'it must be the URL of a proxy, such as http://proxy.example.com:3128';
  const notARange = 'a part with a slash must be a range of addresses, such as 10.0.0.0/8';
  const withBadPassword = `http://user:${secret}%zz@p.test`;
  /** The last variable is malformed. */
  const malformed: Readonly<Record<string, readonly [variables: Variables, message: string]>> = {
    'another scheme': [{ HTTPS_PROXY: `ftp://user:${secret}@p.test` }, notAProxy],
    'no host': [{ https_proxy: 'http://' }, notAProxy],
    'no host, with SOCKS': [{ https_proxy: 'socks5://' }, notAProxy],
    'a space': [{ HTTP_PROXY: `http://user:${secret}@p test` }, notAProxy],
    'a port that is none': [{ http_proxy: `http://user:${secret}@p:port` }, notAProxy],
    'a scheme without its colon': [{ HTTPS_PROXY: 'http//p.test' }, notAProxy],
    'a password with a bad escape': [{ HTTPS_PROXY: withBadPassword }, notAProxy],
    'a range with too many bits': [{ HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/33' }, notARange],
    'a range without bits': [{ HTTPS_PROXY: proxy, NO_PROXY: 'a.test,10.0.0.0/' }, notARange],
    'a URL instead of a host': [{ HTTPS_PROXY: proxy, no_proxy: `http://user:${secret}@a.test` }, notARange],
  };
  for (const [what, [variables, message]] of Object.entries(malformed)) {
    const place = Object.keys(variables).at(-1);
    test(`${what} in ${place} is refused by the name of the variable, without its value`, async () => {
      await assert.rejects(proxiesIn(variables), { name: 'KubeConfigError', place, message });
    });
  }
});

const clock = realClock();
const random = () => 0;
const { signal } = new AbortController();
const own = selfSignedCertificate();
const visitor = selfSignedCertificate();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** TLS on loopback before a server without it. Records the certificates of its clients. */
async function tlsBefore(url: string) {
  const certificates: (string | undefined)[] = [];
  const open = new Set<TLSSocket>();
  const tls = { cert: own.certificate, key: own.privateKey, ca: visitor.certificate };
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (socket) => {
    open.add(socket);
    certificates.push(socket.getPeerX509Certificate()?.toString());
    const target = connect(Number(new URL(url).port), '127.0.0.1');
    target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('error', () => target.destroy()).on('close', () => target.destroy());
    socket.pipe(target).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { port, certificates, stop };
}

describe('through a proxy', () => {
  const api = new FakeApiServer(WidgetKind);
  const vault = new VaultServer({ token: 'vault-token' });
  let cloud: Awaited<ReturnType<typeof startFavouriteCloud>>;
  let aws: Awaited<ReturnType<typeof startAws>>;
  let tls: Record<'api' | 'cloud' | 'aws' | 'vault', Awaited<ReturnType<typeof tlsBefore>>>;
  let folder: string;
  const authorities = getCACertificates('default');

  before(async () => {
    setDefaultCACertificates([...authorities, own.certificate]);
    folder = await mkdtemp(join(tmpdir(), 'services-stack-proxies-'));
    [cloud, aws] = await Promise.all([startFavouriteCloud(), startAws(), api.start(), vault.start()]);
    tls = {
      api: await tlsBefore(api.url),
      cloud: await tlsBefore(cloud.url),
      aws: await tlsBefore(aws.url),
      vault: await tlsBefore(vault.url),
    };
  });
  after(async () => {
    for (const each of Object.values(tls)) each.stop();
    await Promise.all([cloud.stop(), aws.stop(), api.stop(), vault.stop()]);
    await rm(folder, { recursive: true });
    setDefaultCACertificates(authorities);
  });

  const opened = (options: HttpProxyOptions = {}) =>
    HttpProxy.start({
      ports: { 'api.test': tls.api.port, 'plain.test': Number(new URL(api.url).port) },
      ...options,
    });

  /** A client of the API server with a certificate, under a name that only the proxy knows. */
  async function apiClient(environment: Record<string, string>, cluster: object = {}) {
    const server = { server: 'https://api.test:6443', 'tls-server-name': 'localhost' };
    const authority = { 'certificate-authority-data': base64(own.certificate) };
    const user = {
      'client-certificate-data': base64(visitor.certificate),
      'client-key-data': base64(visitor.privateKey),
    };
    const content = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'x',
      clusters: [{ name: 'c', cluster: { ...server, ...authority, ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    };
    const path = join(folder, 'kubeconfig');
    await writeFile(path, JSON.stringify(content));
    const kubeConfig = await readKubeConfig({ path, environment, clock });
    return kubernetesClient({ kubeConfig, log: recordedLog(), clock, timeoutMs: 1_000, maxRetries: 0 });
  }

  test('requests and watches reach the API server, with the client certificate', async () => {
    await using proxy = await opened({ credentials: `user:${secret}` });
    const client = await apiClient({ HTTPS_PROXY: proxy.url() });
    tls.api.certificates.length = 0;
    const { resourceVersion } = await client.list(WidgetKind, { limit: 1 });
    const observed: string[] = [];
    const watching = client
      .watch(WidgetKind, { resourceVersion, timeoutSeconds: 60 })
      .subscribe((event) => observed.push(event.type));
    await client.create(WidgetKind, widget('a'));
    await until('the watch delivers', () => observed.includes('ADDED'));
    watching.unsubscribe();
    await client.close();
    assert.deepEqual([...new Set(proxy.requests)], ['CONNECT api.test:6443']);
    assert.deepEqual(new Set(tls.api.certificates), new Set([visitor.certificate]));
    assert.equal(tls.api.certificates.length, proxy.requests.length);
  });

  test('requests to an API server without TLS are forwarded', async () => {
    await using proxy = await opened();
    const plain = { server: 'http://plain.test:8080', 'certificate-authority-data': undefined };
    const client = await apiClient({ HTTP_PROXY: proxy.url() }, plain);
    await client.serverVersion();
    await client.close();
    assert.deepEqual(proxy.requests, ['GET http://plain.test:8080/version']);
  });

  test('the proxy-url of a kubeconfig wins over the variables', async () => {
    await using proxy = await opened();
    const environment = { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' };
    const client = await apiClient(environment, { 'proxy-url': proxy.url() });
    await client.serverVersion();
    await client.close();
    assert.deepEqual(proxy.requests, ['CONNECT api.test:6443']);
  });

  for (const scheme of ['socks5', 'socks5h']) {
    test(`a proxy of the scheme ${scheme} looks up the name of the API server`, async () => {
      const observed: string[] = [];
      const sockets: Socket[] = [];
      const server = createTcpServer((socket) => {
        sockets.push(socket);
        socket.once('data', () => {
          socket.write(Buffer.from([5, 0]));
          // Version, command, 0, the type "name", its length, the name, the port.
          socket.once('data', (request) => {
            observed.push(request.subarray(5, 5 + (request[4] ?? 0)).toString());
            const target = connect(tls.api.port, '127.0.0.1');
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            socket.pipe(target).pipe(socket);
          });
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const client = await apiClient({ HTTPS_PROXY: `${scheme}://127.0.0.1:${port}` });
      await client.serverVersion();
      await client.close();
      server.close();
      for (const socket of sockets) socket.destroy();
      assert.deepEqual(observed, ['api.test']);
    });
  }

  test('an API server that NO_PROXY names is reached directly', async () => {
    await using proxy = await opened();
    // This address reaches loopback, and the rules do not exempt it.
    const server = `https://0.0.0.0:${tls.api.port}`;
    for (const [noProxy, want] of [
      ['0.0.0.0/32', []],
      ['', [`CONNECT 0.0.0.0:${tls.api.port}`]],
    ] as const) {
      const client = await apiClient({ HTTPS_PROXY: proxy.url(), NO_PROXY: noProxy }, { server });
      await client.serverVersion();
      await client.close();
      assert.deepEqual(proxy.requests, want);
    }
  });

  /** One call of each client. `createAgent` decides about the proxy, because the rules exempt loopback. */
  type Call = (url: string, createAgent: CreateAgent) => Promise<unknown>;
  const patience = { clock, random, maxAttempts: 1, timeoutMs: 1_500 };
  const calls: Readonly<Record<'cloud' | 'aws' | 'vault', Call>> = {
    cloud: (url, createAgent) =>
      httpClient({
        cloud: 'Favourite Cloud',
        url,
        token: cloud.token,
        ...patience,
        dispatcher: keepAliveConnections(createAgent),
      }).request({ what: 'list instances', method: 'GET', path: '/v1/instances' }),
    aws: (url, createAgent) =>
      awsClient({
        accessKey: exampleAccount,
        ...patience,
        dispatcher: keepAliveConnections(createAgent),
        parameters: { region: 'eu-west-1', endpoint: { url: { type: 'Static', static: url } } },
      }).account(undefined, signal),
    async vault(url, createAgent) {
      const login = { server: url, token: 'vault-token', caBundle: own.certificate };
      const client = vaultClient('secret', { ...login, clock, timeoutMs: 1_500, createAgent });
      await client.read('none', signal).finally(() => client.close());
    },
  };
  for (const [name, call] of Object.entries(calls) as [keyof typeof calls, Call][]) {
    const secureUrl = () => `https://localhost:${tls[name].port}`;
    const plainUrl = () => ({ cloud, aws, vault })[name].url;

    test(`a call of ${name} over TLS uses a tunnel`, async () => {
      await using proxy = await opened({ credentials: `user:${secret}` });
      const byProxy = agentsBy(() => proxy.url());
      await call(secureUrl(), byProxy);
      const tunnel = `CONNECT localhost:${tls[name].port}`;
      assert.ok(
        proxy.requests.length > 0 && proxy.requests.every((each) => each === tunnel),
        proxy.requests.join(),
      );
    });

    test(`a call of ${name} without TLS is forwarded`, async () => {
      await using proxy = await opened();
      const byProxy = agentsBy(() => proxy.url());
      await call(plainUrl(), byProxy);
      const isOurs = (each: string): boolean => each.split(' ')[1]?.startsWith(plainUrl()) === true;
      assert.ok(proxy.requests.length > 0 && proxy.requests.every(isOurs), proxy.requests.join());
    });

    test(`a call of ${name} to loopback uses no proxy of the environment`, async () => {
      await using proxy = await opened();
      const proxies = await proxiesIn({ HTTP_PROXY: proxy.url(), HTTPS_PROXY: proxy.url() });
      await call(secureUrl(), proxies!.createAgent);
      await call(plainUrl(), proxies!.createAgent);
      assert.deepEqual(proxy.requests, []);
    });
  }

  /** How a proxy fails, and how the errors show it. */
  const refusal = 'the proxy refused the connection';
  type Failure = readonly [url: (proxy: HttpProxy) => string, words: string, status: string, code: string];
  const failures: Readonly<Record<string, Failure>> = {
    'refuses the password': [(proxy) => proxy.url(`user:other-${secret}`), refusal, ' (407)', 'ProxyRefused'],
    'refuses the host': [(proxy) => proxy.url(), refusal, ' (403)', 'ProxyRefused'],
    'does not run': [
      () => `http://user:${secret}@127.0.0.1:1`,
      'the proxy does not answer',
      '',
      'ProxyUnreachable',
    ],
  };
  for (const [name, [urlOf, words, status, code]] of Object.entries(failures)) {
    test(`the errors show that the proxy ${name}, without the password`, async () => {
      await using proxy = await opened({ credentials: `user:${secret}`, tunnels: 'refuse' });
      const url = urlOf(proxy);
      const client = await apiClient({ HTTPS_PROXY: url });
      const through = agentsBy(() => url);
      const host = 'https://localhost:6443';
      const requests = [client.serverVersion(), ...Object.values(calls).map((call) => call(host, through))];
      const failed = map(await Promise.allSettled(requests), 'reason');
      await client.close();
      assert.deepEqual(map(failed, 'message'), [
        `cannot reach the API server: ${words}${status}`,
        `cannot list instances: Favourite Cloud (${host}) is unreachable: ${words}`,
        `cannot find out the account of the credentials: AWS STS (eu-west-1, ${host}) is unreachable: ${words}`,
        `Vault ${host} cannot be reached: ${code}`,
      ]);
      assert.deepEqual(map(failed, 'code'), [0, 'Unreachable', 'Unreachable', 'Unreachable']);
      assert.ok(!inspect(failed, { depth: null }).includes(secret));
    });
  }

  test('a watch ends if the proxy never answers', async () => {
    await using proxy = await opened({ tunnels: 'ignore' });
    const client = await apiClient({ HTTPS_PROXY: proxy.url() });
    const watching = lastValueFrom(client.watch(WidgetKind, { resourceVersion: '1', timeoutSeconds: 60 }));
    await assert.rejects(watching, { message: 'cannot reach the API server: the proxy does not answer' });
    await client.close();
  });

  /** Runs a program of the repository until it ends, or its output has these words. */
  async function outputOf(program: readonly string[], variables: Record<string, string>, words: string) {
    const env = { PATH: process.env.PATH, ...variables };
    const child = spawn(process.execPath, program, { cwd: root, env, timeout: 30_000 });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes(words)) child.kill();
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, text };
  }

  for (const program of [['main.ts'], ['app/trace.ts', 'postgresqlinstance', 'a']]) {
    test(`${program[0]} exits with code 2 if a proxy variable is malformed, and shows its name`, async () => {
      const variables = { HTTPS_PROXY: `ftp://user:${secret}@proxy.example.com` };
      const { code, text } = await outputOf(program, variables, '\n\n');
      const usage = 'HTTPS_PROXY: it must be the URL of a proxy, such as http://proxy.example.com:3128\n';
      assert.deepEqual([code, text], [2, usage]);
    });
  }

  test('the log shows the error of a proxy, without the password', async () => {
    await using proxy = await opened({ credentials: `user:${secret}`, tunnels: 'refuse' });
    await (await apiClient({})).close();
    const { text } = await outputOf(
      ['main.ts', '--kubeconfig', join(folder, 'kubeconfig'), '--log-level', 'debug'],
      { HTTPS_PROXY: proxy.url() },
      'the proxy refused the connection',
    );
    assert.match(text, /the proxy refused the connection \(403\)/);
    assert.ok(!text.includes(secret));
  });
});
