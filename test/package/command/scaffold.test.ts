import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as claims from '../../../package/claims.ts';
import type { GivenNames } from '../../../package/command/scaffold/names.ts';
import { namesOf } from '../../../package/command/scaffold/names.ts';
import { newService } from '../../../package/command/scaffold/new-service.ts';
import { ownLayout } from '../../../package/command/scaffold/own-layout.ts';
import { completed } from '../../../package/command/scaffold/own-manifest.ts';
import { projectLayout } from '../../../package/command/scaffold/project-layout.ts';
import { registered } from '../../../package/command/scaffold/registration.ts';
import { respelling } from '../../../package/command/scaffold/spellings.ts';
import { UsageError } from '../../../package/command/usage-error.ts';
import type { ProjectCopy } from '../../docs/project-copy.ts';
import { copyProject, folderAt, processSources } from '../../docs/project-copy.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import type { OwnRepository } from '../own-repository.ts';
import { ownRepository, succeeds } from '../own-repository.ts';

describe("a scaffold in an author's own repository", () => {
  let own: OwnRepository;
  before(async () => {
    own = await ownRepository();
  });
  after(() => own?.remove());
  const npm = (...args: readonly string[]) => succeeds(own, 'npm', [...args, '--loglevel=error']);

  const filesIn = (pattern: string): readonly string[] =>
    globSync(pattern, { cwd: own.directory })
      .map((file) => basename(file))
      .toSorted();

  /** Runs the checks and tests that a new service must pass. */
  async function isGreen(...kinds: readonly string[]): Promise<void> {
    await npm('run', 'generate');
    await npm('run', 'check');
    const output = await npm('test');
    assert.match(output, /^ℹ fail 0$/m);
    for (const kind of kinds) {
      assert.match(output, new RegExp(`✔ the external client of ${kind}`));
      assert.match(output, new RegExp(`✔ the definition \\S+${kind.replace(/^\w+/, '')} can be generated`));
    }
  }

  test('the first: the repository gets what it lacks, and is green', async () => {
    const { code, output } = await own.cli('new-service', 'CacheCluster', '--group', 'cache.example.org');
    assert.equal(code, 0, output);
    const [report = '', steps = ''] = output.split('\nNext:\n');
    assert.deepEqual(report.trim().split('\n'), [
      'wrote examples/cache-clusters/00-provider.yaml',
      'wrote examples/cache-clusters/10-class.yaml',
      'wrote examples/cache-clusters/20-claim.yaml',
      'wrote examples/cache-clusters/30-managed.yaml',
      'wrote src/cache-clusters/cache-cluster-claim.ts',
      'wrote src/cache-clusters/cache-cluster.ts',
      'wrote src/cache-clusters/cache-clusters-client.ts',
      'wrote src/cache-clusters/configure.ts',
      'wrote src/cache-clusters/external-client.ts',
      'wrote src/cache-clusters/provider.ts',
      'wrote src/cache-clusters/stack.ts',
      'wrote src/main.ts',
      'wrote src/stacks.ts',
      'wrote test/cache-clusters/configure.test.ts',
      'wrote test/cache-clusters/conformance.test.ts',
      'wrote test/cache-clusters/fake-cache-clusters.ts',
      'wrote test/stacks.test.ts',
      'wrote tsconfig.json',
      'added to package.json',
    ]);
    assert.match(steps, /^ {2}npm run generate .*^ {2}src\/cache-clusters\/cache-clusters-client\.ts {2}/ms);
    await isGreen('CacheCluster.cache.example.org');
  });

  test('the second, beside it: both are in the list', async () => {
    const names = ['S3Bucket', '--group', 'buckets.example.org', '--new-claim', 'AnyBucket'];
    const more = ['--stack', 'object-store', '--version', 'v1'];
    const { code, output } = await own.cli('new-service', ...names, ...more);
    assert.equal(code, 0, output);
    assert.match(output, /^added to src\/stacks\.ts$/m);
    assert.doesNotMatch(output, /main\.ts|tsconfig|package\.json/);
    const list =
      /^import \{ objectStoreStack \} from '\.\/object-store\/stack\.ts';$.*= \[cacheClustersStack, objectStoreStack\];$/ms;
    assert.match(await own.read('src/stacks.ts'), list);
  });

  test('further ones join claim kinds that exist: they define none, and all are green', async () => {
    const joined = Object.values(claims).map(({ kind }) => kind);
    const kinds = joined.map((_claim, i) => `Own${i}Thing`);
    for (const [i, claim] of joined.entries()) {
      const names = [
        `Own${i}Thing`,
        '--group',
        `own${i}.example.org`,
        '--claim',
        claim,
        '--stack',
        `own-${i}`,
      ];
      const { code, output } = await own.cli('new-service', ...names);
      assert.equal(code, 0, output);
      assert.doesNotMatch(output, /the fields that an app team may choose/);
      assert.deepEqual(filesIn(`src/own-${i}/*.ts`), [
        'configure.ts',
        'external-client.ts',
        `own-${i}-client.ts`,
        `own${i}-thing.ts`,
        'provider.ts',
        'stack.ts',
      ]);
      assert.match(
        await own.read(`src/own-${i}/stack.ts`),
        new RegExp(`^import \\{ ${claim}Kind \\} from 'services-stack/claims';$`, 'm'),
      );
    }
    await isGreen(
      'CacheCluster.cache.example.org',
      'S3Bucket.buckets.example.org',
      ...kinds.map((kind, i) => `${kind}.own${i}.example.org`),
    );
    const bucket = await own.read('crds/buckets.example.org_s3buckets.yaml');
    assert.match(bucket, /^ {4}kind: S3Bucket\n.*^ {4}- name: v1$/ms);
    assert.deepEqual(
      filesIn('crds/*').filter((file) => /^(?:own.*claims|(?:cache|database)\.crossplane)/.test(file)),
      [],
    );
  });

  test('the process of the repository knows both stacks', async () => {
    const { code, output } = await own.node(['src/main.ts', '--help']);
    assert.equal(code, 0, output);
    assert.match(output, /cache-clusters,\s*object-store/);
  });

  test('the kinds of both stacks are those that `npm run trace` knows', async () => {
    const trace = async (...words: readonly string[]) => {
      const { code, output } = await own.run('npm', ['run', '--silent', 'trace', '--', ...words]);
      assert.equal(code, 2);
      return output;
    };
    assert.equal(
      await trace('cachecluter', 'sessions'),
      '"cachecluter" is not a known kind; did you mean cacheclusters.cache.example.org or cacheclusterclaims.cache.example.org or cacheclusterclasses.cache.example.org?\n',
    );
    await using api = await new FakeApiServer({
      group: 'cache.example.org',
      version: 'v1alpha1',
      scope: 'Cluster',
      kind: 'CacheCluster',
      plural: 'cacheclusters',
    }).start();
    await own.write('kubeconfig.json', api.kubeConfig().exportConfig());
    const missing = await trace('cachecluster', 'sessions', '--kubeconfig', 'kubeconfig.json');
    assert.equal(missing, 'CacheCluster sessions does not exist (cachecluster sessions)\n');
    const output =
      'the module is missing; usage: services-stack trace <module> <kind> <name> [-n <namespace>]\n';
    assert.deepEqual(await own.cli('trace', '--help'), { code: 2, output });
  });

  describe('a name that is already used is reported, and nothing is written', () => {
    const rows: Readonly<Record<string, readonly [args: string, ...reported: string[]]>> = {
      'a stack': [
        'CacheCluster --group other.example.org',
        ...['src', 'test', 'examples'].map(
          (room) =>
            `--stack: the name "cache-clusters" is in use, because ${room}/cache-clusters/ exists: choose another name`,
        ),
        ...['00-provider', '10-class'].map((file) => `examples/cache-clusters/${file}.yaml exists already`),
      ],
      'a group': [
        'Queue --group cache.example.org',
        ...['Provider', 'ProviderConfig'].map(
          (kind) =>
            `--group: the stack "cache-clusters" already has a ${kind} in cache.example.org: use another group for the new stack`,
        ),
      ],
      'a name that the code has': [
        'ObservedDatabase --group observed.example.org',
        '<Kind>: "ObservedDatabase" would mean two different things in the code of the service: choose another name',
      ],
      'the name of a claim kind that exists': [
        'RedisCluster --group queues.example.org --claim RedisCluster',
        '--claim: "RedisCluster" would mean two different things in the code of the service: choose another name',
      ],
      'the name of the kind, for the claim': [
        'Queue --group queues.example.org --new-claim Queue',
        '--new-claim: "Queue" would mean two different things in the code of the service: choose another name',
      ],
    };
    for (const [name, [args, ...reported]] of Object.entries(rows)) {
      test(name, async () => {
        const list = await own.read('src/stacks.ts');
        const { code, output } = await own.cli('new-service', ...args.split(' '));
        assert.equal(code, 1, output);
        for (const line of reported) assert.ok(output.includes(line), output);
        assert.match(output, /\nNo file was written.\n$/);
        assert.equal(await own.read('src/stacks.ts'), list);
        await assert.rejects(own.read('src/queues/stack.ts'), { code: 'ENOENT' });
      });
    }
  });
});

