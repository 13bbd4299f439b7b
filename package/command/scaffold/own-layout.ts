import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import ownManifest from '../../../package.json' with { type: 'json' };
import { UsageError } from '../usage-error.ts';
import type { Layout, Needs } from './layout.ts';
import type { Manifest } from './own-manifest.ts';
import { completed } from './own-manifest.ts';

const { version, devDependencies: tools } = ownManifest;

const shared = ['src/main.ts', 'src/stacks.ts', 'test/stacks.test.ts'];
const files = [
  ...shared,
  ...[
    'any-gadget',
    'configure',
    'external-client',
    'provider',
    'stack',
    'tiny-gadget',
    'toy-shop-client',
  ].map((name) => `src/toy-shop/${name}.ts`),
  ...['configure.test', 'conformance.test', 'fake-toy-shop'].map((name) => `test/toy-shop/${name}.ts`),
  ...['00-provider', '10-class', '20-claim', '30-managed'].map((name) => `examples/toy-shop/${name}.yaml`),
];

/** The layout of the author's own repository, in which this package is installed. */
export const ownLayout: Layout = {
  paths: Object.fromEntries(files.map((file) => [file, file])),
  shared,
  folders: ['src/toy-shop', 'test/toy-shop', 'examples/toy-shop'],
  list: { file: 'src/stacks.ts', imports: './toy-shop/stack.ts' },
  moduleOf: (entry) => `services-stack/${entry}`,
  needs,
  next: [
    'npm install',
    'npm run generate   # definitions, roles and API reference: crds/, deploy/, docs/',
    'npm run check      # types, and whether generated files are up to date',
    'npm test           # passes before you change a line',
  ],
};

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['src', 'test'],
};

/** package.json and tsconfig.json. Existing content stays. */
function needs(root: string): Needs {
  const present = manifestIn(join(root, 'package.json'));
  const product = productOf(present?.name ?? basename(resolve(root)));
  const generate = `services-stack generate src/stacks.ts --name ${product}`;
  const scripts: Readonly<Record<string, string>> = {
    start: 'node src/main.ts',
    generate,
    check: `tsc --noEmit && ${generate} --check`,
    trace: `services-stack trace src/stacks.ts --lease ${product}/${product}`,
    test: "node --test 'test/**/*.test.ts'",
  };
  const { manifest, isChanged, retained } = completed(
    present ?? ({ name: product, version: '0.1.0', private: true } as Manifest),
    {
      scripts,
      dependencies: { 'services-stack': `^${version}` },
      devDependencies: { '@types/node': `^${tools['@types/node']}`, typescript: `^${tools.typescript}` },
    },
  );
  const isConfigured = existsSync(join(root, 'tsconfig.json'));
  return {
    product,
    files: new Map(
      [
        ...(isChanged ? [['package.json', manifest] as const] : []),
        ...(isConfigured ? [] : [['tsconfig.json', tsconfig] as const]),
      ].map(([file, json]) => [file, `${JSON.stringify(json, undefined, 2)}\n`]),
    ),
    remarks: retained.map(
      (name) => `package.json keeps its script "${name}"; the generated one is: ${scripts[name]}`,
    ),
  };
}

function manifestIn(file: string): Manifest | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch (error) {
    throw new UsageError(`cannot read package.json: ${(error as Error).message}`, { cause: error });
  }
}

/** A name that a Lease and a Service may have: lower-case letters, digits and dashes, a letter first. */
function productOf(name: string): string {
  const plain = name
    .replace(/^@[^/]*\//, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return (
    plain
      .replace(/^[^a-z]+/, '')
      .slice(0, 50)
      .replace(/-+$/, '') || 'own-stacks'
  );
}
