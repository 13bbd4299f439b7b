import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { join as joinPath } from 'node:path/posix';
import type { Layout } from './layout.ts';

const kinds = 'apis/toy-shop/v1alpha1';
const controllers = 'controllers/toy-shop';
const tests = 'test/controllers/toy-shop';
const examples = ['00-provider', '10-class', '20-claim', '30-managed'].map(
  (name) => `examples/toy-shop/${name}.yaml`,
);

/** The layout of this repository, with a room for each sort of file. Its list of stacks exists and is tested. */
export const projectLayout: Layout = {
  paths: {
    'src/toy-shop/any-gadget.ts': `${kinds}/any-gadget.ts`,
    'src/toy-shop/provider.ts': `${kinds}/provider.ts`,
    'src/toy-shop/tiny-gadget.ts': `${kinds}/tiny-gadget.ts`,
    'src/toy-shop/toy-shop-client.ts': 'clients/toy-shop-client.ts',
    'src/toy-shop/configure.ts': `${controllers}/tiny-gadget/configure.ts`,
    'src/toy-shop/external-client.ts': `${controllers}/tiny-gadget/external-client.ts`,
    'src/toy-shop/stack.ts': `${controllers}/setup.ts`,
    'test/toy-shop/configure.test.ts': `${tests}/configure.test.ts`,
    'test/toy-shop/conformance.test.ts': `${tests}/conformance.test.ts`,
    'test/toy-shop/fake-toy-shop.ts': 'test/fakes/fake-toy-shop.ts',
    ...Object.fromEntries(examples.map((file) => [file, file])),
  },
  shared: [],
  folders: ['apis/toy-shop', controllers, tests, 'examples/toy-shop'],
  list: { file: 'app/stacks.ts', imports: '../controllers/toy-shop/setup.ts' },
  moduleOf,
  needs: () => ({ product: 'services-stack', files: new Map(), remarks: [] }),
  finish(root, sources) {
    const biome = join(root, 'node_modules', '.bin', 'biome');
    execFileSync(biome, ['check', '--write', '--vcs-enabled=false', ...sources], {
      cwd: root,
      stdio: 'pipe',
    });
  },
  next: [
    'npm run generate     # definitions, roles, API reference and what wakes each controller',
    'npm run check        # types, lint, imports, generated files',
    'npm run test:unit    # passes before you change a line',
  ],
};

const exported = /^export (?:type )?\{([^}]*)\} from '([^']+)';$/gm;

/** The source module of a symbol that an entry of the package exports: here, authors import it from its source. */
function moduleOf(entry: string, symbol: string): string {
  const source = readFileSync(join(import.meta.dirname, '..', `${entry}.ts`), 'utf8');
  const statement = [...source.matchAll(exported)].find(([, list = '']) =>
    list.split(',').some((name) => name.trim() === symbol),
  );
  if (statement === undefined) throw new Error(`package/${entry}.ts has no ${symbol}`);
  const [, , module = ''] = statement;
  return module.startsWith('.') ? joinPath('package', module) : module;
}