describe('a scaffold in this repository', () => {
  let copy: ProjectCopy;
  before(async () => {
    const others = ['demo', 'deploy', 'docs', 'examples', 'local', 'test', 'testing', 'tools'];
    copy = await copyProject([...processSources, ...others, 'biome.json', 'tsconfig.json']);
  });
  after(() => copy?.remove());
  const node = (...args: readonly string[]) => succeeds(copy, process.execPath, args);
  const bin = (name: string) => join('node_modules', '.bin', name);
  let sources: readonly string[];

  test('the scaffold puts each file in its room, and its stack in the list', async () => {
    const names = [
      'FavouriteDBBox',
      '--group',
      'boxes.example.org',
      '--new-claim',
      'EasyBox',
      '--stack',
      'box-land',
    ];
    const output = await node('package/command/scaffold/main.ts', ...names);
    const written = [...output.matchAll(/^wrote (\S+)$/gm)].map(([, file = '']) => file);
    assert.deepEqual(written, [
      'examples/box-land/00-provider.yaml',
      'examples/box-land/10-class.yaml',
      'examples/box-land/20-claim.yaml',
      'examples/box-land/30-managed.yaml',
      'stacks/box-land/client/box-land-client.ts',
      'stacks/box-land/favourite-db-box/configure.ts',
      'stacks/box-land/favourite-db-box/external-client.ts',
      'stacks/box-land/kinds/v1alpha1/easy-box.ts',
      'stacks/box-land/kinds/v1alpha1/favourite-db-box.ts',
      'stacks/box-land/kinds/v1alpha1/provider.ts',
      'stacks/box-land/stack.ts',
      'test/stacks/box-land/configure.test.ts',
      'test/stacks/box-land/conformance.test.ts',
      'test/stacks/box-land/fake-box-land.ts',
    ]);
    assert.match(output, /^added to app\/stacks\.ts$/m);
    assert.match(await copy.read('app/stacks.ts'), /= \[[^\]]*\bboxLandStack,?\s*\];$/m);
    sources = ['app/stacks.ts', ...written.filter((file) => file.endsWith('.ts'))];
  });

  test('the definitions and roles of the scaffold are generated', async () => {
    assert.match(await node('apis/generate.ts'), /^wrote crds\/boxes\.example\.org_favouritedbboxes\.yaml$/m);
    assert.match(await node('app/generate.ts'), /^wrote deploy\/base\/cluster-role\.yaml$/m);
    await node('apis/generate.ts', '--check');
    await node('app/generate.ts', '--check');
  });

  test('the scaffold has no type errors, no lint, and is formatted', async () => {
    await succeeds(copy, bin('biome'), ['check', '--vcs-enabled=false', ...sources]);
    const { compilerOptions } = JSON.parse(await copy.read('tsconfig.json'));
    await copy.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['main.ts', ...sources] }));
    await succeeds(copy, bin('tsc'), ['--noEmit', '-p', '.']);
  });

  test('the scaffold keeps the rules of the repository, and its tests pass', async () => {
    const output = await node(
      '--import',
      './test/no-servers.ts',
      '--test',
      '--test-isolation=none',
      'test/*.test.ts',
      'test/app/stacks.test.ts',
      'test/stacks/box-land/*.test.ts',
      'test/apis/crd.test.ts',
      'test/app/cluster-roles.test.ts',
    );
    assert.match(output, /✔ the external client of FavouriteDBBox\.boxes\.example\.org/);
    assert.match(output, /✔ box-land\/20-claim\.yaml fits the definitions/);
    assert.match(output, /✔ stacks\/box-land\/favourite-db-box\/external-client\.ts/);
    assert.match(output, /^ℹ fail 0$/m);
  });

  test('the names of the stacks are taken', async () => {
    const names = namesOf('Thing', { group: 'things.example.org', version: 'v1', stack: 'aws' });
    await assert.rejects(newService(copy.directory, names, projectLayout), {
      name: 'UsageError',
      message:
        '--stack: the name "aws" is in use, because stacks/aws/ exists: choose another name\n' +
        '--stack: the name "aws" is in use, because test/stacks/aws/ exists: choose another name\n' +
        '--stack: the name "aws" is in use, because examples/aws/ exists: choose another name\n' +
        'stacks/aws/client/aws-client.ts exists already\n' +
        'stacks/aws/stack.ts exists already\n' +
        'examples/aws/00-provider.yaml exists already\n' +
        'No file was written.',
    });
  });
});

