import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import map from 'lodash/map.js';
import omit from 'lodash/omit.js';
import { parse } from 'yaml';
import { guardFields } from '../../../apis/core/v1alpha1/meta.ts';
import { ApiError } from '../../../runtime/client/errors.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import type { CustomResourceDefinition, InstallCrdsOptions } from '../../../runtime/client/install-crds.ts';
import {
  CustomResourceDefinitionKind,
  definitionGuard,
  definitionHashAnnotation,
  installCrds,
  lackedFields,
} from '../../../runtime/client/install-crds.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { until, WidgetKind } from '../widgets.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const yaml = (plural: string, type = 'string'): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.test.example.org
  annotations: { from: file }
spec:
  group: test.example.org
  names: { plural: ${plural}, kind: Widget }
  scope: Namespaced
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties: { a: { type: ${type} } }
          x-kubernetes-validations: [{ rule: self.a == oldSelf.a }]
`;

describe('installing definitions', () => {
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  let log: ReturnType<typeof recordedLog>;
  const clock = testClock();
  let directory: string;
  /** The status of a definition in the API server while the installation waits. */
  let status: CustomResourceDefinition['status'];

  beforeEach(async () => {
    server = await new FakeApiServer(CustomResourceDefinitionKind).start();
    server.version = { major: '1', minor: '28' };
    log = recordedLog();
    client = kubernetesClient({ kubeConfig: server.kubeConfig(), log, clock: realClock() });
    directory = await mkdtemp(join(tmpdir(), 'install-crds-'));
    status = { conditions: [{ type: 'Established', status: 'True' }] };
  });
  afterEach(async () => {
    await client.close();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(join(directory, file, '..'), { recursive: true });
    await writeFile(join(directory, file), text);
  };
  const stored = () => server.objects() as readonly CustomResourceDefinition[];
  const install = (options: Partial<InstallCrdsOptions> = {}) =>
    installCrds({
      client,
      directory,
      log,
      signal: new AbortController().signal,
      // The wait is when the server, which runs no controllers, gets on with its work.
      clock: {
        elapsedMs: clock.elapsedMs,
        async sleep(delayMs) {
          clock.stall(delayMs);
          for (const object of stored()) {
            if (object.status === undefined && status !== undefined) {
              server.put(CustomResourceDefinitionKind, { ...object, status });
            }
          }
        },
      },
      ...options,
    });
  const writes = (): readonly string[] =>
    server.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);

  test('each is created as it is in its file, of several in one too; subfolders are left alone', async () => {
    await write('b.yaml', `${yaml('bees')}---\n# nothing\n---${yaml('cees')}`);
    await write('a.yml', yaml('ays'));
    await write('sub/d.yaml', yaml('dees'));
    await write('README.md', 'no definition');
    await install();
    const names = ['ays', 'bees', 'cees'].map((plural) => `${plural}.test.example.org`);
    assert.deepEqual(map(stored(), 'metadata.name').toSorted(), names);
    assert.deepEqual(stored()[0]?.spec, parse(yaml('ays')).spec);
    assert.deepEqual(map(log.lines, 'level'), ['info', 'info', 'info']);
    assert.deepEqual(map(log.lines, 'fields.change'), ['created', 'created', 'created']);
  });

  const withVersion = (version: string | undefined, type?: string): string =>
    yaml('ays', type).replace(
      '{ from: file }',
      version === undefined ? '{}' : `{ services-stack.crossplane.io/definition-version: '${version}' }`,
    );
  type Version = string | undefined;
  const versions: Record<string, readonly [before: Version, now: Version, isWritten: boolean]> = {
    'an older process leaves a newer definition': ['0.10.0', '0.9.2', false],
    'a pre-release is older than its release': ['1.0.0', '1.0.0-beta.1', false],
    'a newer process replaces an older definition': ['0.9.2', '0.10.0', true],
    'other content of the same version replaces it': ['0.9.2', '0.9.2', true],
    'a definition without a version is the oldest': [undefined, '0.1.0', true],
    'a process without a version leaves a definition with one': ['0.1.0', undefined, false],
    'a version that is not a version counts as none': ['latest', '0.1.0', true],
  };
  for (const [name, [before, now, isWritten]] of Object.entries(versions)) {
    test(name, async () => {
      await write('a.yaml', withVersion(before));
      await install();
      await write('a.yaml', withVersion(now, 'integer'));
      server.requests.length = 0;
      await install();
      assert.deepEqual(writes(), isWritten ? ['PUT'] : []);
      assert.deepEqual(
        log.lines.slice(1).map(({ level, message }) => [level, message]),
        isWritten
          ? [['info', 'installed the definition']]
          : [['warn', 'a newer version of this product installed the definition: it stays as it is']],
      );
    });
  }

  const owned = (owner: string | undefined, version: string, type?: string): string => {
    const annotations = {
      ...(owner && { 'services-stack.crossplane.io/definition-owner': owner }),
      'services-stack.crossplane.io/definition-version': version,
    };
    return yaml('ays', type).replace('{ from: file }', JSON.stringify(annotations));
  };
  const shared = (plural: string) => ({
    previousOwner: (kind: { readonly plural: string }) =>
      kind.plural === plural ? 'services-stack' : undefined,
  });
  const foreign = 'the definition belongs to another package: it stays as it is';
  const newer = 'a newer version of this product installed the definition: it stays as it is';
  type Owned = readonly [owner: string | undefined, version: string];
  const owners: Record<
    string,
    { before: Owned; now: Owned; options?: Partial<InstallCrdsOptions>; want: string }
  > = {
    'a package leaves the definition of another one, although its own version is higher': {
      before: ['services-stack', '0.1.0'],
      now: ['acme', '1.0.0'],
      want: foreign,
    },
    'a package leaves a definition without owner that another one is known to have': {
      before: [undefined, '0.1.0'],
      now: ['acme', '1.0.0'],
      options: shared('ays'),
      want: foreign,
    },
    'files without owner, of a former generate, leave a definition with owner': {
      before: ['services-stack', '0.1.0'],
      now: [undefined, '1.0.0'],
      options: { takesOver: true },
      want: foreign,
    },
    'an upgrade takes over its own definition, which had no owner yet': {
      before: [undefined, '0.1.0'],
      now: ['services-stack', '0.2.0'],
      options: shared('ays'),
      want: 'installed the definition',
    },
    'an upgrade of an author takes over its own definition, which had no owner yet': {
      before: [undefined, '1.0.0'],
      now: ['acme', '1.1.0'],
      options: shared('bees'),
      want: 'installed the definition',
    },
    'the owner replaces an older version': {
      before: ['acme', '1.0.0'],
      now: ['acme', '1.1.0'],
      want: 'installed the definition',
    },
    'an older process of the owner leaves a newer version': {
      before: ['acme', '1.1.0'],
      now: ['acme', '1.0.0'],
      want: newer,
    },
    'a package takes over with the flag, also from a higher version': {
      before: ['acme', '1.0.0'],
      now: ['services-stack', '0.1.0'],
      options: { takesOver: true },
      want: 'installed the definition',
    },
  };
  for (const [name, { before, now, options, want }] of Object.entries(owners)) {
    test(name, async () => {
      await write('a.yaml', owned(...before));
      await install();
      await write('a.yaml', owned(...now, 'integer'));
      server.requests.length = 0;
      await install(options);
      assert.deepEqual(writes(), want === 'installed the definition' ? ['PUT'] : []);
      assert.deepEqual(map(log.lines.slice(1), 'message'), [want]);
    });
  }

  test('a definition that was taken over stays with the package that took it', async () => {
    const run = async (owner: string, version: string, options?: Partial<InstallCrdsOptions>) => {
      await write('a.yaml', owned(owner, version, owner === 'acme' ? 'integer' : 'string'));
      await install(options);
    };
    await run('services-stack', '0.1.0');
    await run('acme', '1.0.0', { takesOver: true });
    await run('services-stack', '2.0.0');
    await run('acme', '1.0.0');
    assert.match(JSON.stringify(stored()), /definition-owner":"acme"/);
    assert.deepEqual(map(log.lines, 'message').slice(2), [foreign, 'the definition is already installed']);
  });

  test('of some kinds, only theirs are created and waited for', async () => {
    await write('a.yaml', `${yaml('ays')}---\n${yaml('bees')}`);
    await install({
      kinds: [
        { plural: 'bees', group: 'test.example.org' },
        { plural: 'ays', group: 'other.example.org' },
        { plural: 'secrets', group: '' },
      ],
    });
    assert.deepEqual(map(stored(), 'metadata.name'), ['bees.test.example.org']);
  });

  test('a second time nothing is written, though the server has dropped what it does not know', async () => {
    await write('a.yaml', yaml('ays'));
    await install();
    server.put(CustomResourceDefinitionKind, { ...stored()[0]!, spec: { dropped: true } });
    server.requests.length = 0;
    await install();
    assert.deepEqual(writes(), []);
  });

  test('kubectl apply can take over: what was written last is noted as kubectl notes it', async () => {
    for (const type of ['string', 'integer']) {
      await write('a.yaml', yaml('ays', type));
      await install();
      const [{ metadata } = assert.fail()] = stored();
      const text = metadata.annotations?.[lastApplied] ?? '';
      assert.deepEqual(JSON.parse(text), parse(yaml('ays', type)));
      assert.ok(text.endsWith('\n'));
    }
  });

  test('a definition that is too long for an annotation is installed without that annotation', async () => {
    await write('a.yaml', yaml('ays'));
    await install();
    await write('a.yaml', yaml('ays').replace('from: file', `from: ${'x'.repeat(200_000)}`));
    await install();
    const [{ metadata } = assert.fail()] = stored();
    assert.equal(metadata.annotations?.[lastApplied], undefined, 'nor is a former one left');
  });

  for (const minor of ['28', '28+', '36']) {
    test(`a server that was upgraded to 1.${minor} gets the rules that it dropped before`, async () => {
      server.version = { major: '1', minor: '27' };
      await write('a.yaml', yaml('ays'));
      await install();
      server.requests.length = 0;
      await install();
      assert.deepEqual(writes(), []);
      server.version = { major: '1', minor };
      await install();
      assert.deepEqual(writes(), ['PUT']);
    });
  }

  test('an answer that tells no version is an error, and nothing is written', async () => {
    await write('a.yaml', yaml('ays'));
    server.version = { major: '', minor: '' };
    await assert.rejects(install(), /cannot read the version of the API server: .*not a version/);
    assert.deepEqual(writes(), []);
  });

  test('comments and layout of the file do not count', async () => {
    await write('a.yaml', yaml('ays'));
    await install();
    const same = yaml('ays').replace('{ from: file }', '\n    from: "file"');
    await write('a.yaml', `# another comment\n${same}`);
    server.requests.length = 0;
    await install();
    assert.deepEqual(writes(), []);
  });

  test('a changed file replaces the definition and leaves what others noted on it', async () => {
    await write('a.yaml', yaml('ays'));
    await install();
    const [before] = stored();
    const annotated = { ...before!.metadata.annotations, own: 'a' };
    const noted = { ...before!.metadata, labels: { own: 'l' }, annotations: annotated };
    server.put(CustomResourceDefinitionKind, { ...before!, metadata: noted });
    await write('a.yaml', yaml('ays', 'integer'));
    server.requests.length = 0;
    await install();
    const [after] = stored();
    assert.deepEqual(writes(), ['PUT']);
    assert.match(JSON.stringify(after?.spec), /integer/);
    assert.deepEqual(after?.metadata.labels, { own: 'l' });
    const { [definitionHashAnnotation]: hash, ...annotations } = after?.metadata.annotations ?? {};
    assert.deepEqual(omit(annotations, lastApplied), { from: 'file', own: 'a' });
    assert.notEqual(hash, before?.metadata.annotations?.[definitionHashAnnotation]);
    assert.equal(after?.metadata.uid, before?.metadata.uid);
  });

  for (const [name, fault] of Object.entries({
    'another replica created it at the same time': { method: 'POST', reason: 'AlreadyExists' },
    'it changed since it was read': { method: 'POST', reason: 'Conflict' },
  })) {
    test(`${name}: the definition is read again`, async () => {
      await write('a.yaml', yaml('ays'));
      server.fail({ ...fault, status: 409 });
      await install();
      assert.equal(stored().length, 1);
    });
  }

  const onlyDefinitions = /cannot install x\.yaml: it may hold only objects of kind CustomResourceDefinition/;
  const refused: Record<string, readonly [text: string, want: RegExp]> = {
    'YAML that cannot be read': ['a: [', /cannot read x\.yaml: .*line/s],
    'a key given twice': ['a: 1\na: 2\n', /cannot read x\.yaml/],
    'a definition that another file has': [
      yaml('ays'),
      /cannot install ays\.test\.example\.org: a\.yaml and x\.yaml both define it; remove one of them/,
    ],
    'another kind': ['apiVersion: v1\nkind: Namespace\nmetadata: { name: n }\n', onlyDefinitions],
    'no object at all': ['hello', onlyDefinitions],
    'a definition without name': [
      yaml('ays').replace('name: ays.test.example.org', 'nome: a'),
      onlyDefinitions,
    ],
  };
  for (const [name, [text, want]] of Object.entries(refused)) {
    test(`${name} is an error that names the file, and nothing is written`, async () => {
      await write('a.yaml', yaml('ays'));
      await write('x.yaml', text);
      await assert.rejects(install(), want);
      assert.deepEqual(writes(), []);
    });
  }

  test('a folder without definitions, or none at all, is an error', async () => {
    await assert.rejects(install(), /has no YAML file/);
    await assert.rejects(install({ directory: join(directory, 'none') }), /cannot read the folder/);
  });

  test("the server's refusal names the file and keeps its cause", async () => {
    await write('a.yaml', yaml('ays'));
    server.fail({ method: 'POST', status: 422, reason: 'Invalid', message: 'spec.scope: Required value' });
    const message = 'cannot install ays.test.example.org of a.yaml: spec.scope: Required value';
    await assert.rejects(install(), (error: Error) => {
      assert.deepEqual([error.message, (error.cause as { code?: number }).code], [message, 422]);
      return true;
    });
  });

  const unestablished: Record<string, readonly [conditions: object[] | undefined, want: RegExp]> = {
    'no word of the server': [
      undefined,
      /ays\.test\.example\.org of a\.yaml is not served by the API server after 0\.05 s: its status gives no reason/,
    ],
    'names that are taken': [
      [{ type: 'NamesAccepted', status: 'False', message: '"widgets" is already in use' }],
      /a\.yaml is not served by the API server after 0\.05 s: "widgets" is already in use/,
    ],
  };
  for (const [name, [conditions, want]] of Object.entries(unestablished)) {
    test(`not established in time: ${name}`, async () => {
      await write('a.yaml', yaml('ays'));
      status = conditions && ({ conditions } as CustomResourceDefinition['status']);
      await assert.rejects(install({ timeoutMs: 50 }), want);
    });
  }

  test('an abort ends it', async () => {
    await write('a.yaml', yaml('ays'));
    status = undefined;
    const abort = new AbortController();
    const installing = install({ signal: abort.signal });
    await until('it waits', () => server.requestsWith('GET').length > 3);
    abort.abort(new Error('stopped'));
    await assert.rejects(installing, /stopped/);
  });
});

