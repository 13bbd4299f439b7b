import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const plugin = join(root, 'trace', 'kubectl-services_stack');

const cluster = '~context demo\n~server https://127.0.0.1:6443\n';
const kinds = `\
favouritedbinstances  favdb  database.fcp.crossplane.io/v1alpha3  false  FavouriteDBInstance  delete,get  crossplane,managed,fcp
favouritedbinstanceclasses  favdbclass  database.fcp.crossplane.io/v1alpha3  false  FavouriteDBInstanceClass  delete,get  crossplane,class
fancysqlinstances  fsql  database.crossplane.io/v1alpha1  true  FancySQLInstance  delete,get  crossplane,claim,claims
mysqlinstances  database.crossplane.io/v1alpha1  true  MySQLInstance  delete,get  crossplane,claim,claims
widgets  a.example.com/v1  true  Widget  delete,get  claim
widgets  b.example.com/v1  true  Widget  delete,get  claim
providers  fcp.crossplane.io/v1alpha3  false  Provider  delete,get  crossplane,provider
`;
const managed = `\
~apiVersion "database.fcp.crossplane.io/v1alpha3"
~kind "FavouriteDBInstance"
~uid "u-1"
`;
const claimRef = `\
~claimVersion "database.crossplane.io/v1alpha1"
~claimKind "FancySQLInstance"
~claimNamespace "team-a"
~claimName "orders"
~claimUid "u-2"
`;
const released = `${managed}=policies <nil>\n${claimRef}~phase "Released"\n`;
const bound = released.replace('"Released"', '"Bound"');
const withPolicies = (policies: string) => bound.replace('=policies <nil>', `=policies ${policies}`);
const withPassword = `${managed}=policies <nil>\n~secretNamespace "stores"\n~secretName "db"\n=hasCredential\n`;
const secret = '~uid "u-3"\n~version "41"\n~owner "u-1"\n=hasPassword\n';
const claim = `\
~apiVersion "database.crossplane.io/v1alpha1"
~kind "FancySQLInstance"
~uid "u-2"
~namespace "team-a"
=policies <nil>
~resourceKind "FavouriteDBInstance"
~resourceName "db"
~phase "Bound"
`;
const classExample = managed.replace('"FavouriteDBInstance"', '"FavouriteDBInstanceClass"');
const withRotation = '=hasRotation';
const withoutRotation = 'Warning: unknown field "spec.forProvider.passwordRotation"\n';

const header = 'Cluster: https://127.0.0.1:6443 (context demo)\n';
const resource = 'favouritedbinstances.database.fcp.crossplane.io';
const is = (path: string, value: string) => ({ op: 'test', path, value });
const isReleased = [
  is('/metadata/uid', 'u-1'),
  is('/status/bindingPhase', 'Released'),
  is('/spec/claimRef/uid', 'u-2'),
];
const timeText = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