describe('an argument that is not a valid name is reported', () => {
  const fine = { group: 'a.example.org', version: 'v1alpha1' };
  interface Row extends Partial<GivenNames> {
    readonly kind?: string;
    readonly reported: readonly string[];
  }
  const rows: Readonly<Record<string, Row>> = {
    'a kind that is not in PascalCase': {
      kind: 'cache-cluster',
      reported: [
        '<Kind>: "cache-cluster" is not in PascalCase: use letters and digits, with a capital first, for example CacheCluster',
      ],
    },
    'a kind of nothing but capitals': {
      kind: 'SQL',
      reported: ['<Kind>: "SQL" is not in PascalCase: use letters and digits, with a capital first'],
    },
    'a kind that is too long': {
      kind: `A${'a'.repeat(60)}`,
      reported: [`<Kind>: "A${'a'.repeat(60)}" is too long for the name of a definition: use a shorter one`],
    },
    'a claim that does not exist': {
      claim: 'RedisClutser',
      reported: [
        '--claim: services-stack/claims has no "RedisClutser": use one of MySQLInstance, PostgreSQLInstance, RedisCluster, or define a claim kind with --new-claim',
      ],
    },
    'a claim that exists, and a new one': {
      claim: 'RedisCluster',
      newClaim: 'AnyCache',
      reported: ['--new-claim: a service has one claim kind: omit --claim or --new-claim'],
    },
    'a new claim': {
      newClaim: 'redis cluster',
      reported: [
        '--new-claim: "redis cluster" is not in PascalCase: use letters and digits, with a capital first, for example RedisCluster',
      ],
    },
    'a group without a dot': {
      group: 'cache',
      reported: ['--group: "cache" is not a DNS name with a dot: use one such as cache.example.org'],
    },
    'a group in capitals': {
      group: 'Cache.example.org',
      reported: [
        '--group: "Cache.example.org" is not a DNS name with a dot: use one such as cache.example.org',
      ],
    },
    "a group of Kubernetes' own": {
      group: 'cache.k8s.io',
      reported: ['--group: "cache.k8s.io" is reserved for Kubernetes: use one below your own domain'],
    },
    'a version': {
      version: '1.0.0',
      reported: ['--version: "1.0.0" is not a version of an API: use one such as v1alpha1 or v1'],
    },
    'a stack': {
      stack: '../other',
      reported: [
        '--stack: "../other" is not allowed: use lower-case letters, digits and single dashes, such as cache-clusters',
      ],
    },
    'a stack that is a category': {
      stack: 'managed',
      reported: ['--stack: "managed" is a category of kinds in kubectl: choose another name'],
    },
    'all at a time': {
      group: '',
      version: '',
      reported: [
        '--group: "" is not a DNS name with a dot: use one such as cache.example.org',
        '--version: "" is not a version of an API: use one such as v1alpha1 or v1',
      ],
    },
  };
  for (const [name, { kind = 'CacheCluster', reported, ...given }] of Object.entries(rows)) {
    test(name, () =>
      assert.throws(() => namesOf(kind, { ...fine, ...given }), new UsageError(reported.join('\n'))),
    );
  }
});

