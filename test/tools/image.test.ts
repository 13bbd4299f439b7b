import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import escapeRegExp from 'lodash/escapeRegExp.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { freePort } from '../../local/free-port.ts';
import { architectureNames, architectures, ownArchitecture } from '../../local/image/architecture.ts';
import { buildPrograms } from '../../local/image/build-programs.ts';
import { systemParts } from '../../local/image/system-parts.ts';
import { credentialsFile, exampleAccount } from '../../stacks/aws/emulator/account.ts';
import type { LocalAws } from '../../stacks/aws/emulator/server.ts';
import { startAws } from '../../stacks/aws/emulator/server.ts';
import * as aws from '../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import type { LocalGoogleCloud } from '../../stacks/gcp/emulator/server.ts';
import { startGoogleCloud } from '../../stacks/gcp/emulator/server.ts';
import * as gcp from '../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import type { FavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import type { Image } from '../../tools/image/build-image.ts';
import { buildImage } from '../../tools/image/build-image.ts';
import type { Sbom } from '../../tools/sbom.ts';
import { adminClient, applyTo, eventually, kubeConfigOf } from '../cluster/stack-harness.ts';
import type { Deployment } from '../docs/manifests.ts';
import { objectOf, objectsOf } from '../docs/manifests.ts';
import type { Started } from '../docs/project-copy.ts';
import { projectRoot } from '../docs/project-copy.ts';
import { objectOf as manifestOf } from '../fakes/object-of.ts';
import type { Containerd } from './containerd.ts';
import { cannotStartContainerd, startContainerd } from './containerd.ts';
import type { OpenedImage } from './opened-image.ts';
import { cannotStartImages, openImage } from './opened-image.ts';
import { problemsOfSbom } from './sbom-problems.ts';

const programs = await buildPrograms();
const parts = ownArchitecture === undefined ? undefined : await systemParts(ownArchitecture);
const whyNot = !programs.isThere
  ? programs.reason
  : parts === undefined
    ? `there is no image for ${process.arch}`
    : !parts.isThere && parts.reason;

const otherArchitecture = architectureNames.find((name) => name !== ownArchitecture)!;

/** Parts for the other processor, without programs: an archive for both does not depend on them. */
async function emptyParts(folder: string): Promise<string> {
  await cp(parts?.isThere ? parts.directory : '', folder, {
    recursive: true,
    filter: (path) => !/\/(node|lib)$/.test(path),
  });
  await writeFile(join(folder, 'node'), 'for the other processor');
  await mkdir(join(folder, 'lib'));
  await writeFile(join(folder, 'lib', basename(architectures[otherArchitecture].loader)), 'loader');
  return folder;
}

