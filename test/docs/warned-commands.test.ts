import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { catalogue } from '../cluster/advice/catalogue.ts';
import { projectRoot } from './project-copy.ts';

/*
 * Each command or statement that destroys data, removes a finalizer or gives data away, and the words before it that warn of
 * this. The patterns find the commands, so that a new one fails until it is in a table.
 */

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

interface Harmless {
  readonly harmless: string;
}
/** Nothing is lost or given away. */
const harmless = (why: string): Harmless => ({ harmless: why });

function assertBefore(text: string, words: string, act: string): void {
  const at = text.indexOf(words);
  assert.ok(at >= 0 && text.indexOf(act, at + words.length) >= 0, `"${words}" before "${act}" in: ${text}`);
}

/** Advice that destroys data, gives them away, or lets another object decide about them. */
const riskyAdvice =
  /delet|remov|drop|(?:give|hand) (?:that data|it to)|claimRef|namespaceSelector|reoffer|or-create|external-lost|adopt|available|\brun\b|TerminateSessions|created again/i;

/** One argument for every piece: it is an object, a list of texts, and a text. */
const given = Object.assign(['X'], { apiVersion: 'example.org/v1', kind: 'Kind', metadata: { name: 'x' } });
type Piece = (...all: readonly unknown[]) => string;
const advice = new Map(
  Object.entries<unknown>(catalogue).map(([id, piece]) => [
    id,
    typeof piece === 'function' ? (piece as Piece)(given, given) : String(piece),
  ]),
);

type Described = readonly [words: string, act: string];
/** The words are in the message, before the piece, where this file emits it. */
interface DescribedIn {
  readonly words: string;
  readonly file: string;
}