test('names are respelt wherever they stand, each as what it stands among', () => {
  const respell = respelling(
    namesOf('AccessDB', { group: 'db.example.org', version: 'v2', newClaim: 'Policy', stack: 'old-x' }),
  );
  const rows = {
    'TinyGadgetClass, newTinyGadget, tinyGadgetClient, tinyGadgets':
      'AccessDBClass, newAccessDB, accessDBClient, accessDBs',
    'tiny-gadget.ts, /v1/tiny-gadgets, tinygadgetclasses, tinygadgets.toys.example.org':
      'access-db.ts, /v1/access-dbs, accessdbclasses, accessdbs.db.example.org',
    'A tiny gadget of Toy Shop, a claim of a tiny gadget, tiny gadgets':
      'An access DB of Old X, a claim of an access DB, access DBs',
    'anygadgets, AnyGadgetKind, toyShopStack, ToyShopClient, toy-shop.test, v1alpha1, claims.example.org/v1beta1':
      'policies, PolicyKind, oldXStack, OldXClient, old-x.test, v2, db.example.org/v2',
  };
  for (const [from, to] of Object.entries(rows)) assert.equal(respell(from), to);
});

test('no word of the template stays in a new service', () => {
  const respell = respelling(namesOf('AccessDB', { group: 'db.example.org', version: 'v2', stack: 'old-x' }));
  const template = join(import.meta.dirname, '../../../package/command/scaffold/template');
  const left = globSync('**/*.{ts,yaml}', { cwd: template }).filter((file) =>
    /gadget|toy/i.test(respell(readFileSync(join(template, file), 'utf8'))),
  );
  assert.deepEqual(left, []);
});

