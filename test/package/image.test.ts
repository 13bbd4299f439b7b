import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import * as aws from '../../apis/aws/v1beta1/provider-config.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceClassKind } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../apis/fcp/v1alpha3/provider.ts';
import * as gcp from '../../apis/gcp/v1beta1/provider-config.ts';
import { credentialsFile, exampleAccount } from '../../emulators/aws/account.ts';
import type { LocalAws } from '../../emulators/aws/server.ts';
import { startAws } from '../../emulators/aws/server.ts';
import type { FavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import type { LocalGoogleCloud } from '../../emulators/gcp/server.ts';
import { startGoogleCloud } from '../../emulators/gcp/server.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { freePort } from '../../local/free-port.ts';
import { ownArchitecture } from '../../local/image/architecture.ts';
import { buildPrograms } from '../../local/image/build-programs.ts';
import { systemParts } from '../../local/image/system-parts.ts';
import type { Image } from '../../package/image/build-image.ts';
import { buildImage } from '../../package/image/build-image.ts';
import { adminClient, applyTo, eventually, kubeConfigOf } from '../cluster/stack-harness.ts';
import type { Deployment } from '../docs/manifests.ts';
import { objectOf, objectsOf } from '../docs/manifests.ts';
import type { Started } from '../docs/project-copy.ts';
import { projectRoot } from '../docs/project-copy.ts';
import { objectOf as manifestOf } from '../fakes/object-of.ts';
import type { OpenedImage } from './opened-image.ts';
import { cannotStartImages, openImage } from './opened-image.ts';

const programs = await buildPrograms();
const parts = ownArchitecture === undefined ? undefined : await systemParts(ownArchitecture);
const whyNot = !programs.isThere
  ? programs.reason
  : parts === undefined
    ? `there is no image for ${process.arch}`
    : !parts.isThere && parts.reason;

describe('the image', { skip: whyNot }, () => {
  let folder: string;
  let image: Image;
  let opened: OpenedImage;

  before(async () => {
    assert.ok(programs.isThere && parts?.isThere === true && ownArchitecture !== undefined);
    folder = await mkdtemp(join(tmpdir(), 'services-stack-image-test-'));
    const usual = process.umask(0o077); // that of a builder whose files other users cannot read
    image = await buildImage({
      architecture: ownArchitecture,
      name: 'services-stack:test',
      version: '1.2.3',
      revision: 'abc',
      source: 'https://example.org/services-stack',
      createdAtSeconds: 1_700_000_000,
      programs: programs.directory,
      parts: parts.directory,
      into: join(folder, 'out'),
    }).finally(() => process.umask(usual));
    opened = await openImage(image.archive, join(folder, 'opened'));
  });

  after(() => folder !== undefined && rm(folder, { recursive: true }));

  test('is at most 130 MB, and its archive at most 55 MB', () => {
    assert.ok(image.bytes > 50e6 && image.bytes <= 130e6, `${image.bytes} bytes`);
    assert.ok(image.archiveBytes > 20e6 && image.archiveBytes <= 55e6, `${image.archiveBytes} bytes`);
  });

  test('every user can read its files, also if others cannot read those of its builder', async () => {
    const unreadable = '( -type d ! -perm -055 -o -type f ! -perm -044 ) ! -path */proc ! -path */dev'.split(
      ' ',
    );
    const { stdout } = await promisify(execFile)('find', [opened.root, '-mindepth', '1', ...unreadable]);
    assert.equal(stdout, '');
  });

  test('says who runs what, and what it is', () => {
    const { architecture, os, config } = opened.configuration;
    const { Env, Labels, ...start } = config;
    assert.deepEqual(
      { architecture, os, name: opened.name, start, labels: Labels },
      {
        architecture: ownArchitecture,
        os: 'linux',
        name: 'services-stack:test',
        start: { User: '1000:1000', Entrypoint: ['/usr/local/bin/node', 'main.js'], WorkingDir: '/app' },
        labels: {
          ...Object.fromEntries(Object.entries(Labels).filter(([name]) => name.startsWith('io.buildah.'))),
          'org.opencontainers.image.title': 'services-stack',
          'org.opencontainers.image.version': '1.2.3',
          'org.opencontainers.image.revision': 'abc',
          'org.opencontainers.image.licenses': 'Apache-2.0',
          'org.opencontainers.image.source': 'https://example.org/services-stack',
        },
      },
    );
    assert.ok(Env.includes('MALLOC_ARENA_MAX=1') && Env.includes('NODE_ENV=production'), Env.join());
  });

  test('the Dockerfile has the same environment and user', async () => {
    const dockerfile = await readFile(join(projectRoot, 'deploy', 'Dockerfile'), 'utf8');
    const { User, Env } = opened.configuration.config;
    const lines = [...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
    assert.ok(lines.length > 2);
    const missing = lines.filter((line) => !Env.includes(line));
    assert.deepEqual(missing, []);
    assert.match(dockerfile, new RegExp(`^USER ${User}$`, 'm'));
  });

  test('its list of packages has those of npm that it loads, Node, and those of Debian', async () => {
    const listed = await readFile(image.sbom, 'utf8');
    assert.equal(listed, await readFile(join(opened.root, 'app/sbom.cdx.json'), 'utf8'));
    const { components } = JSON.parse(listed) as {
      readonly components: readonly { readonly name: string }[];
    };
    const names = new Set(components.map(({ name }) => name));
    const known = ['rxjs', 'winston', 'node', 'libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates'];
    assert.deepEqual(
      [...known, 'esbuild', 'typescript'].map((name) => [name, names.has(name)]),
      [...known.map((name) => [name, true]), ['esbuild', false], ['typescript', false]],
    );
  });

  test('Node has compiled the bundle for the user of the image', async () => {
    const { stdout } = await promisify(execFile)('ls', [join(opened.root, 'app', 'compile-cache')]);
    assert.match(stdout, /^v[\d.]+-\w+-\w+-1000\n$/);
  });

  describe('as its Deployment starts it', { skip: cannotStartImages }, () => {
    const namespace = 'crossplane-system';
    let controlPlane: ControlPlane;
    let client: ReturnType<typeof adminClient>;
    let cloud: FavouriteCloud;
    let cloudOfAws: LocalAws;
    let google: LocalGoogleCloud;
    let running: Started;

    before(async () => {
      controlPlane = await startControlPlane();
      client = adminClient(controlPlane);
      cloud = await startFavouriteCloud();
      cloudOfAws = await startAws();
      google = await startGoogleCloud();
      const files = ['install.yaml', 'optional/demo-stacks.yaml'];
      const manifests = files.flatMap((file) => ['-f', join(projectRoot, 'deploy', file)]);
      await controlPlane.kubectl(['apply', ...manifests]);
      const [container] = objectOf<Deployment>(objectsOf('deploy'), 'Deployment', 'services-stack').spec
        .template.spec.containers;
      const probes = await freePort();
      // On ports of loopback; and a kubelet would mount the token and the certificate.
      const args = container.args.map((arg) =>
        arg.replace(/=:8081$/, `=127.0.0.1:${probes}`).replace(/=:8080$/, '=0'),
      );
      running = opened.start([...args, '--stacks=fcp,aws,gcp', '--poll-interval=2s'], await inCluster());
      const isReady = async () => {
        assert.ok(!running.hasEnded(), running.output());
        return (await fetch(`http://127.0.0.1:${probes}/readyz`)).ok;
      };
      await eventually('the container is ready', isReady, 120_000);
    });

    after(async () => {
      await running?.end('SIGKILL');
      await client?.close();
      await controlPlane?.stop();
      await cloud?.stop();
      await cloudOfAws?.stop();
      await google?.stop();
    });

    const namespaceAndSecret = (name: string, credentials: string) => [
      manifestOf(NamespaceKind, { name }),
      manifestOf(SecretKind, { namespace: name, name: 'cloud' }, { stringData: { credentials } }),
    ];
    /** A ProviderConfig with the credentials in the Secret of a namespace. */
    const configOf = (kind: Kind, namespace: string, more: object = {}) => {
      const secretRef = { namespace, name: 'cloud', key: 'credentials' };
      const spec = { credentials: { source: 'Secret', secretRef }, ...more };
      return manifestOf(kind, { name: 'default' }, { spec });
    };

    /** Mounts the token of the service account, and answers where the API server is. */
    async function inCluster(): Promise<Readonly<Record<string, string>>> {
      const identity = { namespace, name: 'services-stack' };
      const kubeConfig = kubeConfigOf(await kubeconfigOfAccount(controlPlane, identity));
      const account = join(opened.root, 'var/run/secrets/kubernetes.io/serviceaccount');
      await mkdir(account, { recursive: true });
      await writeFile(join(account, 'token'), kubeConfig.getCurrentUser()?.token ?? '');
      await writeFile(join(account, 'namespace'), namespace);
      const { server = '', caData = '' } = kubeConfig.getCurrentCluster() ?? {};
      await writeFile(join(account, 'ca.crt'), Buffer.from(caData, 'base64'));
      const { hostname, port } = new URL(server);
      return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    }

    test('it loads the libraries of AWS and of Google Cloud when a resource needs them', async () => {
      await applyTo(
        controlPlane,
        ...namespaceAndSecret('aws', credentialsFile(exampleAccount)),
        ...namespaceAndSecret('google', JSON.stringify(google.createKey())),
        configOf(aws.ProviderConfigKind, 'aws', {
          endpoint: { url: { type: 'Static', static: cloudOfAws.url } },
        }),
        configOf(gcp.ProviderConfigKind, 'google', { projectID: 'example-project', endpoint: google.url }),
      );
      const files = ['guides/queue.yaml', 'guides/vpc.yaml', 'gcp/20-topic.yaml'];
      const args = files.flatMap((file) => ['-f', join(projectRoot, 'examples', file)]);
      await controlPlane.kubectl(['apply', ...args]);
      await controlPlane.kubectl(['wait', ...args, '--for=condition=Ready', '--timeout=60s']);
    });

    test('a claim is Bound, and the process ends when it is asked to', async () => {
      const { url, token } = cloud;
      const forProvider = { fancinessLevel: 3 };
      const specTemplate = { writeConnectionSecretsToNamespace: 'team', forProvider };
      const spec = { classRef: { name: 'small' }, writeConnectionSecretToRef: { name: 'orders' } };
      const key = { namespace: 'team', name: 'orders' };
      await applyTo(
        controlPlane,
        ...namespaceAndSecret('team', JSON.stringify({ url, token })),
        configOf(fcp.ProviderConfigKind, 'team'),
        manifestOf(FavouriteDBInstanceClassKind, { name: 'small' }, { specTemplate }),
        manifestOf(FancySQLInstanceKind, key, { spec }),
      );
      await eventually('the claim is Bound', async () => {
        const claim: Claim = await client.get(FancySQLInstanceKind, key);
        return claim.status?.bindingPhase === 'Bound';
      });
      assert.equal(await running.end(), 0);
    });
  });
});