const report = 'controllers/claim-binding/report.ts';
const pieces: Readonly<Record<string, Described | DescribedIn | Harmless>> = {
  acknowledgeLoss: ['if you need it', 'kubectl annotate'],
  addSpace: ['add space', 'delete what is not needed there'],
  adopt: ['the first claim that names this resource gets its data', 'run:'],
  adoptRole: ['its password and attributes become those of this resource', 'run:'],
  allowLogin: harmless('it allows a login'),
  askAuthorOfSecret: ['may be the only copy of its contents: ask its author', 'delete it'],
  beginName: harmless('a claim that waits because of its name has nothing'),
  chooseCredential: ['edit the password', 'delete that to get another one'],
  closeDatabases: harmless('it takes a right from the public'),
  correctProvider: ['If both are the same system', 'set the annotation'],
  createClaimAgain: harmless('the resource of the claim does not exist, and the claim was never Bound'),
  createEmpty: ['to have an empty one created', 'kubectl annotate'],
  createExternalAgain: ['to have another created', 'remove the annotation'],
  createLost: ['to have an empty one created', 'kubectl annotate'],
  createNodeGroupAgain: harmless('the creation of the node group failed'),
  createRetainedAgain: ['retained it', 'create one'],
  createSchema: harmless('it creates a schema'),
  deleteFrozenCopy: ['once its values are not needed', 'delete it'],
  deleteOwned: ['it belongs to another resource', 'delete that one first'],
  dropHandedOver: ['lets it drop database X with all its data', 'runs:'],
  dropOfAnother: ['that role may use the database. To drop database X with all its data', 'runs:'],
  dropRenamed: ['to drop it with its data', 'name it back'],
  dropUnmarked: ['to drop it with its data', 'run:'],
  enableEngine: harmless('it adds an engine'),
  enableVersioning: harmless('it keeps more versions'),
  endHolder: ['once its data is safe', 'run in that database'],
  endProtection: ['The command that ends the wait', 'kubectl patch'],
  endRehearsal: {
    words: 'and would otherwise $',
    file: 'controllers/management-policies.ts',
  },
  endSessions: { words: 'may not end:', file: 'stacks/postgresql/client/database-drop.ts' },
  forgetCredential: ['save what you need of the Secret', 'delete it'],
  forgetUsers: ['no resource manages it and the passwords of its previous users do not work', 'run:'],
  generateOthers: ['if the new team may have the password', 'set the annotation'],
  giveDatabase: ['to give it to the administrator', 'who runs it:'],
  giveObjects: ['to give its objects to the administrator', 'run in that database:'],
  grantAdmin: harmless('it gives a right to the role of the provider'),
  handOver: ['To hand it to X, with all that it owns and may do', 'runs:'],
  installExtension: harmless('it adds an extension'),
  keepRole: harmless('it keeps the role'),
  keepUnmarked: harmless('it keeps the database'),
  labelEntry: ['to give it to this one', 'label it'],
  makeAvailable: { words: 'with the data of the previous', file: report },
  mergeGrants: ['put all privileges there', 'delete this one'],
  moveExternal: ['to have an empty one created', 'set the annotation'],
  moveTables: ['move its tables to a database of another name', 'drop the empty one'],
  nameInstanceBack: harmless('it gives an instance its name back'),
  nameKnownKind: harmless('a claim of which no controller knows the kind has nothing'),
  offerObserved: ['to give its data away', 'spec.claimRef'],
  raiseQuota: ['delete unused resources', 'or'],
  removeClaimRef: [
    'to give its data to any claim',
    'remove spec.claimRef; or, if its data is not needed, delete',
  ],
  removeName: harmless('a claim that waits because of its name has nothing'),
  removeUnsafe: harmless('a claim that waits because of its name has nothing'),
  removeWrittenName: harmless('nothing has the written name'),
  restoreResource: ['create another claim', 'Delete this one once its Secret is not needed'],
  restoreRetained: ['it is kept for a deleted claim', 'delete this resource'],
  reuseCredentials: ['if the new team may have the password', 'set the annotation'],
  runStack: harmless('its user has deleted the claim'),
  setOwnerTags: ['to hand it to this resource, with its data', 'set its tags'],
  startWithoutReference: harmless('the claim has no resource, and the kept one stays'),
  supportedPolicies: harmless('it lists the sets from which an administrator chooses'),
  takeBack: ['if its data is not of another team', 'run:'],
  terminateSessions: ['to terminate them', 'set spec.forProvider.onDelete'],
  unsealVault: harmless('Vault answers again'),
  useAnother: ['if it has no data', 'delete this resource'],
};

/** Where a file uses a piece of advice, as `advice.keepRole` or `clientAdvice.keepRole`. */
function useOf(id: string, source: string): readonly [use: string, at: number] {
  const found = new RegExp(`\\w*[aA]dvice\\.${id}\\b`).exec(source) ?? assert.fail(`no use of ${id}`);
  return [found[0], found.index];
}

describe('a piece of advice says what is lost or given away before it says how', () => {
  test('each risky piece is in the table', () => {
    const found = [...advice].filter(([, text]) => riskyAdvice.test(text)).map(([id]) => id);
    assert.deepEqual(found.toSorted(), Object.keys(pieces));
  });

  for (const [id, described] of Object.entries(pieces)) {
    test(`${id}${'harmless' in described ? `: ${described.harmless}` : ''}`, () => {
      if ('harmless' in described) return;
      if (!('file' in described)) return assertBefore(advice.get(id) ?? '', ...described);
      const source = read(described.file);
      const [use, at] = useOf(id, source);
      assertBefore(source.slice(Math.max(at - 300, 0), at + use.length), described.words, use);
    });
  }
});

