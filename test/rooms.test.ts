import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '..');
const stacks = readdirSync(join(root, 'stacks'));

/** The imports of the controllers of claims, which share code only through `claim/`. */
const claimRooms = ['apis/core/', 'controllers/', 'controllers/claim/', 'runtime/**'];
/** The decisions of the controllers, as far as a trace shows them. */
const decisions = [
  'apis/core/',
  'controllers/',
  'controllers/claim/',
  'controllers/claim-binding/',
  'controllers/managed/',
  'controllers/provider/',
  'runtime/**',
  'trace/catalogue.ts',
];
/** The rooms on which stacks and the kit for authors build. */
const forAuthors = [
  'apis/core/',
  'controllers/',
  'controllers/managed/',
  'controllers/provider/',
  'controllers/stack.ts',
  'runtime/**',
];

/**
 * The allowed imports: room → the rooms it may import beside itself. A file belongs to the room with the longest path
 * that it starts with. Every other import is forbidden: a stack knows no other stack, and claim controllers share code
 * only through `claim/`.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  'apis/core/': [],
  /** The claim kinds, which every stack may serve. */
  'apis/cache/': ['apis/core/'],
  'apis/database/': ['apis/core/'],
  /** The form of a definition in a cluster. */
  'apis/crd.ts': ['apis/core/'],
  'apis/': ['apis/**'],

  /** The version of the package, and the exports for its build. */
  'package.json': [],

  'clients/': [
    'clients/external-error.ts',
    'clients/percent-encoded.ts',
    'clients/retry-after.ts',
    'clients/without-secrets.ts',
  ],
  /** The classes of errors, which conditions, metrics and the trace use. */
  'clients/external-error.ts': [],
  /** The encoding of connection details in addresses, which templates of Secrets use, too. */
  'clients/percent-encoded.ts': [],
  /** The Retry-After header, for both HTTP clients. */
  'clients/retry-after.ts': [],
  /** Removes secrets from a message, wherever it is written. */
  'clients/without-secrets.ts': ['clients/percent-encoded.ts'],

  'runtime/abortable.ts': [],
  'runtime/bounded-cache.ts': [],
  'runtime/time/': [],
  'runtime/log/': ['apis/core/', 'runtime/time/'],
  'runtime/client/': [
    'apis/core/',
    'clients/retry-after.ts',
    'runtime/abortable.ts',
    'runtime/log/',
    'runtime/time/',
  ],
  'runtime/cache/': [
    'apis/core/',
    'runtime/abortable.ts',
    'runtime/bounded-cache.ts',
    'runtime/client/',
    'runtime/log/',
    'runtime/time/',
  ],
  'runtime/events/': [
    'apis/core/',
    'runtime/bounded-cache.ts',
    'runtime/client/',
    'runtime/log/',
    'runtime/time/',
  ],
  'runtime/controller/': [
    'apis/core/',
    'runtime/bounded-cache.ts',
    'runtime/cache/',
    'runtime/client/',
    'runtime/events/',
    'runtime/log/',
    'runtime/time/',
  ],
  'runtime/probes/': ['runtime/cache/', 'runtime/client/', 'runtime/controller/', 'runtime/time/'],
  'runtime/process/': [
    'apis/core/',
    'runtime/cache/',
    'runtime/client/',
    'runtime/controller/',
    'runtime/log/',
    'runtime/probes/',
    'runtime/time/',
  ],

  'controllers/': ['apis/core/', 'clients/external-error.ts', 'clients/percent-encoded.ts', 'runtime/**'],
  'controllers/claim/': ['apis/core/', 'controllers/', 'runtime/**'],
  'controllers/claim-binding/': claimRooms,
  'controllers/claim-defaulting/': claimRooms,
  'controllers/claim-scheduling/': claimRooms,
  'controllers/secret-propagation/': claimRooms,
  'controllers/in-use/': ['apis/core/', 'controllers/', 'runtime/**'],
  'controllers/provider/': [
    'apis/core/',
    'clients/external-error.ts',
    'controllers/',
    'controllers/in-use/',
    'runtime/**',
  ],
  'controllers/references/': ['apis/core/', 'controllers/', 'runtime/**'],
  'controllers/connection/': ['apis/core/', 'controllers/', 'runtime/**'],
  /** The secret stores: Kubernetes and Vault. */
  'controllers/stores/': [
    'apis/core/',
    'clients/',
    'controllers/',
    'controllers/connection/',
    'controllers/provider/',
    'runtime/**',
  ],
  'controllers/managed/': [
    'apis/core/',
    'clients/external-error.ts',
    'clients/without-secrets.ts',
    'controllers/',
    'controllers/connection/',
    'controllers/provider/',
    'controllers/references/',
    'runtime/**',
  ],
  'controllers/stack.ts': [
    'apis/core/',
    'controllers/',
    'controllers/claim/',
    'controllers/claim-binding/',
    'controllers/claim-defaulting/',
    'controllers/claim-scheduling/',
    'controllers/connection/',
    'controllers/in-use/',
    'controllers/managed/',
    'controllers/provider/',
    'controllers/secret-propagation/',
    'runtime/**',
  ],

  'controllers/author/': [
    ...forAuthors,
    'apis/crd.ts',
    'clients/',
    'clients/external-error.ts',
    'controllers/references/',
    'package.json',
  ],

  /** A stack knows no other stack: it imports what the package exports. */
  ...Object.fromEntries(stacks.map((stack) => [`stacks/${stack}/`, ['package/']])),

  /** The composition root. It knows no stack: the package exports it. */
  'app/': ['apis/**', 'app/metrics/', 'controllers/**', 'dashboard/', 'runtime/**'],
  /** The list of our stacks. */
  'app/stacks.ts': ['controllers/author/', 'stacks/**'],
  'app/generate.ts': ['apis/**', 'app/', 'app/stacks.ts', 'controllers/**', 'package.json', 'runtime/**'],
  /** `npm run trace`. */
  'app/trace.ts': ['app/stacks.ts', 'trace/run-here.ts'],
  'app/metrics/': [
    'apis/core/',
    'controllers/',
    'controllers/managed/',
    'controllers/stack.ts',
    'runtime/**',
  ],

  /** The trace of an object: the decisions of the controllers, from objects that `read/` has read. */
  'trace/model/': decisions,
  'trace/read/': [...decisions, 'trace/model/'],
  'trace/show/': ['apis/core/', 'trace/model/'],
  'trace/catalogue.ts': ['apis/core/', 'controllers/author/', 'controllers/', 'controllers/managed/'],
  'trace/command.ts': [
    'apis/core/',
    'controllers/author/',
    'runtime/**',
    'trace/catalogue.ts',
    'trace/model/',
    'trace/read/',
    'trace/show/',
  ],
  'trace/run-here.ts': ['controllers/author/', 'runtime/**', 'trace/command.ts'],

  /** The live page of a process: it reads what the process has. */
  'dashboard/': [
    'apis/core/',
    'controllers/author/',
    'controllers/',
    'controllers/provider/',
    'dashboard/page/',
    'runtime/**',
    'trace/catalogue.ts',
    'trace/model/',
    'trace/read/',
  ],
  /** Runs in a browser, and takes types alone from elsewhere. */
  'dashboard/page/': ['apis/core/', 'trace/model/'],
  'dashboard/generate.ts': ['apis/', 'dashboard/'],

  /** For authors: what their clients and stacks are held to. Not part of the process. */
  'testing/': [...forAuthors, 'apis/crd.ts', 'app/', 'controllers/author/'],
  /** The common part of the emulators. */
  'testing/emulators/': ['local/', 'runtime/**'],
  'testing/favourite-cloud/': ['local/', 'runtime/**', 'testing/emulators/'],
  'testing/vault/': ['local/', 'runtime/**', 'testing/emulators/'],

  /** The modules that stacks import. */
  'package/': [
    'apis/**',
    'app/',
    'clients/**',
    'controllers/**',
    'local/',
    'runtime/**',
    'testing/',
    'testing/emulators/',
    'testing/favourite-cloud/',
  ],
  /** The command for authors of other repositories. */
  'package/command/': [
    'apis/**',
    'app/',
    'controllers/**',
    'dashboard/page/',
    'local/',
    'local/terminal/',
    'package.json',
    'package/',
    'testing/favourite-cloud/',
    'trace/run-here.ts',
  ],
  'main.ts': ['app/', 'app/stacks.ts', 'package.json', 'runtime/**'],
  /** Builds the site of the docs. */
  'docs/.vitepress/': [],
  /** Replaces Docker, Helm and downloads on a machine that has none of them. */
  'tools/offline/': [],
  /** The control plane, database servers and Redis of a laptop. */
  'local/': ['runtime/**', 'tools/offline/'],
  /** The feed of the live page as text. */
  'local/terminal/': ['apis/core/', 'dashboard/page/'],
  /** Builds the package, the image and releases. */
  'tools/': ['local/', 'package.json', 'tools/offline/'],
  'demo/': [
    'apis/**',
    'dashboard/page/',
    'local/',
    'local/terminal/',
    'runtime/**',
    'stacks/**',
    'testing/emulators/',
    'testing/favourite-cloud/',
  ],
};

