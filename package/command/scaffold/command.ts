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
    .option('--claim <Kind>', 'an existing claim kind of services-stack/claims, for example RedisCluster')
    .option('--new-claim <Kind>', 'a claim kind of its own (default: <Kind>Claim)')
    .option('--stack <name>', 'the stack (default: the plural of the kind)')
    .option('--version <version>', 'the version of its kinds', 'v1alpha1')
    .showHelpAfterError()
    .action(async (kind: string, given: GivenNames) => {
      const { written, extended, remarks, edits } = await newService(
        process.cwd(),
        namesOf(kind, given),
        layout,
      );
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