describe('the trace prints a command that loses or gives data away below a warning', () => {
  const risky =
    /kubectl\('(?:delete|patch|replace)'|howToMakeAvailable\(|or-create|Pending\}-`|externalName\}-|details: makeAvailable/g;
  const remedies = 'trace/model/remedies.ts';
  /** In the order of the files: the words of the advice, in the row or function of the command. */
  const rows: readonly (readonly [file: string, act: string, description: string | Harmless])[] = [
    [
      'trace/model/fault-table.ts',
      'details: makeAvailable',
      'It may hold the data of a previous claim: ask the team of that claim first.',
    ],
    [remedies, "kubectl('delete'", 'delete this claim, which has no resource and no data.'],
    [remedies, 'howToMakeAvailable(', harmless('the row of the table says it')],
    [remedies, 'Pending}-`', harmless('its advice is to look first, and nothing is deleted')],
    [remedies, 'or-create', 'have another one created, which is empty'],
    [remedies, 'externalName}-', 'have another one created, which is empty'],
    [remedies, "kubectl('delete'", 'This deletes the values in it.'],
  ];

  test('each such command is in the table', () => {
    const found = globSync('trace/model/*.ts', { cwd: projectRoot })
      .toSorted()
      .flatMap((file) => [...read(file).matchAll(risky)].map(([act]) => [file, act]));
    assert.deepEqual(
      found,
      rows.map(([file, act]) => [file, act]),
    );
  });

  for (const file of new Set(rows.map(([each]) => each))) {
    const fileRows = rows.filter(([each]) => each === file);
    for (const [index, [, act, description]] of fileRows.entries()) {
      if (typeof description !== 'string') continue;
      test(`${act}: ${description}`, () => {
        const source = read(file);
        const at = [...source.matchAll(risky)][index]?.index ?? 0;
        assert.ok(source.slice(at - 700, at + 300).includes(description));
      });
    }
  }
});

