import { Command } from 'commander';
import type { Layout } from './layout.ts';
import type { GivenNames } from './names.ts';
import { namesOf } from './names.ts';
import { newService } from './new-service.ts';

/** `new-service`, for repositories with the given layout. It writes into the current folder. */
export const newServiceCommand = (layout: Layout): Command =>
  new Command('new-service')
    .description(
      'write the code of a new service: kinds, client, stack, a fake of the cloud, manifests and tests',
    )
    .argument('<Kind>', 'the managed kind, for example CacheCluster')
    .requiredOption('--group <group>', 'the API group of its kinds, for example cache.example.org')
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
        ['src/toy-shop/toy-shop-client.ts', "the cloud's API: paths, answers, error codes"],
        ['src/toy-shop/tiny-gadget.ts', 'the fields of spec and status'],
        ['src/toy-shop/any-gadget.ts', 'the fields that an app team may choose'],
        ['src/toy-shop/external-client.ts', "the mapping between the kind's fields and the cloud's"],
        ['src/toy-shop/configure.ts', 'the resource that follows from a claim and a class'],
        ['test/toy-shop/fake-toy-shop.ts', 'the same API for the tests'],
        ['examples/toy-shop/00-provider.yaml', 'the address of the cloud'],
      ].map(([file = '', what = '']) => [pathOf(file), what] as const);
      const width = Math.max(...edits.map(([path]) => path.length));
      const lines = [
        ...written.map((path) => `wrote ${path}`),
        ...extended.map((path) => `added to ${path}`),
        ...remarks,
        ...['', 'Next:'],
        ...layout.next.map((line) => `  ${line}`),
        ...['', 'Then adapt these files:'],
        ...edits.map(([path, what]) => `  ${path.padEnd(width)}  ${what}`),
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