/** A definition of the kind Widget with this schema. */
const widgetDefinition = (openAPIV3Schema?: object): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.example.org' },
  spec: { versions: [{ name: 'v1', ...(openAPIV3Schema && { schema: { openAPIV3Schema } }) }] },
});
const withSpec = (spec: object) => widgetDefinition({ properties: { spec } });

describe('a definition lacks a field', () => {
  const bothFields = ['spec.guard', 'status.guard'];
  const cases: Record<string, readonly [definition: CustomResourceDefinition, lacked: readonly string[]]> = {
    'if its schema does not have it': [withSpec({ properties: { size: {} } }), bothFields],
    'unless its schema has it': [withSpec({ properties: { guard: {} } }), ['status.guard']],
    'unless its schema keeps unknown fields there': [
      withSpec({ 'x-kubernetes-preserve-unknown-fields': true }),
      ['status.guard'],
    ],
    'unless it has no schema': [widgetDefinition(), []],
  };
  for (const [rule, [definition, lacked]] of Object.entries(cases)) {
    test(rule, () => {
      assert.deepEqual(lackedFields(definition, 'v1', bothFields), lacked);
    });
  }

  test('no definition of this version lacks a field that guards need', () => {
    const root = join(import.meta.dirname, '../../..');
    const found = globSync('crds/**/*.yaml', { cwd: root }).flatMap((file) => {
      const definition = parse(readFileSync(join(root, file), 'utf8')) as CustomResourceDefinition & {
        readonly spec: {
          readonly names: { readonly categories: readonly string[] };
          readonly versions: readonly { readonly name: string }[];
        };
      };
      const { names, versions } = definition.spec;
      return Object.entries(guardFields)
        .filter(([role]) => names.categories.includes(role))
        .flatMap(([role, fields]) =>
          versions.map(({ name }) => [role, lackedFields(definition, name, fields)] as const),
        );
    });
    assert.deepEqual(new Set(found.map(([role]) => role)), new Set(Object.keys(guardFields)));
    const lacking = found.flatMap(([, lacked]) => lacked);
    assert.deepEqual(lacking, []);
  });
});

