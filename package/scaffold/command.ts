import { Command } from 'commander';
import type { Layout } from './layout.ts';
import type { GivenNames } from './names.ts';
import { namesOf } from './names.ts';
import { newService } from './new-service.ts';

/** `new-service`, for repositories of a layout; it writes into the folder that it is run in. */
export const newServiceCommand = (layout: Layout): Command =>
  new Command('new-service')
    .description(
      'write a service to begin with: kinds, client, stack, a fake of the cloud, manifests and tests',
    )
    .argument('<Kind>', 'the managed kind, as CacheCluster')
    .requiredOption('--group <group>', 'the API group of its kinds, as cache.example.org')
    .option('--claim <Kind>', 'the claim kind (default: <Kind>Claim)')
    .option('--stack <name>', 'the stack (default: the plural of the kind)')
    .option('--version <version>', 'the version of its kinds', 'v1alpha1')
    .showHelpAfterError()
    .action(async (kind: string, given: GivenNames) => {
      const { written, extended, remarks, pathOf } = await newService(
        process.cwd(),
        namesOf(kind, given),
        layout,
      );
      const edits = [
        ['src/toy-shop/toy-shop-client.ts', "the cloud's API: paths, answers, codes of errors"],
        ['src/toy-shop/tiny-gadget.ts', 'what can be wanted, and what is told'],
        ['src/toy-shop/any-gadget.ts', 'what an application team may choose'],
        ['src/toy-shop/external-client.ts', 'what each calls what the other has'],
        ['src/toy-shop/configure.ts', 'what a claim and a class make together'],
        ['test/toy-shop/fake-toy-shop.ts', 'the same API for the tests'],
        ['examples/toy-shop/00-provider.yaml', 'where the cloud is'],
      ].map(([file = '', what = '']) => [pathOf(file), what] as const);
      const width = Math.max(...edits.map(([path]) => path.length));
      const lines = [
        ...written.map((path) => `wrote ${path}`),
        ...extended.map((path) => `added to ${path}`),
        ...remarks,
        ...['', 'Next:'],
        ...layout.next.map((line) => `  ${line}`),
        ...['', 'Then make it yours:'],
        ...edits.map(([path, what]) => `  ${path.padEnd(width)}  ${what}`),
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