describe('a stack is added to a list', () => {
  const given = { file: 'src/stacks.ts', name: 'bStack', from: './b/stack.ts' };
  const line = "import { bStack } from './b/stack.ts';\n";
  const rows = {
    'that is empty': ['export const stacks = [];\n', `${line}export const stacks = [bStack];\n`],
    'on one line, with a type': [
      "import { aStack } from './a/stack.ts';\n\nexport const stacks: readonly DefinedStack[] = [aStack];\n",
      `import { aStack } from './a/stack.ts';\n${line}\nexport const stacks: readonly DefinedStack[] = [aStack, bStack];\n`,
    ],
    'on many lines, after an import on many': [
      "import {\n  aStack,\n} from './a/stack.ts';\nexport const stacks = [\n  aStack,\n];\n",
      `import {\n  aStack,\n} from './a/stack.ts';\n${line}export const stacks = [aStack, bStack];\n`,
    ],
  } as const;
  for (const [name, [source, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(registered(source, given), want));
  }
  test('a file without a list of stacks is reported', () => {
    const error = 'cannot add the stack to src/stacks.ts: it has no `export const stacks = […]`';
    assert.throws(() => registered('export const others = [];\n', given), new UsageError(error));
  });
});

describe('package.json gets what it lacks', () => {
  const needs = {
    scripts: { start: 'node a.ts', test: 'node --test' },
    dependencies: { 'services-stack': '^1.0.0' },
    devDependencies: { typescript: '^7.0.0' },
  };
  const complete = { type: 'module', ...needs };
  const rows = {
    'all of it': { present: {}, want: { manifest: complete, isChanged: true, retained: [] } },
    'nothing, where all is there': {
      present: complete,
      want: { manifest: complete, isChanged: false, retained: [] },
    },
    'but keeps what is there, and puts a test where npm says that there is none': {
      present: {
        name: 'a',
        type: 'module',
        scripts: { start: 'node b.ts', test: 'echo "Error: no test specified" && exit 1' },
        devDependencies: { 'services-stack': 'file:../a.tgz', typescript: '6.0.0' },
      },
      want: {
        manifest: {
          name: 'a',
          type: 'module',
          scripts: { start: 'node b.ts', test: 'node --test' },
          devDependencies: { 'services-stack': 'file:../a.tgz', typescript: '6.0.0' },
        },
        isChanged: true,
        retained: ['start'],
      },
    },
  };
  for (const [name, { present, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(completed(present, needs), want));
  }
  test('a package.json of another type is refused', () => {
    const error = 'package.json: its type is "commonjs"; run `npm pkg set type=module` first';
    assert.throws(() => completed({ type: 'commonjs' }, needs), new UsageError(error));
  });
});

test('where the stack cannot be added to the list, nothing is written, and what is shared stays', async () => {
  const folder = folderAt(await mkdtemp(join(tmpdir(), 'taken-')));
  try {
    await folder.write('test/stacks.test.ts', '// kept\n');
    await folder.write('src/stacks.ts', 'export const others = [];\n');
    const names = namesOf('CacheCluster', { group: 'cache.example.org', version: 'v1' });
    await assert.rejects(newService(folder.directory, names, ownLayout), {
      message: 'cannot add the stack to src/stacks.ts: it has no `export const stacks = […]`',
    });
    await assert.rejects(folder.read('tsconfig.json'), { code: 'ENOENT' });
    assert.equal(await folder.read('test/stacks.test.ts'), '// kept\n');
  } finally {
    await folder.remove();
  }
});