describe('the plugin of kubectl says what it gives away or deletes before it changes anything', () => {
  const source = read('trace/kubectl-services_stack');
  const acts = [...source.matchAll(/^ +(?:patch (?:json|merge) |annotate |change ").*$/gm)];
  /** In the order of the file: the words of the last `announce` before the change. */
  const rows: readonly (readonly [act: string, description: string | Harmless])[] = [
    ['"op\\":\\"remove\\",\\"path\\":\\"/spec/claimRef\\"', 'of whichever team, can have it with its data'],
    ['"op\\":\\"add\\",\\"path\\":\\"/spec/claimRef\\"', 'can have it with its data'],
    ['"op\\":\\"remove\\",\\"path\\":\\"/spec/claimRef/uid\\"', 'can have it with its data'],
    ['"--resource-version=$version"', 'gets it back with its data'],
    ['"$rotation"', 'requests a new password'],
    ['change "$secret"', 'removes the entry password'],
    ['reconcile-requested-at', harmless('it requests a run')],
    ['paused=true', harmless('it keeps everything')],
    ['paused-', '$deletes'],
  ];

  test('each change is in the table', () => {
    const found = acts.map(([line], index) => line.includes(rows[index]?.[0] ?? '\0') || line);
    assert.deepEqual(
      found,
      rows.map(() => true),
    );
  });

  for (const [index, [act, description]] of rows.entries()) {
    if (typeof description !== 'string') continue;
    test(`${act}: ${description}`, () => {
      const before = source.slice(0, acts[index]?.index);
      assert.ok(before.slice(before.lastIndexOf('announce ')).includes(description));
    });
  }
});

const riskyCommand =
  /kubectl.*(?<!--for=)\b(?:delete|replace --force)\b|kubectl (?:patch|edit).*(?:claimRef|finalizers|Policy)|reoffer=|or-create|external-lost-|services-stack (?:offer|give-back|resume|rotate)|\b(?:DROP|TRUNCATE|REASSIGN|REVOKE)\b|helm uninstall|"claimRef"/;
/** Pages whose commands no reader runs. */
const notForReaders =
  /^(?:CHANGELOG|docs\/(?:decisions\/|api-reference|decision-tables|performance|releases))/;

interface Found {
  readonly command: string;
  /** The text of the same section up to the command. */
  readonly before: string;
}

/** The commands in fences and between backquotes. In a fence, the comments above a command belong to what is said. */
function commandsWithText(markdown: string): readonly Found[] {
  let isFence = false;
  const found: Found[] = [];
  let section = '';
  for (const line of markdown.split('\n')) {
    if (/^#+ /.test(line) && !isFence) section = '';
    if (/^\s*```/.test(line)) isFence = !isFence;
    else if (isFence && !/^\s*#/.test(line)) {
      const command = line.trim().replace(/^\$ /, '');
      if (riskyCommand.test(command)) found.push({ command, before: section });
    } else {
      for (const { 1: command = '', index } of line.matchAll(/`([^`]+)`/g)) {
        const isRun = /^(?:kubectl|helm|psql|DROP|REASSIGN|TRUNCATE|REVOKE)\b/.test(command);
        if (isRun && riskyCommand.test(command))
          found.push({ command, before: `${section}${line.slice(0, index)}` });
      }
    }
    section += `${line}\n`;
  }
  return found;
}

describe('a page says what a command deletes or gives away before the command', () => {
  /** Of each page, in its order: the start of the command, and the words before it in its section. */
  const descriptions: Readonly<
    Record<string, readonly (readonly [start: string, words: string | Harmless])[]>
  > = {
    'README.md': [['kubectl services-stack offer', 'to give a Released resource with its data to a claim']],
    'deploy/chart/README.md': [
      ['helm uninstall', harmless('it deletes neither the definitions nor the namespace')],
    ],
    'docs/adding-a-managed-service.md': [
      ['kubectl -n team-a delete fancysqlinstances', 'is deleted seven days later'],
    ],
    'docs/annotations.md': [
      ['kubectl services-stack give-back', harmless('the linked page has the warning')],
    ],
    'docs/backup.md': [
      ['kubectl -n crossplane-system delete pods', harmless('it stops the controllers')],
      ['kubectl delete --wait=false', 'set `reclaimPolicy: Retain` on it'],
      ['kubectl services-stack rotate', harmless('the claim gets the new password')],
      ['DROP DATABASE', 'If its data is not needed'],
      ['DROP ROLE', 'If its data is not needed'],
      [
        'kubectl -n crossplane-system delete configmap',
        'They delete the databases of step 2 that you did not keep',
      ],
    ],
    'docs/crossplane.md': [
      ['kubectl delete -f deploy/install.yaml', 'deletes the namespace with all its Secrets: do not run'],
    ],
    'docs/delete-a-claim.md': [
      ['kubectl -n team-shop delete', 'deletes its database with all data, unless the class says Retain'],
      ['kubectl -n team-shop delete', 'deletes its database with all data, unless the class says Retain'],
    ],
    'docs/deletion.md': [
      ['kubectl delete --cascade=orphan', 'The deletion of a managed resource deletes its database'],
      ['kubectl delete namespace', 'The claims of a namespace are deleted with it, and their databases too'],
      ['kubectl -n team-a delete claims', 'delete the claims, with their databases'],
      ['kubectl delete clusterrolebinding', harmless('the right was given for this deletion')],
      ['kubectl services-stack give-back', 'because the namespace may be of another team now'],
      ['kubectl patch providerconfigs', harmless('no external resource is deleted with its provider')],
    ],
    'docs/gcp.md': [
      ['kubectl annotate cloudmemorystoreinstance', 'Give the current string to the new claim'],
    ],
    'docs/gitops.md': [['kubectl replace --force', 'That deletes the database']],
    'docs/install.md': [
      ['kubectl delete clusterrolebinding', harmless('other rights replace these')],
      ['kubectl delete -f crds/', 'Never run'],
    ],
    'docs/kubectl-plugin.md': [
      [
        'kubectl services-stack offer <kind>',
        harmless('its row says it, and the plugin before it changes anything'),
      ],
      [
        'kubectl services-stack give-back',
        harmless('its row says it, and the plugin before it changes anything'),
      ],
      ['kubectl services-stack rotate', harmless('it requests a new password')],
      [
        'kubectl services-stack resume',
        harmless('its row says it, and the plugin before it changes anything'),
      ],
      ['kubectl services-stack offer favouritedbinstance', 'with its data'],
    ],
    'docs/managed-resources.md': [
      ['kubectl -n NAMESPACE delete secret', 'if it holds no keys of your own'],
      ['kubectl services-stack rotate', harmless('it requests a new password')],
      ['kubectl patch favouritedbinstance', 'First check the data that the previous team left there'],
      ['kubectl patch favouritedbinstance', 'for any claim that names it, of whichever team'],
      ['"spec": {"claimRef"', 'First check the data that the previous team left there'],
      ['kubectl services-stack offer', 'gives the data away'],
      [
        'kubectl annotate favouritedbinstance',
        'if the new team may have the password that the previous team knows',
      ],
      ['kubectl services-stack give-back', 'First ask the team of the previous claim'],
      ['kubectl services-stack give-back', 'First ask the team of the previous claim'],
      ['kubectl services-stack give-back', 'First ask the team of the previous claim'],
      ['kubectl delete', 'cannot be deleted'],
    ],
    'docs/mysql.md': [
      ["DROP USER ''@'localhost'", 'If no program of yours logs in without a name, remove each'],
      ["DROP USER ''@'db1", 'If no program of yours logs in without a name, remove each'],
      ['GRANT SELECT', 'It may read, change and drop every database of the server'],
    ],
    'docs/postgresql.md': [
      ['REVOKE CONNECT', 'Allow only administrators to connect there'],
      ['REASSIGN OWNED BY', 'If the previous owner owns no other database'],
    ],
    'docs/rotate.md': [['kubectl services-stack rotate', 'requests the password']],
    'docs/start-postgresql.md': [
      ['kubectl -n team-shop delete', 'The database, with its data, is deleted seven days after its claim'],
    ],
    'docs/uninstall.md': [
      ['kubectl delete -f crds/', 'the controllers delete their databases'],
      ['kubectl get managed -o name', harmless('the databases stay')],
      ['kubectl delete claims', 'with their databases and all data'],
      ['kubectl delete managed', 'with their databases and all data'],
      ['kubectl delete provider', 'Providers and ProviderConfigs'],
      ['kubectl delete -f deploy/install.yaml', 'with its namespace and all Secrets there'],
      ['kubectl delete --ignore-not-found', 'Delete the definitions'],
      ['helm uninstall', harmless('it deletes neither the definitions nor the namespace')],
      ['kubectl delete -f deploy/install.yaml', 'its deletion deletes all Secrets there'],
    ],
    'docs/upgrade.md': [
      [
        'kubectl delete -f crds/',
        'that deletes all claims and managed resources of its kind, and their databases',
      ],
      [
        'kubectl replace --force',
        'that deletes all claims and managed resources of its kind, and their databases',
      ],
      ['kubectl delete -f crds/demo/', 'If there are none, you may delete the definitions'],
    ],
  };
  const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'examples/**/*.md'], { cwd: projectRoot })
    .filter((page) => !notForReaders.test(page))
    .toSorted()
    .map((page) => [page, commandsWithText(read(page))] as const)
    .filter(([, found]) => found.length > 0);

  test('each page with such a command is in the table', () => {
    assert.deepEqual(
      pages.map(([page]) => page),
      Object.keys(descriptions),
    );
  });

  for (const [page, found] of pages) {
    test(page, () => {
      const rows = descriptions[page] ?? [];
      const known = found.map(
        ({ command }, index) => command.startsWith(rows[index]?.[0] ?? '\0') || command,
      );
      assert.deepEqual(
        known,
        rows.map(() => true),
      );
      for (const [index, [, words]] of rows.entries())
        if (typeof words === 'string') assert.ok(found[index]?.before.includes(words), words);
    });
  }
});