describe('the plugin of kubectl', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'services-stack-plugin-'));
    await symlink(join(import.meta.dirname, 'stub-kubectl'), join(folder, 'kubectl'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  type Answers = Readonly<Record<string, string>>;

  /** Runs the plugin with a stub of kubectl that gives these answers. Times are written as TIME. */
  async function run(args: readonly string[], answers: Answers = {}, file = plugin) {
    const all: Answers = { config: cluster, 'api-resources': kinds, ...answers };
    for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, STUB_FOLDER: folder };
    const ended = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(file, args, { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
    const recorded = existsSync(join(folder, 'calls')) ? await readFile(join(folder, 'calls'), 'utf8') : '';
    const calls = recorded
      .split('\x1e')
      .slice(0, -1)
      .map((call) => call.replaceAll(timeText, 'TIME').split('\x1f').slice(0, -1));
    return { ...ended, calls, recorded };
  }
  const isWrite = (call: readonly string[]) =>
    (call.includes('patch') || call.includes('annotate')) && !call.includes('-o');

  /** The one write, without the flag that every call has, and with its patch as JSON. */
  const written = (calls: readonly (readonly string[])[]) =>
    calls
      .filter(isWrite)
      .map((call) =>
        call
          .filter((word) => word !== '--context=demo')
          .map((word) => (/^[[{]/.test(word) ? (JSON.parse(word) as unknown) : word)),
      );

  type Row = readonly [args: string, answers: Answers, says: string, writes?: readonly unknown[]];
  const patched = (type: string, patch: unknown, ...more: readonly string[]) => [
    ['patch', resource, 'db', `--type=${type}`, '-p', patch, ...more],
  ];
  const annotated = (annotation: string) => [['annotate', resource, 'db', '--overwrite', annotation]];
  const sameClaim = [
    ...isReleased,
    is('/spec/claimRef/apiVersion', 'database.crossplane.io/v1alpha1'),
    is('/spec/claimRef/kind', 'FancySQLInstance'),
    is('/spec/claimRef/namespace', 'team-a'),
    is('/spec/claimRef/name', 'orders'),
    { op: 'remove', path: '/spec/claimRef/uid' },
  ];
  const otherClaim = (apiVersion: string, kind: string, name: string) => [
    ...isReleased,
    { op: 'add', path: '/spec/claimRef', value: { apiVersion, kind, namespace: 'team-b', name } },
  ];
  const rotation = patched('merge', {
    metadata: { uid: 'u-1' },
    spec: { forProvider: { passwordRotation: 'TIME' } },
  });
  const returnables = `\
~uid "namespace-1"
~kept "database.fcp.crossplane.io/v1alpha3:FavouriteDBInstance:db:41:team-a:FancySQLInstance:orders:2026-12-05T09:00:00Z"
~kept "database.fcp.crossplane.io/v1alpha3:FavouriteDBInstance:other:42:team-a:FancySQLInstance:cart:"
~kept "database.fcp.crossplane.io/v1alpha3:FavouriteDBInstance:far:43:team-b:FancySQLInstance:cart:"
`;
  const several = `${returnables}~kept "database.fcp.crossplane.io/v1alpha3:FavouriteDBInstance:newer:44:team-a:FancySQLInstance:orders:"\n`;
  const choose = `several resources are kept for one claim, so choose: kubectl services-stack give-back favouritedbinstance.database.fcp.crossplane.io db (FancySQLInstance team-a/orders, until 2026-12-05T09:00:00Z), or kubectl services-stack give-back favouritedbinstance.database.fcp.crossplane.io newer (FancySQLInstance team-a/orders, without a date)`;
  const givenBack = (name: string, version: string) => [
    '--namespace=team-a',
    ...['annotate', resource, name, '--overwrite', `--resource-version=${version}`],
    'crossplane.io/give-back=namespace-1',
  ];
  const offered =
    'FavouriteDBInstance db: FancySQLInstance team-a/orders can have it with its data, if its spec.resourceRef names it\n';

  const rows: Readonly<Record<string, Row>> = {
    'offer gives the resource to a claim of the previous namespace and name': [
      'offer favdb db',
      { get: released },
      `${offered}patch done\n`,
      patched('json', sameClaim),
    ],
    'offer takes the kind and the name with a slash between them': [
      'offer favdb/db',
      { get: released },
      `${offered}patch done\n`,
      patched('json', sameClaim),
    ],
    '--dry-run lets the API server check the change only': [
      'offer favdb db --dry-run',
      { get: released },
      `${offered}Dry run: the API server checks the change, and nothing is changed.\npatch done\n`,
      patched('json', sameClaim, '--dry-run=server'),
    ],
    'offer --any removes the whole claimRef': [
      'offer --any favdb db',
      { get: released },
      'FavouriteDBInstance db: any claim that names it, of whichever team, can have it with its data\npatch done\n',
      patched('json', [...isReleased, { op: 'remove', path: '/spec/claimRef' }]),
    ],
    'offer --to takes the kind of the previous claim': [
      'offer favdb db --to team-b/cart',
      { get: released },
      'FavouriteDBInstance db: FancySQLInstance team-b/cart can have it with its data, if its spec.resourceRef names it\npatch done\n',
      patched('json', otherClaim('database.crossplane.io/v1alpha1', 'FancySQLInstance', 'cart')),
    ],
    'offer --to --kind takes a kind without a short name': [
      'offer favdb db --to=team-b/cart --kind=MySQLInstance',
      { get: released },
      'FavouriteDBInstance db: MySQLInstance team-b/cart can have it with its data, if its spec.resourceRef names it\npatch done\n',
      patched('json', otherClaim('database.crossplane.io/v1alpha1', 'MySQLInstance', 'cart')),
    ],
    'offer --to --kind takes the group to tell two kinds apart': [
      'offer favdb db --to=team-b/cart --kind=widgets.b.example.com',
      { get: released },
      'FavouriteDBInstance db: Widget team-b/cart can have it with its data, if its spec.resourceRef names it\npatch done\n',
      patched('json', otherClaim('b.example.com/v1', 'Widget', 'cart')),
    ],
    'give-back names the UID of the namespace on each resource that is kept for it': [
      'give-back -n team-a',
      { get: returnables },
      'FavouriteDBInstance db: FancySQLInstance team-a/orders gets it back with its data, if it exists before 2026-12-05T09:00:00Z\nannotate done\nCluster: https://127.0.0.1:6443 (context demo)\nFavouriteDBInstance other: FancySQLInstance team-a/cart gets it back with its data\nannotate done\n',
      [givenBack('db', '41'), givenBack('other', '42')],
    ],
    'give-back changes only the resource of a claim that is named': [
      'give-back -n team-a cart --dry-run',
      { get: returnables },
      'FavouriteDBInstance other: FancySQLInstance team-a/cart gets it back with its data\nDry run: the API server checks the change, and nothing is changed.\nannotate done\n',
      [[...givenBack('other', '42'), '--dry-run=server']],
    ],
    'give-back of a kind and a name changes that resource': [
      'give-back favdb db',
      { get: returnables.split('\n').slice(0, 2).join('\n') },
      'FavouriteDBInstance db: FancySQLInstance team-a/orders gets it back with its data, if it exists before 2026-12-05T09:00:00Z\nannotate done\n',
      [givenBack('db', '41')],
    ],
    'rotate sets passwordRotation if the kind has that field': [
      'rotate favdb db',
      { get: withPassword, probe: withRotation },
      'FavouriteDBInstance db: requests a new password\npatch done\n',
      rotation,
    ],
    'rotate reports a rotation that waits for the policy Update': [
      'rotate favdb db',
      { get: withPassword.replace('<nil>', '[Observe Create]'), probe: withRotation },
      'FavouriteDBInstance db: requests a new password when its managementPolicies allow Update\npatch done\n',
      rotation,
    ],
    'rotate removes the password from the Secret if the kind has no passwordRotation': [
      'rotate favdb db',
      { get: withPassword, probe: withoutRotation, 'get-secret': secret },
      'FavouriteDBInstance db: removes the entry password of Secret stores/db, so that the controller generates and sets another one\npatch done\n',
      [
        [
          '--namespace=stores',
          'patch',
          'secret',
          'db',
          '--type=json',
          '-p',
          [
            is('/metadata/uid', 'u-3'),
            is('/metadata/resourceVersion', '41'),
            { op: 'remove', path: '/data/password' },
          ],
        ],
      ],
    ],
    'reconcile annotates a managed resource with the time': [
      'reconcile favdb db',
      { get: managed },
      'FavouriteDBInstance db: requests one run of its controller now\nannotate done\n',
      annotated('crossplane.io/reconcile-requested-at=TIME'),
    ],
    'reconcile annotates a claim in its namespace': [
      'reconcile fsql orders -n=team-a',
      { get: claim },
      'FancySQLInstance team-a/orders: requests one run of its controller now\nannotate done\n',
      [
        [
          '--namespace=team-a',
          'annotate',
          'fancysqlinstances.database.crossplane.io',
          'orders',
          '--overwrite',
          'crossplane.io/reconcile-requested-at=TIME',
        ],
      ],
    ],
    'pause sets the annotation': [
      'pause favdb db',
      { get: managed },
      'FavouriteDBInstance db: pauses all work on it, its deletion included\nannotate done\n',
      annotated('crossplane.io/paused=true'),
    ],
    'pause replaces a value of the annotation that does not pause': [
      'pause favdb db',
      { get: `${managed}=paused false\n` },
      'FavouriteDBInstance db: pauses all work on it, its deletion included\nannotate done\n',
      annotated('crossplane.io/paused=true'),
    ],
    'pause changes nothing on a paused resource': [
      'pause favdb db',
      { get: `${managed}=paused true\n` },
      'FavouriteDBInstance db: is paused already\n',
    ],
    'resume removes the annotation': [
      'resume favdb db',
      { get: `${managed}=paused true\n` },
      'FavouriteDBInstance db: resumes all work on it\nannotate done\n',
      annotated('crossplane.io/paused-'),
    ],
    'resume says that the data of a deleted resource are deleted': [
      'resume favdb db',
      { get: `${managed}=deleting\n=paused true\n` },
      'FavouriteDBInstance db: resumes all work on it. It is being deleted: its external resource is deleted too, with its data, unless its policies keep it\nannotate done\n',
      annotated('crossplane.io/paused-'),
    ],
    'resume changes nothing on a resource that is not paused': [
      'resume favdb db',
      { get: managed },
      'FavouriteDBInstance db: is not paused\n',
    ],
  };
  for (const [name, [args, answers, says, writes = []]] of Object.entries(rows)) {
    test(name, async () => {
      const { code, stdout, stderr, calls } = await run(args.split(' '), answers);
      const ended = { code: 0, stdout: `${header}${says}`, stderr: '', writes };
      assert.deepEqual({ code, stdout, stderr, writes: written(calls) }, ended);
    });
  }

  test('every call after the choice of the cluster names its context and the kubeconfig', async () => {
    const words = ['pause', 'favdb', 'db', '--kubeconfig', import.meta.filename, '--context=demo'];
    const { calls } = await run(words, { get: managed });
    assert.deepEqual(
      calls.map((call) => call.slice(0, 3)),
      ['config', 'get', 'api-resources', 'annotate'].map((verb) => [
        `--kubeconfig=${import.meta.filename}`,
        '--context=demo',
        verb,
      ]),
    );
  });

  /** The words of a command line, the line that refuses it, and the answers of the stub. */
  type Refusal = readonly [words: string | readonly string[], says: string, answers?: Answers];
  const refusals: Readonly<Record<string, Refusal>> = {
    'no verb': [
      '',
      'name a verb: trace, offer, give-back, rotate, reconcile, pause or resume; --help shows them',
    ],
    'an unknown verb': [
      'race',
      'there is no verb "race": use trace, offer, give-back, rotate, reconcile, pause or resume; --help shows them',
    ],
    'no object': ['pause', 'name an object: kubectl services-stack pause <kind> <name>'],
    'no name': [
      'pause favdb',
      'name the object of the kind favdb: kubectl services-stack pause <kind> <name>',
    ],
    'a third word': [
      'pause favdb db other',
      '"other" is one word too many: kubectl services-stack pause <kind> <name>',
    ],
    'an unknown flag': ['pause favdb --all', 'there is no flag "--all": --help shows all flags'],
    'a flag as a name': ['pause favdb -- --all', '"--all" cannot be the name of an object'],
    'a flag as a kind': ['pause -- -A db', '"-A" cannot be a kind'],
    'several kinds': ['pause favdb,fsql db', '"favdb,fsql" cannot be a kind'],
    'a name that is a command': [
      ['pause', 'favdb', '$(touch hacked);`touch hacked`'],
      '"$(touch hacked);`touch hacked`" cannot be the name of an object',
    ],
    'a name with control characters': [
      ['pause', 'favdb', 'a\nb\u001b[2J'],
      '"a b[2J" cannot be the name of an object',
    ],
    'a namespace that is a flag': [
      'pause favdb db -n --all-namespaces',
      '"--all-namespaces" cannot be the name of a namespace',
    ],
    'give-back without a namespace': [
      'give-back orders',
      'give-back needs the namespace of the claims: -n <namespace>',
    ],
    'give-back of a resource that is not kept': [
      'give-back favdb db',
      'favdb db is not kept for a deleted claim',
      { get: '' },
    ],
    'give-back of a resource that is kept for another namespace': [
      'give-back favdb db -n team-b',
      'favdb db is kept for a claim of namespace team-a',
      { get: returnables.split('\n').slice(0, 2).join('\n') },
    ],
    'give-back of a claim with several kept resources': [
      'give-back orders -n team-a',
      choose,
      { get: several },
    ],
    'give-back of what is not kept': [
      'give-back cart -n team-a',
      'no resource is kept for claim cart of namespace team-a',
      { get: '~uid "namespace-1"\n' },
    ],
    'a kept resource with odd references': [
      'give-back -n team-a',
      'a kept resource has a reference with characters that no name has: correct it with kubectl edit',
      { get: '~uid "namespace-1"\n~kept "a/v1:K:$(touch hacked):1:K:orders"\n' },
    ],
    'a flag without its value': ['pause favdb db --context', '--context needs a value'],
    'a flag with an empty value': ['pause favdb db --context=', '--context needs a value'],
    '--to for another verb': [
      'pause favdb db --to a/b',
      '--to, --kind and --any belong to offer, not to pause',
    ],
    '--to and --any': ['offer favdb db --to a/b --any', 'use --to or --any, not both'],
    '--kind alone': ['offer favdb db --kind fsql', '--kind needs --to: it is the kind of that claim'],
    '--to without a namespace': [
      'offer favdb db --to cart',
      '--to needs a claim as <namespace>/<name>, not "cart"',
    ],
    '--to with JSON in it': [
      ['offer', 'favdb', 'db', '--to', 'team-b/a","uid":"x'],
      '--to needs a claim as <namespace>/<name>, not "team-b/a","uid":"x"',
    ],
    'a kubeconfig that does not exist': [
      'pause favdb db --kubeconfig /nowhere',
      'there is no kubeconfig /nowhere',
    ],
    'no context': [
      'pause favdb db',
      'cannot find the cluster; name one with --kubeconfig or --context: current-context must exist in order to minify',
      { 'config.error': 'error: current-context must exist in order to minify\n' },
    ],
    'a cluster that does not answer': [
      'pause favdb db',
      'cannot read favdb db: The connection to the server 127.0.0.1:1 was refused',
      {
        'get.error':
          'E1127 00:45:09.1 1 memcache.go:265] "Unhandled Error"\nThe connection to the server 127.0.0.1:1 was refused\n',
      },
    ],
    'an object that does not exist': [
      'pause favdb db',
      `cannot read favdb db: ${resource} "db" not found`,
      { 'get.error': `Error from server (NotFound): ${resource} "db" not found\n` },
    ],
    'kept resources that may not be listed': [
      'give-back -n=team-a',
      `cannot list the managed resources: ${resource} is forbidden`,
      {
        'get.error': `Error from server (Forbidden): ${resource} is forbidden\nError from server (Forbidden): others are forbidden\n`,
      },
    ],
    'a pause of a claim': [
      'pause fsql orders -n team-a',
      'FancySQLInstance team-a/orders is a claim: pause its managed resource, FavouriteDBInstance db',
      { get: claim },
    ],
    'a pause of a class': [
      'pause favdbclass db',
      'FavouriteDBInstanceClass db is no managed resource, so there is nothing to pause',
      { get: classExample },
    ],
    'a reconcile of a class': [
      'reconcile favdbclass db',
      'FavouriteDBInstanceClass db is no claim, managed resource, Provider or ProviderConfig, so no controller reconciles it',
      { get: classExample },
    ],
    'a pause of an object of Kubernetes itself': [
      'pause pod db',
      'Pod db is no managed resource, so there is nothing to pause',
      { get: '~apiVersion "v1"\n~kind "Pod"\n~uid "u-9"\n' },
    ],
    'making a Bound resource with the policy Retain available': [
      'offer favdb db',
      'FavouriteDBInstance db is Bound to FancySQLInstance team-a/orders: delete that claim first, and the resource is Released and keeps its data',
      { get: `${bound}~reclaimPolicy "Retain"\n~deletionPolicy "Delete"\n` },
    ],
    'making a Bound resource without a policy available': [
      'offer favdb db',
      'FavouriteDBInstance db is Bound to FancySQLInstance team-a/orders: delete that claim first, and the resource is Released and keeps its data',
      { get: bound },
    ],
    ...Object.fromEntries(
      Object.entries({
        'with the reclaim policy Delete': [`${bound}~reclaimPolicy "Delete"\n`, 'the data'],
        'with managementPolicies that allow Delete': [
          `${withPolicies('[Observe Create Delete]')}~reclaimPolicy "Delete"\n~deletionPolicy "Orphan"\n`,
          'the data',
        ],
        'with the deletion policy Orphan': [
          `${bound}~reclaimPolicy "Delete"\n~deletionPolicy "Orphan"\n`,
          'FavouriteDBInstance db, and only the external resource stays',
        ],
        'with managementPolicies without Delete': [
          `${withPolicies('[Observe]')}~reclaimPolicy "Delete"\n~deletionPolicy "Delete"\n`,
          'FavouriteDBInstance db, and only the external resource stays',
        ],
      }).map(([which, [get = '', lost]]): [string, readonly [string, string, Answers]] => [
        `making a Bound resource available ${which}`,
        [
          'offer favdb db',
          `FavouriteDBInstance db is Bound to FancySQLInstance team-a/orders: set reclaimPolicy: Retain of FavouriteDBInstance db first; deleting the claim now deletes ${lost}. Run kubectl patch ${resource} db --type=merge -p '{"spec":{"reclaimPolicy":"Retain"}}', and then delete that claim`,
          { get },
        ],
      ]),
    ),
    'making an Unbound resource available': [
      'offer favdb db',
      'FavouriteDBInstance db is not Released, so there is nothing to make available',
      { get: `${managed}~phase "Unbound"\n` },
    ],
    'making a resource available without the name of the previous claim': [
      'offer favdb db',
      'FavouriteDBInstance db does not show its previous claim: name a claim with --to, or use --any',
      { get: `${managed}~claimUid "unknown"\n~phase "Released"\n` },
    ],
    'making a resource available to a claim of an unknown kind': [
      'offer favdb db --to team-b/cart',
      'FavouriteDBInstance db does not show the kind of its previous claim: name the kind of the claim with --kind',
      { get: `${managed}~claimUid "unknown"\n~phase "Released"\n` },
    ],
    'a kind of claims that does not exist': [
      'offer favdb db --to team-b/cart --kind gadget',
      'the cluster has no kind of claims "gadget"',
      { get: released },
    ],
    'a kind of claims that two groups have': [
      'offer favdb db --to team-b/cart --kind Widget',
      'several groups have the kind "Widget": add the group, as in <kind>.<group>',
      { get: released },
    ],
    'a claimRef with a quote in it': [
      'offer favdb db',
      'favdb db has a reference with characters that no name has: correct it with kubectl edit',
      { get: released.replace('"orders"', '"orders\\",\\"x"') },
    ],
    'a rotation of a resource without a password': [
      'rotate favdb db',
      'FavouriteDBInstance db has no password that the controllers generated and set, so there is nothing to rotate',
      { get: managed, probe: withoutRotation },
    ],
    'a rotation in a Secret that the policies do not let the controller set': [
      'rotate favdb db',
      'FavouriteDBInstance db cannot get another password, because its managementPolicies do not allow Update: allow Update first',
      { get: withPassword.replace('<nil>', '[Observe]'), probe: withoutRotation, 'get-secret': secret },
    ],
    'a rotation in a secret store': [
      'rotate favdb db',
      'FavouriteDBInstance db has its password in a secret store: delete its entry there, and the controller generates another one',
      { get: `${managed}=hasCredential\n`, probe: withoutRotation },
    ],
    'a rotation in a Secret of another owner': [
      'rotate favdb db',
      'Secret stores/db does not belong to FavouriteDBInstance db, so it is not changed',
      { get: withPassword, probe: withoutRotation, 'get-secret': secret.replace('"u-1"', '"u-8"') },
    ],
    'a rotation in a Secret without a password': [
      'rotate favdb db',
      'Secret stores/db has no entry password: the controller generates one by itself',
      { get: withPassword, probe: withoutRotation, 'get-secret': secret.replace('=hasPassword\n', '') },
    ],
    'a rotation without the right to read the Secret': [
      'rotate favdb db',
      'cannot read Secret stores/db: secrets "db" is forbidden',
      {
        get: withPassword,
        probe: withoutRotation,
        'get-secret.error': 'Error from server (Forbidden): secrets "db" is forbidden\n',
      },
    ],
    'a resume of a resource that its policies pause': [
      'resume favdb db',
      'FavouriteDBInstance db is paused by its empty spec.managementPolicies: edit them',
      { get: `${managed}=policies []\n` },
    ],
  };
  for (const [name, [words, says, answers]] of Object.entries(refusals)) {
    test(`one line refuses ${name}, and nothing is changed`, async () => {
      const args = typeof words === 'string' ? words.split(' ').filter(Boolean) : words;
      const { code, stdout, stderr, calls } = await run(args, answers);
      const refused = { code: 2, stdout: '', stderr: `services-stack: ${says}\n`, writes: [] };
      assert.deepEqual({ code, stdout, stderr, writes: written(calls) }, refused);
      assert.equal(existsSync(join(folder, 'hacked')), false);
    });
  }

  test('a change that the API server refuses is one line, with exit code 2', async () => {
    const { code, stdout, stderr } = await run(['pause', 'favdb', 'db'], {
      get: managed,
      'annotate.error': `Error from server (Forbidden): ${resource} "db" is forbidden\n`,
    });
    assert.deepEqual(
      { code, stdout, stderr },
      {
        code: 2,
        stdout: `${header}FavouriteDBInstance db: pauses all work on it, its deletion included\n`,
        stderr: `services-stack: cannot change FavouriteDBInstance db (nothing was changed; if it changed after it was read, repeat the command): ${resource} "db" is forbidden\n`,
      },
    );
  });

  test('a request within a second of the previous one gets another time', async () => {
    const now = Date.now();
    const times = [0, 1, 2].map((seconds) => `${new Date(now + seconds * 1000).toISOString().slice(0, 19)}Z`);
    const tokens = times.map((time) => `=token "${time}"\n`).join('');
    const { recorded } = await run(['reconcile', 'favdb', 'db'], { get: managed + tokens });
    const sent = recorded.split('reconcile-requested-at=').at(-1)?.slice(0, 20) ?? '';
    assert.deepEqual([sent.length, times.includes(sent)], [20, false]);
  });

  test('the server is shown without the credentials in its address', async () => {
    const { stdout } = await run(['pause', 'favdb', 'db'], {
      config: cluster.replace('https://', 'https://user:secret@'),
      get: managed,
    });
    assert.equal(stdout.split('\n')[0], header.trimEnd());
  });

  test('--version prints the version of the package, and calls nothing', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const { code, stdout, calls } = await run(['--version']);
    assert.deepEqual([code, stdout, calls], [0, `${version}\n`, []]);
  });

  for (const args of [['--help'], ['-h'], ['help'], ['offer', '--help']]) {
    test(`"${args.join(' ')}" shows every verb`, async () => {
      const { code, stdout } = await run(args);
      const verbs = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb]) => verb);
      assert.deepEqual([code, verbs], [0, ['trace', 'offer', 'rotate', 'reconcile', 'pause', 'resume']]);
    });
  }

  test('a copy of the file runs every verb but trace, which names the file that it needs', async () => {
    const copy = join(folder, 'kubectl-services_stack');
    await copyFile(plugin, copy);
    const paused = await run(['pause', 'favdb', 'db'], { get: managed }, copy);
    const traced = await run(['trace', 'favdb', 'db'], {}, copy);
    const refused = `services-stack: trace needs the file kubectl-services_stack-trace.mjs of the release in ${await realpath(folder)}\n`;
    assert.deepEqual([paused.code, traced.code, traced.stderr], [0, 2, refused]);
  });

  test('trace runs the program of the release beside the plugin, and refuses an older Node', async () => {
    const copy = join(folder, 'kubectl-services_stack');
    await copyFile(plugin, copy);
    const program = 'console.log(process.argv.slice(2).join(" "))';
    await writeFile(join(folder, 'kubectl-services_stack-trace.mjs'), program);
    const traced = await run(['trace', 'favdb', 'db', '-n', 'a'], {}, copy);
    assert.deepEqual([traced.code, traced.stdout], [0, 'favdb db -n a\n']);
    const old = '#!/bin/sh\n[ "$1" != --version ] || { echo v22.1.0; exit 0; }\nexit 1\n';
    await writeFile(join(folder, 'node'), old, { mode: 0o755 });
    const refused = await run(['trace', 'favdb', 'db'], {}, copy);
    const sentence = `services-stack: trace needs Node 24 or later, and ${folder}/node is v22.1.0\n`;
    assert.deepEqual([refused.code, refused.stderr], [2, sentence]);
  });
});
