import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Layout } from './layout.ts';

const stack = 'stacks/toy-shop';
const kinds = `${stack}/kinds/v1alpha1`;
const tests = 'test/stacks/toy-shop';
const examples = ['00-provider', '10-class', '20-claim', '30-managed'].map(
  (name) => `examples/toy-shop/${name}.yaml`,
);

/** The layout of this repository, with a folder for each sort of file. Its list of stacks exists and is tested. */
export const projectLayout: Layout = {
  paths: {
    'src/toy-shop/any-gadget.ts': `${kinds}/any-gadget.ts`,
    'src/toy-shop/provider.ts': `${kinds}/provider.ts`,
    'src/toy-shop/tiny-gadget.ts': `${kinds}/tiny-gadget.ts`,
    'src/toy-shop/toy-shop-client.ts': `${stack}/client/toy-shop-client.ts`,
    'src/toy-shop/configure.ts': `${stack}/tiny-gadget/configure.ts`,
    'src/toy-shop/external-client.ts': `${stack}/tiny-gadget/external-client.ts`,
    'src/toy-shop/stack.ts': `${stack}/stack.ts`,
    'test/toy-shop/configure.test.ts': `${tests}/configure.test.ts`,
    'test/toy-shop/conformance.test.ts': `${tests}/conformance.test.ts`,
    'test/toy-shop/fake-toy-shop.ts': `${tests}/fake-toy-shop.ts`,
    ...Object.fromEntries(examples.map((file) => [file, file])),
  },
  shared: [],
  folders: [stack, tests, 'examples/toy-shop'],
  list: { file: 'app/stacks.ts', imports: '../stacks/toy-shop/stack.ts' },
  moduleOf: (entry) => `package/${entry}.ts`,
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