describe('a guard of definitions', () => {
  const { signal } = new AbortController();
  const good = withSpec({ properties: { guard: {} } });
  const old = withSpec({ properties: {} });
  const scene = (
    answers: readonly (CustomResourceDefinition | Error)[],
    allFields: readonly string[] = [],
  ) => {
    const log = recordedLog();
    const requests: string[] = [];
    const given = [...answers];
    const guard = definitionGuard({
      log,
      fieldsOf: () => allFields,
      packages: ['services-stack'],
      client: {
        async get(_kind, { name }) {
          requests.push(name);
          const answer = given.shift();
          if (answer === undefined || answer instanceof Error) throw answer;
          return answer as never;
        },
      },
    });
    const ended: unknown[] = [];
    guard.run$.subscribe({ error: (error) => ended.push(error) });
    const admit = (fields: readonly string[] = ['spec.guard']) => guard.admit(WidgetKind, fields, signal);
    return { admit, guard, log, requests, ended };
  };

  test('refuses a kind until its definition has the fields, and ends nothing', async () => {
    const { admit, requests, ended } = scene([old, good]);
    await assert.rejects(admit(), {
      code: 422,
      message: 'its definition on the API server lacks spec.guard: install the definitions of this version',
    });
    await admit();
    assert.deepEqual([requests, ended], [['widgets.test.example.org', 'widgets.test.example.org'], []]);
  });

  describe('notes the fields that a definition lacks, and admits the kind without them', () => {
    const lacking = (annotations?: Readonly<Record<string, string>>): CustomResourceDefinition => {
      const definition = withSpec({
        properties: { guard: {}, rules: { items: { properties: { port: {} } } } },
      });
      return { ...definition, metadata: { ...definition.metadata, ...(annotations && { annotations }) } };
    };
    const fields = ['spec', 'spec.guard', 'spec.rules', 'spec.rules[].port', 'spec.rules[].name'];
    const all = [...fields, 'spec.size', 'spec.size.unit'];
    const problem =
      'the definition widgets.test.example.org lacks spec.rules[].name, spec.size, so the API server drops these fields';
    const owner = { 'services-stack.crossplane.io/definition-owner': 'acme' };
    const version = { 'services-stack.crossplane.io/definition-version': '1.0.0' };
    const rows: Record<string, readonly [CustomResourceDefinition, note: string]> = {
      'of a package with a version': [
        lacking({ ...owner, ...version }),
        `${problem}. It belongs to the package acme 1.0.0: upgrade that, or start this process once with --install-crds --take-definitions`,
      ],
      'of a package without a version': [
        lacking(owner),
        `${problem}. It belongs to the package acme: upgrade that, or start this process once with --install-crds --take-definitions`,
      ],
      'of a package that this process installs': [
        lacking({ 'services-stack.crossplane.io/definition-owner': 'services-stack', ...version }),
        `${problem}: install the definitions of this version`,
      ],
      'of no package': [lacking(), `${problem}: install the definitions of this version`],
    };
    for (const [rule, [definition, note]] of Object.entries(rows)) {
      test(rule, async () => {
        const { admit, guard, log } = scene([definition, definition], all);
        await admit();
        await admit();
        assert.deepEqual(guard.notes(), [note]);
        assert.deepEqual(map(log.lines, 'message'), [note], 'it is logged once');
      });
    }

    test('until the definition has them', async () => {
      const complete = withSpec({ 'x-kubernetes-preserve-unknown-fields': true });
      const { admit, guard } = scene([lacking(), complete], all);
      await admit([]);
      await admit([]);
      assert.deepEqual(guard.notes(), []);
    });
  });

  test('ends the process if the definition of an admitted kind lacks a field', async () => {
    const { admit, ended } = scene([good, old]);
    await admit();
    await assert.rejects(admit(), { code: 422 });
    assert.match(
      String(ended),
      /^Error: an older definition of widgets\.v1\.test\.example\.org is installed/,
    );
  });

  test('does not ask for a kind without such fields', async () => {
    const { admit, requests } = scene([]);
    await admit([]);
    assert.deepEqual(requests, []);
  });

  test('admits every kind if it may not read definitions, with one warning', async () => {
    const forbidden = new ApiError('no', { code: 403, reason: 'Forbidden' });
    const { admit, log } = scene([forbidden, forbidden]);
    await admit();
    await admit();
    assert.deepEqual(map(log.lines, 'level'), ['warn']);
  });

  const absent = new ApiError('no', { code: 404, reason: 'NotFound' });

  test('admits a kind without a definition: a list tells whether it is served', () =>
    scene([absent]).admit());

  test('ends nothing if the first definition of a kind is an older one', async () => {
    const { admit, ended } = scene([absent, old]);
    await admit();
    await assert.rejects(admit(), { code: 422 });
    assert.deepEqual(ended, []);
  });

  test('ends the process if an older definition replaces one that was deleted', async () => {
    const { admit, ended } = scene([good, absent, old]);
    await admit();
    await admit();
    await assert.rejects(admit(), { code: 422 });
    assert.equal(ended.length, 1);
  });

  for (const [what, code, reason] of [
    ['the API server does not answer', 0, 'ECONNREFUSED'],
    ['a gateway answers 404 in its place', 404, 'Http404'],
  ] as const) {
    test(`admits nothing while ${what}`, () =>
      assert.rejects(scene([new ApiError('no', { code, reason })]).admit(), { code }));
  }
});