describe('the image', { skip: whyNot }, () => {
  let folder: string;
  let image: Image;
  let again: Image;
  let opened: OpenedImage;

  before(async () => {
    assert.ok(programs.isThere && parts?.isThere === true && ownArchitecture !== undefined);
    folder = await mkdtemp(join(tmpdir(), 'image-test-'));
    const options = {
      parts: new Map([
        [ownArchitecture, parts.directory],
        [otherArchitecture, await emptyParts(join(folder, 'empty'))],
      ]),
      name: 'services-stack:test',
      version: '1.2.3',
      revision: 'abc',
      source: 'https://example.org/services-stack',
      createdAtSeconds: 1_700_000_000,
    };
    const usual = process.umask(0o077); // that of a builder whose files other users cannot read
    image = await buildImage({ ...options, into: join(folder, 'out') }).finally(() => process.umask(usual));
    again = await buildImage({ ...options, into: join(folder, 'again') });
    opened = await openImage(image.archive, ownArchitecture, join(folder, 'opened'));
  });

  after(() => folder !== undefined && rm(folder, { recursive: true }));

  test('is at most 130 MB, and its archive at most 55 MB', () => {
    const bytes = image.bytes.get(ownArchitecture!) ?? 0;
    assert.ok(bytes > 50e6 && bytes <= 130e6, `${bytes} bytes`);
    assert.ok(image.archiveBytes > 20e6 && image.archiveBytes <= 55e6, `${image.archiveBytes} bytes`);
  });

  test('a second build has the same bytes, except the layer with what Node compiled', async () => {
    const both = await Promise.all(
      [image, again].map(async ({ archive, sboms, notices }, at) => {
        const own = await openImage(archive, ownArchitecture!, join(folder, `own-${at}`));
        const other = await openImage(archive, otherArchitecture, join(folder, `other-${at}`));
        const files = await Promise.all([...sboms.values(), notices].map((file) => readFile(file, 'utf8')));
        return { files, other: other.layers, own: own.layers.slice(0, -1), last: own.layers.at(-1) };
      }),
    );
    const [{ last: first, ...rest } = assert.fail(), { last, ...restAgain } = assert.fail()] = both;
    assert.deepEqual(restAgain, rest);
    assert.deepEqual([rest.own.length, rest.other.length], [1, 1]);
    // If this fails, V8 writes no random number any more: then the pages should promise more.
    assert.notEqual(first, last);
    const compiled = await readdir(join(folder, 'own-0', 'root', 'app', 'compile-cache'));
    assert.equal(compiled.length, 1);
  });

  describe('containerd', { skip: cannotStartContainerd }, () => {
    let engine: Containerd;
    before(async () => {
      engine = await startContainerd(join(folder, 'c'));
    });
    after(() => engine?.stop());

    test('has the image under the name in a pod after the command of docs/install.md, for its own processor', async () => {
      const page = await readFile(join(projectRoot, 'docs', 'install.md'), 'utf8');
      const [, command = assert.fail('no command')] =
        /`ctr --namespace k8s\.io (images import) services-stack-[^`]*\.tar`/.exec(page) ?? [];
      const name = 'docker.io/library/services-stack:test';
      assert.equal(await engine.imageOf('services-stack:test'), undefined);
      // The snapshotter is that of the test.
      await engine.ctr(...command.split(' '), '--snapshotter=native', image.archive);
      const loaded = await engine.imageOf('services-stack:test');
      assert.deepEqual(loaded?.tags, [name]);
      assert.deepEqual(await engine.imageOf(name), loaded);
      const listed = (await engine.ctr('images', 'ls', `name==${name}`)).split('\n')[1] ?? '';
      assert.match(listed, /image\.index\.v1\+json .* linux\/amd64,linux\/arm64 /);
    });
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
      { architecture, os, names: opened.names, start, labels: Labels },
      {
        architecture: ownArchitecture,
        os: 'linux',
        names: {
          'io.containerd.image.name': 'docker.io/library/services-stack:test',
          'org.opencontainers.image.ref.name': 'services-stack:test',
        },
        start: { User: '1000:1000', Entrypoint: ['/usr/local/bin/node', 'main.js'], WorkingDir: '/app' },
        labels: {
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

  describe('the list of packages in the image', () => {
    let text: string;
    let list: Sbom;
    before(async () => {
      text = await readFile(image.sboms.get(ownArchitecture!) ?? '', 'utf8');
      list = JSON.parse(text) as Sbom;
    });

    test('is also in the image', async () => {
      assert.equal(await readFile(join(opened.root, 'app/sbom.cdx.json'), 'utf8'), text);
    });

    test('has the packages of npm that it loads, Node, and those of Debian', () => {
      const names = new Set(list.components.map(({ name }) => name));
      const known = ['rxjs', 'winston', 'node', 'libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates'];
      assert.deepEqual(
        [...known, 'esbuild', 'typescript'].map((name) => [name, names.has(name)]),
        [...known.map((name) => [name, true]), ['esbuild', false], ['typescript', false]],
      );
    });

    test('names Node so that lists of vulnerabilities have it', () => {
      const node = list.components.find(({ name }) => name === 'node');
      const version = process.versions.node;
      assert.deepEqual(
        [node?.purl, node?.cpe],
        [`pkg:generic/node@${version}`, `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`],
      );
    });

    test('follows the schema of CycloneDX, and refers to its own components only', async () => {
      assert.deepEqual(await problemsOfSbom(text), []);
    });
  });

  test('has the version of Debian and the packages as dpkg lists them, for scanners', async () => {
    const read = (path: string) => readFile(join(opened.root, path), 'utf8');
    assert.match(await read('etc/os-release'), /^ID=debian$/m);
    assert.match(await read('etc/debian_version'), /^12\.\d+\n$/);
    const list = JSON.parse(await read('app/sbom.cdx.json')) as Sbom;
    const debianPackages = list.components.filter(({ purl }) => purl.startsWith('pkg:deb/'));
    assert.ok(debianPackages.length > 4);
    for (const { name, version } of debianPackages) {
      const status = await read(`var/lib/dpkg/status.d/${name}`);
      assert.match(status, new RegExp(`^Package: ${escapeRegExp(name)}\nStatus: install ok installed\n`));
      assert.match(status, new RegExp(`^Version: ${escapeRegExp(version)}$`, 'm'));
    }
  });

  test('has the text of the license of each package in its list, and of this product', async () => {
    const notices = await readFile(join(opened.root, 'app/NOTICES.txt'), 'utf8');
    assert.equal(await readFile(image.notices, 'utf8'), notices);
    const blocks = notices.split(/^={100}\n/m);
    /** The names above each text. */
    const named = new Set(blocks.flatMap((block, at) => (at % 2 === 1 ? block.trim().split('\n') : [])));
    const list = JSON.parse(await readFile(join(opened.root, 'app/sbom.cdx.json'), 'utf8')) as Sbom;
    const all = [list.metadata.component, ...list.components].map(({ purl, name, version }) => {
      // npm gives the name without its scope for some components.
      const full = /^pkg:npm\/(.*)@/.exec(purl)?.[1];
      return `${full === undefined ? name : decodeURIComponent(full)} ${version}`;
    });
    const without = all.filter((each) => !named.has(each));
    assert.deepEqual(without, []);
    assert.ok(blocks.every((block) => block.trim().length > 5 || block === ''));
    for (const text of [
      'Apache License',
      'GCC RUNTIME LIBRARY EXCEPTION',
      'GNU LESSER GENERAL PUBLIC LICENSE',
    ])
      assert.ok(notices.toUpperCase().includes(text.toUpperCase()), text);
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
      await eventually('the container is ready', isReady);
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

    test('the image loads the libraries of AWS and of Google Cloud when a resource needs them', async () => {
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
