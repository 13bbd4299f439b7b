import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { describeClaim, isSettled } from '../../demo/claims.ts';
import { atHome as manifestAtHome } from '../../demo/manifests.ts';
import type { Services } from '../../demo/services.ts';
import { startServices } from '../../demo/services.ts';
import { mariadbSupport } from '../../local/mariadb-binaries.ts';
import type { FavouriteDBInstance } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { VaultServer } from '../../testing/vault/server.ts';
import { definitionsIn } from '../apis/definitions.ts';
import { commandsOf } from '../docs/code-blocks.ts';
import { temporaryFolder } from '../local/temporary-folder.ts';
import { adminClient, eventually } from './stack-harness.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .toSorted()
    .map((file) => join(folder, file));

/** Manifests that a reader would apply together. */
interface Sample {
  readonly title: string;
  readonly yaml: string;
  /** The reason of the condition that the text promises; without it everything becomes ready. */
  readonly expect: string | undefined;
}

/** Their manifests are about kinds or clouds of their own, and applied by tests of their own. */
const elsewhere: readonly string[] = [
  'docs/adding-a-managed-service.md',
  'docs/aws.md',
  'docs/gitops.md', // a file of kustomize: test/docs/kustomize.test.ts
];

/** The YAML blocks of a page, whose info string may say what to expect: `yaml expect=ReconcilePaused`. */
function samplesIn(page: string): readonly Sample[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^```yaml(?: expect=(\w+))?\n(.*?)^```$/gms)];
  assert.equal(blocks.length, [...text.matchAll(/^```ya?ml/gm)].length, `blocks of ${page}`);
  return blocks.map(([, expect, yaml = ''], index) => {
    const name = /^ {2}name: (\S+)$/m.exec(yaml)?.[1] ?? `block ${index + 1}`;
    return { title: `${page}: ${name}`, yaml, expect };
  });
}

const pages = filesIn('docs', '.md').filter((page) => !elsewhere.includes(page));

/**
 * Folders of examples with such a note are of a cloud that the demo does not have: `npm run new-service`
 * writes such.
 */
const foldersElsewhere = new Set(
  filesIn('examples', '.yaml')
    .filter((file) => read(file).startsWith('# Not for the demo'))
    .map((file) => dirname(file)),
);
const samples: readonly Sample[] = [
  ...filesIn('examples', '.yaml')
    .filter((file) => !foldersElsewhere.has(dirname(file)))
    .map((file) => ({ title: file, yaml: read(file), expect: undefined })),
  ...pages.flatMap(samplesIn),
];

const isClaim = (object: KubernetesObject): object is Claim =>
  /^(database|cache)\.crossplane\.io\//.test(object.apiVersion);
const isManaged = (object: KubernetesObject): object is Managed =>
  (object as { readonly spec?: { readonly forProvider?: unknown } }).spec?.forProvider !== undefined;

const definitions = [...definitionsIn('crds').values()];

/** As our own definitions have it. */
function kindOf({ apiVersion, kind }: KubernetesObject): Kind {
  const [group = '', version = ''] = apiVersion.split('/');
  const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  const { names, scope } = found?.spec ?? assert.fail(`${apiVersion} ${kind}`);
  return { group, version, kind, plural: names.plural, scope };
}

/**
 * The reason why an object does not reach its expected state; undefined if there is none, or if no state is
 * expected.
 */
function obstacle(object: KubernetesObject, expect: string | undefined): string | undefined {
  if (!isClaim(object) && !isManaged(object)) return undefined;
  const conditions = object.status?.conditions ?? [];
  if (expect !== undefined && conditions.some(({ reason }) => reason === expect)) return undefined;
  if (expect === undefined && isClaim(object)) return isSettled(object) ? undefined : describeClaim(object);
  const areTrue = ['Ready', 'Synced'].every((type) => getCondition(conditions, type).status === 'True');
  if (expect === undefined && areTrue) return undefined;
  return `${object.kind} ${object.metadata.name}: ${JSON.stringify(conditions)}`;
}

describe('every manifest of the docs and the examples, on the demo', () => {
  const vault = new VaultServer({ token: 'put-a-token-here' });
  let services: Services;
  let client: ReturnType<typeof adminClient>;

  before(async () => {
    await vault.start();
    const quiet = { step: <T>(_title: string, act: () => Promise<T>) => act(), note: () => undefined };
    services = await startServices(quiet, { provisioningMs: 400, deletionMs: 200, ssl: true });
    client = adminClient(services.controlPlane);
  });

  after(async (context) => {
    if ('error' in context && context.error && services !== undefined) {
      console.error(readFileSync(services.logFile, 'utf8').slice(-20_000));
    }
    await client?.close();
    await services?.stop();
    await vault.stop();
  });

  const kubectl = (...args: readonly string[]) => services.controlPlane.kubectl(args);
  const cloud = () => services.clouds.favourite;
  const inCloud = (name: string) =>
    cloud()
      .instances()
      .find(({ item }) => item.name === name)?.item;
  const instance = async (name: string): Promise<Managed> =>
    JSON.parse(await kubectl('get', 'favouritedbinstance', name, '-o', 'json'));

  /** The values that a reader would fill in: the addresses of the servers on this machine. */
  const atHome = (yaml: string): string =>
    manifestAtHome(yaml, services).replaceAll('https://vault.example.com:8200', vault.url);

  /** Waits until all these are where they should be. */
  const settled = (title: string, objects: readonly KubernetesObject[], expect?: string) =>
    eventually(title, async () => {
      const found = await Promise.all(
        objects.map((object) => client.get(kindOf(object), objectKey(object.metadata))),
      );
      const obstacles = found.flatMap((object) => obstacle(object, expect) ?? []);
      if (obstacles.length === 0) return true;
      throw new Error(obstacles.join('\n'));
    });

  /** Runs a script in a folder with this PATH. */
  const bash = async (script: string, cwd: string, path = process.env.PATH): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: services.controlPlane.kubeconfigPath, PATH: path };
    const running = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd, env });
    running.child.stdin?.end();
    return (await running).stdout;
  };

  test('the commands of docs/start-postgresql.md connect to a database of its claim', async (t) => {
    const page = read('docs/start-postgresql.md');
    const [copy = ''] = /^cp .*$/m.exec(page) ?? [];
    const [, commands = ''] = /^```sh\n(kubectl apply.*?)^```$/ms.exec(page) ?? [];
    const folder = await temporaryFolder(t);
    mkdirSync(join(folder, 'examples', 'start'), { recursive: true });
    for (const file of filesIn('examples/start', '.yaml'))
      writeFileSync(join(folder, file), atHome(read(file)));
    const stdout = await bash(`${copy}\n${commands}`, folder);
    assert.match(stdout, /ledger condition met/);
    assert.match(stdout, /team-shop-ledger/);
    const left = await kubectl('get', 'classes', '-o', 'name');
    assert.deepEqual(left.trim().split('\n'), ['postgresqldatabaseclass.postgresql.crossplane.io/small']);
  });

  test('the commands of the pages for app teams run as they stand, one page after another', async (t) => {
    const folder = await temporaryFolder(t);
    symlinkSync(join(root, 'trace/kubectl-services_stack'), join(folder, 'kubectl-services_stack'));
    const [, manifest = ''] = /^```yaml\n(.*?)^```$/ms.exec(read('docs/claim.md')) ?? [];
    writeFileSync(join(folder, 'cart-db.yaml'), manifest);
    const [deploy = '', ...connecting] = commandsOf(read('docs/use-the-secret.md'));
    const withAuthority = connecting.filter((command) => !/\bentry\b/.test(command));
    const [, deployment = ''] = /^```yaml\n(.*?)^```$/ms.exec(read('docs/use-the-secret.md')) ?? [];
    writeFileSync(join(folder, 'cart.yaml'), deployment);
    const run = (script: string) => bash(script, folder, `${folder}:${process.env.PATH}`);
    const password = `kubectl -n team-shop get secret cart-db-connection -o jsonpath='{.data.password}'`;
    /** A field of each resource of a claim. */
    const resources = async (field = '.metadata.name', claim = 'cart-db'): Promise<readonly string[]> => {
      const path = `jsonpath={.items[?(@.spec.claimRef.name=='${claim}')]${field}}`;
      const names = await kubectl('get', 'postgresqldatabases', '-o', path);
      return names.split(' ').filter((name) => name !== '');
    };
    const gone = async () => (await resources()).length === 0;
    /** Edits the class. Classes and claims have a watch each: a claim that is made shows that the process knows the class. */
    const setRetainFor = async (retainFor: string | null) => {
      const patch = JSON.stringify({ specTemplate: { retainFor } });
      await kubectl('patch', 'postgresqldatabaseclass', 'small', '--type=merge', '-p', patch);
      await eventually('the process knows the class', async () => {
        await services.controlPlane.kubectl(['apply', '-f', '-'], manifest.replaceAll('cart-db', 'probe'));
        const [name = ''] = await eventually('the claim has a resource', async () => {
          const names = await resources('.metadata.name', 'probe');
          return names.length > 0 && names;
        });
        const [known = null] = await resources('.spec.retainFor', 'probe');
        await kubectl('-n', 'team-shop', 'delete', 'postgresqlinstance', 'probe');
        await kubectl('delete', 'postgresqldatabase', name, '--ignore-not-found');
        return known === retainFor;
      });
    };
    const psql = commandsOf(read('docs/claim.md')).find((command) => command.startsWith('psql')) ?? '';
    await setRetainFor(null); // for the part of docs/delete-a-claim.md that waits for the end of the sessions
    const acts: Readonly<Record<string, (commands: string) => Promise<unknown>>> = {
      'docs/claim.md': run,
      'docs/use-the-secret.md': () => run(deploy),
      'docs/rotate.md': async (commands) => {
        const before = await run(password);
        await run(commands);
        await eventually('the Secret has another password', async () => (await run(password)) !== before);
        await run(psql);
      },
      'docs/delete-a-claim.md': async (commands) => {
        const uri = `$(kubectl -n team-shop get secret cart-db-connection -o jsonpath='{.data.uri}' | base64 -d)`;
        const session = bash(`psql "${uri}" -c 'SELECT pg_sleep(120)'`, folder);
        const ended = assert.rejects(session, /terminating connection/);
        const sessions = `SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(120)'`;
        const { host, port, superuser } = services.postgresql;
        const ask = `PGPASSWORD=${services.postgresql.password} psql -h ${host} -p ${port} -U ${superuser} -Atc`;
        await eventually('the session is open', async () => Number(await run(`${ask} "${sessions}"`)) > 0);
        const lines = commands.split('\n');
        const [list = '', remove = '', look = '', create = '', wait = '', ...further] = lines;
        const [startEmpty = '', endProtection = '', ...others] = further;
        assert.deepEqual(others, []);
        await run(`${list}\n${remove}`);
        assert.equal((await resources()).length, 1);
        const waits = async () => /cart-db .*open session/.test(await run(look));
        await eventually('the page shows what the database waits for', waits);
        await run(
          `${ask} "SELECT pg_terminate_backend(pid) FROM (${sessions.replace('count(*)', 'pid')} AND pid <> pg_backend_pid()) AS s"`,
        );
        await ended;
        await eventually('the database follows', gone);
        assert.doesNotMatch(await run(look), / cart-db /);

        await setRetainFor('7d');
        await run(`${create}\n${wait}`);
        const before = [await resources(), await run(password)];
        await run(remove);
        assert.match(await run(look), / cart-db +\d{4}-\d\d-\d\dT/);
        await run(`${create}\n${wait}`);
        assert.deepEqual([await resources(), await run(password)], before);
        await run(`${startEmpty}\n${remove}`);
        await setRetainFor(null);
        await kubectl('delete', 'postgresqldatabases', ...(await resources()));
        await eventually('the kept database is deleted', gone);

        await run(`${create}\n${wait}`);
        await run(endProtection.replace('false', 'true'));
        await run(`${remove} --wait=false`);
        const reason = `kubectl -n team-shop wait postgresqlinstance cart-db --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=DeletionProtected`;
        await run(`${reason} --timeout=30s`);
        assert.equal((await resources()).length, 1);
        await run(endProtection);
        await eventually('the database of the claim that was protected follows', gone);
      },
    };
    for (const [page, act] of Object.entries(acts)) {
      const commands = commandsOf(read(page));
      assert.notEqual(commands.length, 0, page);
      await act(commands.join('\n'));
    }
    // A private authority: the server of the first start gets one, and a claim is made there.
    const patch = JSON.stringify({ stringData: { clusterCA: services.postgresql.clusterCA } });
    await kubectl('-n', 'databases', 'patch', 'secret', 'my-server', '-p', patch);
    const [apply = '', wait = ''] = commandsOf(read('docs/claim.md'));
    await run(`${apply}\n${wait}`);
    await assert.rejects(run(psql), /root certificate file ".*" does not exist/);
    await run(withAuthority.join('\n'));
    await run(commandsOf(read('docs/delete-a-claim.md'))[1] ?? '');
    const left = await kubectl('-n', 'team-shop', 'get', 'postgresqlinstance,secret', '-o', 'name');
    assert.doesNotMatch(left, /cart-db/);
  });

  test('there are many', () => {
    assert.ok(samples.length >= 30, String(samples.length));
  });

  for (const { title, yaml, expect } of samples) {
    test(`${title} ends ${expect === undefined ? 'as it should' : `as ${expect}`}`, async (t) => {
      if (services.mysql === undefined && /mysql/.test(title)) return t.skip('this machine has no MariaDB');
      const apply = ['apply', '-f', '-', '-o', 'json'];
      const applied = JSON.parse(await services.controlPlane.kubectl(apply, atHome(yaml)));
      const objects: readonly KubernetesObject[] = applied.items ?? [applied];
      const settling = objects.filter((object) => isClaim(object) || isManaged(object));
      await settled(title, settling, expect);
    });
  }

  test('the comments of the examples are true', async () => {
    const { id, name, level, version } = inCloud('mycoolinstance') ?? assert.fail('the guide’s instance');
    assert.deepEqual([name, level, version], ['mycoolinstance', 100, '2.3']);
    const { status } = (await instance('cool')) as FavouriteDBInstance;
    const cool = [status?.id, status?.status, status?.hostname];
    assert.deepEqual(cool, [id, 'ONLINE', 'mycoolinstance.fcp.example.org']);
    assert.deepEqual((await instance('orders-watched')).spec.forProvider, {});
    const imported = await instance('orders-imported');
    assert.deepEqual(imported.spec.forProvider, { fancinessLevel: 42, version: '5.7' });
    const [{ item } = assert.fail('no network')] = cloud()
      .networks()
      .filter(({ item: { displayName } }) => displayName === 'Back office');
    const networkIds = ['payroll', 'inventory', 'archive'].map((name) => inCloud(name)?.networkId);
    assert.deepEqual(networkIds, [item.id, item.id, undefined]);
    assert.equal(inCloud('autoscaled')?.level, 10);
    assert.equal(vault.peek('crossplane/vouchers')?.data?.password, inCloud('vouchers')?.password);
    const labelled = await kubectl('-n', 'team-shop', 'get', 'secret', '-l', 'app=wishlists', '-o', 'name');
    assert.equal(labelled.trim(), 'secret/wishlists-connection');
  });

  test('a class that publishes to Vault alone gives its claim the entries of the template', async () => {
    const page = samples.find(({ title }) => title === 'docs/managed-resources.md: docs-store-alone');
    const yaml = (page?.yaml ?? assert.fail('no such example'))
      .replaceAll('docs-store-alone', 'docs-vault-alone')
      .replaceAll('docs-from-store', 'docs-from-vault')
      .replace('      name: docs\n', '      name: docs-vault\n');
    const apply = ['apply', '-f', '-', '-o', 'json'];
    const applied = JSON.parse(await services.controlPlane.kubectl(apply, yaml));
    const [claim = assert.fail('no claim')] = (applied.items as readonly KubernetesObject[]).filter(isClaim);
    await settled('the claim has its Secret from Vault', [claim]);
    const entry = vault.peek(`crossplane/docs-from-vault-${claim.metadata.uid}`)?.data;
    const path = 'jsonpath={.data.DATABASE_URL}';
    const rendered = await kubectl('get', 'secret', 'docs-from-vault', '-o', path);
    assert.equal(Buffer.from(rendered, 'base64').toString(), entry?.uri ?? assert.fail('no entry'));
  });

  test('the entries that docs/use-the-secret.md shows for each framework connect to the database', async (t) => {
    const folder = await temporaryFolder(t);
    const saved = async (name: string, keys: readonly string[]): Promise<void> => {
      const printed = await kubectl('-n', 'team-shop', 'get', 'secret', name, '-o', 'json');
      const { data } = JSON.parse(printed) as { readonly data: Readonly<Record<string, string>> };
      for (const key of keys)
        writeFileSync(join(folder, key), Buffer.from(data[key] ?? assert.fail(key), 'base64'));
    };
    const user = async (command: string) =>
      (await bash(`${command} -Atc 'SELECT current_user'`, folder)).trim();
    const connects = async (command: string, name: string): Promise<void> => {
      await saved(name, ['username']);
      assert.equal(await user(command), readFileSync(join(folder, 'username'), 'utf8'), name);
    };
    await saved('cart-django', ['DATABASE_URL']);
    await connects('psql "$(cat DATABASE_URL)"', 'cart-django');
    await saved('cart-spring', ['SPRING_DATASOURCE_URL']);
    // libpq reads the user and the password from parameters, as the driver for JDBC does.
    await connects('psql "$(sed s/^jdbc:// SPRING_DATASOURCE_URL)"', 'cart-spring');
    await saved('cart-laravel', ['DB_HOST', 'DB_PORT', 'DB_DATABASE', 'DB_USERNAME', 'DB_PASSWORD']);
    const laravel =
      'PGPASSWORD=$(cat DB_PASSWORD) psql -h $(cat DB_HOST) -p $(cat DB_PORT) -U $(cat DB_USERNAME) -d $(cat DB_DATABASE)';
    await connects(laravel, 'cart-laravel');
    await saved('cart-env', ['.env']);
    await connects('. ./.env; psql "$DATABASE_URL"', 'cart-env');
    // Rails has the entries of its template only, and its own parameter.
    await saved('cart-rails', ['DATABASE_URL']);
    assert.match(await user(`psql "$(sed 's/[?]pool=10$//' DATABASE_URL)"`), /cart-rails/);
    const keys = await kubectl(
      '-n',
      'team-shop',
      'get',
      'secret',
      'cart-rails',
      '-o',
      'go-template={{len .data}}',
    );
    assert.equal(keys.trim(), '1');
    const selected = await kubectl('-n', 'team-shop', 'get', 'secret', '-l', 'team=shop', '-o', 'name');
    assert.equal(selected.trim(), 'secret/cart-env');
  });

  test('the entries and commands that docs/use-the-secret.md shows for MySQL connect to the database', async (t) => {
    const support = await mariadbSupport();
    if (services.mysql === undefined || support.by === 'none') return t.skip('this machine has no MariaDB');
    const commands = commandsOf(read('docs/use-the-secret.md')).filter((one) => /\bentry\b/.test(one));
    assert.equal(commands.length, 2);
    const path = `${dirname(support.client)}:${process.env.PATH}`;
    const folder = await temporaryFolder(t);
    const asks = `${commands.join('\n')} --batch --skip-column-names --execute 'SELECT CURRENT_USER()'`;
    const printed = await kubectl('-n', 'team-shop', 'get', 'secret', 'cart-mysql', '-o', 'json');
    const { data } = JSON.parse(printed) as { readonly data: Readonly<Record<string, string>> };
    const entry = (key: string) => Buffer.from(data[key] ?? assert.fail(key), 'base64').toString('utf8');
    assert.equal((await bash(asks, folder, path)).trim(), `${entry('username')}@%`);
    const logins = [
      { uri: entry('DATABASE_URL') },
      {
        host: new URL(entry('SPRING_DATASOURCE_URL').slice('jdbc:'.length)).hostname,
        port: Number(entry('DB_PORT')),
        user: entry('SPRING_DATASOURCE_USERNAME'),
        password: entry('SPRING_DATASOURCE_PASSWORD'),
        database: entry('DB_DATABASE'),
      },
    ];
    for (const login of logins) {
      const session = await createConnection(login);
      const [rows] = await session.query('SELECT DATABASE() AS name');
      await session.end();
      assert.deepEqual(JSON.parse(JSON.stringify(rows)), [{ name: entry('database') }]);
    }
  });

  test('docs-paused is made once the annotation is gone', async () => {
    assert.equal(inCloud('docs-paused'), undefined);
    await kubectl('annotate', 'favouritedbinstance', 'docs-paused', 'crossplane.io/paused-');
    await kubectl('wait', 'favouritedbinstance', 'docs-paused', '--for=condition=Ready', '--timeout=30s');
  });

  test('every Event on a managed resource is in the table of the guide', async () => {
    const [, table = ''] = /^## All reasons\n(.*)/ms.exec(read('docs/events.md')) ?? [];
    const documented = new Set([...table.matchAll(/\b[A-Z]\w+\b/g)].map(([word]) => word));
    const listed: { readonly items: readonly { reason: string; involvedObject: { kind: string } }[] } =
      JSON.parse(await kubectl('get', 'events', '-A', '-o', 'json'));
    const reasons = listed.items
      .filter(({ involvedObject: { kind } }) => ['FavouriteDBInstance', 'Network'].includes(kind))
      .map(({ reason }) => reason);
    assert.ok(reasons.length > 10);
    const undocumented = [...new Set(reasons)].filter((reason) => !documented.has(reason));
    assert.deepEqual(undocumented, []);
  });

  test('all claims and managed resources can be deleted, and only what is to be kept stays in the cloud', async () => {
    await kubectl('delete', 'claims', '--all', '-A', '--timeout=60s');
    await kubectl('delete', 'favouritedbinstances', '--all', '--timeout=60s');
    await kubectl('delete', 'managed', '--all', '--timeout=60s');
    const retained = ['audit-trail', 'docs-kept', 'docs-orphan', 'ledger', 'legacy-orders'];
    const left = cloud()
      .instances()
      .map(({ item }) => item.name)
      .filter((name) => !name.startsWith('team-')); // of claims, under a class that retains
    assert.deepEqual(left.toSorted(), retained);
    assert.deepEqual(cloud().networks(), []);
    assert.deepEqual(services.clouds.other.instances(), []);
    assert.deepEqual([services.google.instances.all(), services.google.topics.all()], [[], []]);
  });
});