const byLength = Object.keys(arrows).toSorted((a, b) => b.length - a.length);
const roomOf = (file: string): string => byLength.find((room) => file.startsWith(room)) ?? '';

const files = globSync(
  '{main.ts,docs/.vitepress/*.ts,{apis,app,clients,controllers,dashboard,demo,local,package,runtime,stacks,testing,tools,trace}/**/*.ts}',
  {
    cwd: root,
  },
);

/** The imports of a source, as written: files, packages and modules of Node. */
const specifiersIn = (source: string): readonly string[] =>
  [
    ...source.matchAll(/^(?:import|export|\}).*\bfrom\s+(['"])(.+?)\1|^import\s+(['"])(.+?)\3/gm),
    ...source.matchAll(/(?:\bimport|= require|meta\.resolve)\s*\(\s*(['"`])([^'"`]+)\1(?=\s*[,)])/g),
  ].map(([, , specifier, , alone = '']) => specifier ?? alone);

/** Imports whose target is not written there, or written in a way that no arrow is seen. */
const hiddenIn = (source: string): readonly string[] => [
  ...(source.match(/\bimport\s*\((?!\s*(['"`])[^'"`$]+\1\s*[,)]).*|\bcreateRequire\b|\bnew Worker\b/g) ?? []),
  ...specifiersIn(source).filter((specifier) => /^(?:[#/]|(?!node:)[a-z]+:)/.test(specifier)),
];

/** Files that may hide an import, each with its reason. */
const mayHide: Readonly<Record<string, string>> = {
  'apis/generate.ts': 'it imports every kind, also those of stacks',
  'tools/bundle.ts': 'it writes into what it makes how packages ask for modules of Node',
  'package/command/stacks-of.ts': 'it imports the stacks of authors',
  'local/postgresql-binaries.ts': 'it looks for the binaries of a package',
};

const importsOf = new Map(
  files.map((file) => {
    const found = specifiersIn(readFileSync(join(root, file), 'utf8')).filter((path) => path.startsWith('.'));
    return [file, found.map((path) => relative(root, join(root, dirname(file), path)))] as const;
  }),
);

describe('every import is seen', () => {
  const imports = [
    "import { a } from './b.ts';",
    "import type { A } from './b.ts';",
    "import './b.ts';",
    "export { a } from './b.ts';",
    "export * from './b.ts';",
    "const { a } = await import('./b.ts');",
    'await import(`./b.ts`);',
    'await import(\n  "./b.ts",\n);',
    "type A = import('./b.ts').A;",
    "import b = require('./b.ts');",
    "import.meta.resolve('./b.ts')",
  ];
  for (const source of imports) {
    test(source, () => {
      assert.deepEqual(specifiersIn(source), ['./b.ts']);
      assert.deepEqual(hiddenIn(source), []);
    });
  }
  const hidden = [
    'await import(path);',
    "await import('./' + name);",
    ['await import(`./$', '{name}.ts`);'].join(''),
    "import { a } from '/home/b.ts';",
    "import { a } from 'file:///home/b.ts';",
    "import { a } from '#b';",
    'const require = createRequire(import.meta.url);',
    "new Worker('./b.ts')",
  ];
  for (const source of hidden)
    test(`an import that is not seen is refused: ${source}`, () => assert.ok(hiddenIn(source).length > 0));

  test('in all files, and there are no sources of another extension', () => {
    const hiding = files.filter(
      (file) => !(file in mayHide) && hiddenIn(readFileSync(join(root, file), 'utf8')).length > 0,
    );
    assert.deepEqual(hiding, []);
    const others =
      '{apis,clients,controllers,dashboard,demo,local,runtime,stacks,testing,tools,trace}/**/*.{js,cjs,mjs,jsx,cts,mts,tsx}';
    assert.deepEqual(globSync(others, { cwd: root }), []);
  });
});

/** A room, or with `**` any room on a floor. */
const isAllowed = (allowed: string, room: string): boolean =>
  allowed === room || (allowed.endsWith('**') && room.startsWith(allowed.slice(0, -2)));

describe('imports between rooms point one way', () => {
  test('there are files to look at, and each is in a room', () => {
    assert.ok(files.length > 100);
    const homeless = files.filter((file) => roomOf(file) === '');
    assert.deepEqual(homeless, []);
  });
  for (const [file, imports] of importsOf) {
    test(file, () => {
      const room = roomOf(file);
      for (const imported of imports) {
        const isFine =
          roomOf(imported) === room || (arrows[room] ?? []).some((to) => isAllowed(to, roomOf(imported)));
        assert.ok(isFine, `${file} (${room}) imports ${imported} (${roomOf(imported)})`);
        assert.ok(imported.endsWith('.ts') || imported.endsWith('.json'), `${imported} has no extension`);
      }
    });
  }
});

/** A way from a node back to itself, if there is one. */
function cycleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function graphOf(nameOf: (file: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, imports] of importsOf) {
    const to = imports.map(nameOf).filter((name) => name !== nameOf(file));
    graph.set(nameOf(file), new Set([...(graph.get(nameOf(file)) ?? []), ...to]));
  }
  return graph;
}

/** The folders and files in the first column of the table of CONTRIBUTING.md. */
const [, listed = ''] = /\n## Folders\n(.*)/s.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? [];
const rows = [...listed.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].map(([, cell = '']) =>
  Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
);
/** The row of a file: the one with the longest path that it starts with. */
const rowOf = (file: string): string =>
  rows
    .flatMap((names) => names.map((name) => [name.replace('<name>/', ''), names.join()] as const))
    .filter(([name]) => file.startsWith(name))
    .toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? '';

/** The names that the modules of the package export, as `file#name`, each with its module and its name there. */
const exported = new Map(
  globSync('package/*.ts', { cwd: root }).flatMap((module) =>
    [
      ...readFileSync(join(root, module), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from '(.+?)'/gm),
    ].flatMap(([, names = '', from = '']) =>
      namesIn(names).map(([name, as]) => [`${join('package', from)}#${name}`, { module, name: as }] as const),
    ),
  ),
);

/** The names between the braces of an import or export, each with its name on the other side. */
function namesIn(braces: string): readonly (readonly [name: string, as: string])[] {
  return braces
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', as = name] = item.split(' as ');
      return [name, as];
    });
}

/** The names that a stack imports from behind the package, each with the export to use. */
function behindPackage(file: string, source: string): readonly string[] {
  const stack = file.split('/', 2).join('/');
  return [...source.matchAll(/^(?:import|export) (?:type )?(?:\{([^}]*)\} from )?'(\..+?)'/gm)].flatMap(
    ([, names = '', path = '']) => {
      const target = join(dirname(file), path);
      if (target.startsWith(`${stack}/`) || /^package\/[^/]+$/.test(target)) return [];
      const all = namesIn(names);
      if (all.length === 0) return [`${file} imports ${target}: import the package instead`];
      return all.map(([name]) => {
        const found = exported.get(`${target}#${name}`);
        return found === undefined
          ? `${file} imports ${name} of ${target}: no module of package/ exports it`
          : `${file} imports ${name} of ${target}: import ${found.name} from ${found.module}`;
      });
    },
  );
}

describe('a stack imports what the package exports', () => {
  test('a forbidden import is named with the export to use', () => {
    const source = [
      "import type { Managed } from '../../apis/core/v1alpha1/managed.ts';",
      "import { advice, advise } from '../../clients/advice.ts';",
      "import { gcpStack } from '../gcp/stack.ts';",
      "import { service } from '../../package/stack.ts';",
      "import { tagsOf } from './tags.ts';",
    ].join('\n');
    assert.deepEqual(behindPackage('stacks/aws/stack.ts', source), [
      'stacks/aws/stack.ts imports Managed of apis/core/v1alpha1/managed.ts: import Managed from package/stack.ts',
      'stacks/aws/stack.ts imports advice of clients/advice.ts: import clientAdvice from package/stack.ts',
      'stacks/aws/stack.ts imports advise of clients/advice.ts: no module of package/ exports it',
      'stacks/aws/stack.ts imports gcpStack of stacks/gcp/stack.ts: no module of package/ exports it',
    ]);
  });
  test('all stacks', () => {
    const found = files
      .filter((file) => file.startsWith('stacks/'))
      .flatMap((file) => behindPackage(file, readFileSync(join(root, file), 'utf8')));
    assert.deepEqual(found, []);
  });
});

test('clients/ names no system of a stack', () => {
  const names = new RegExp(`\\b(?:${stacks.join('|')}|amazon|google)\\b`, 'i');
  const naming = files.filter(
    (file) => file.startsWith('clients/') && names.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(naming, []);
});

/** All files that these import, and those that they import in turn. */
function reachOf(...roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set(roots);
  for (const file of reached) for (const next of importsOf.get(file) ?? []) reached.add(next);
  return reached;
}

describe('the package leads to what its users need', () => {
  test('the process loads nothing of testing', () => {
    const loaded = [...reachOf('main.ts')].filter((file) =>
      /^(?:testing|local)\/|^package\/testing/.test(file),
    );
    assert.deepEqual(loaded, []);
  });
  test('no module leads to a server of a laptop', () => {
    const led = [...reachOf(...globSync('package/*.ts', { cwd: root }))];
    assert.deepEqual(led.filter((file) => /^local\//.test(file)).toSorted(), [
      'local/flag-files.ts',
      'local/flags.ts',
      'local/postgresql-certificate.ts',
      'local/read-command-line.ts',
    ]);
  });
});

describe('nothing imports itself by a detour', () => {
  test('the search finds a cycle', () => {
    const graph = new Map(Object.entries({ a: new Set(['b']), b: new Set(['c']), c: new Set(['b']) }));
    assert.deepEqual(cycleIn(graph), ['b', 'c', 'b']);
  });
  test('folders, as CONTRIBUTING.md lists them', () => {
    assert.deepEqual(
      files.filter((file) => rowOf(file) === ''),
      [],
    );
    assert.equal(cycleIn(graphOf(rowOf)), undefined);
  });
  test('rooms', () => assert.equal(cycleIn(graphOf(roomOf)), undefined));
  test('files', () => assert.equal(cycleIn(graphOf((file) => file)), undefined));
});
