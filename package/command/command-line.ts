/* `services-stack`: the commands for authors in their own repository. services-stack.js starts it. */
import { Command } from 'commander';
import ownManifest from '../../package.json' with { type: 'json' };
import type { DevOptions } from './dev.ts';
import type { GenerateOptions } from './generate.ts';
import { reportUsageErrors } from './report-usage-errors.ts';
import { newServiceCommand } from './scaffold/command.ts';
import { ownLayout } from './scaffold/own-layout.ts';

type DevFlags = Omit<DevOptions, 'beside'> & { readonly with: DevOptions['beside'] };
type GenerateFlags = Omit<GenerateOptions, 'isCheck'> & { readonly check: boolean };

const program = new Command('services-stack')
  .description('Tools for the authors of stacks')
  .version(ownManifest.version)
  // Flags after a command belong to that command, for example the --version of new-service.
  .enablePositionalOptions()
  .showHelpAfterError();

program
  .command('generate')
  .description(
    'write the definitions, roles, Deployment and API reference of the stacks that the modules export',
  )
  .argument('<modules...>', 'modules that export results of defineStack, for example stack.ts')
  .option('--out <folder>', 'the folder to write to', '.')
  .option('--name <name>', 'the name of the process (as in main.ts) and of its roles', 'services-stack')
  .option('--namespace <namespace>', 'the namespace of the process (default: the name)')
  .option('--image <image>', 'the image of the process (default: <name>:latest)')
  .option('--check', 'write nothing, and fail if a file is not up to date', false)
  .action(async (modules: readonly string[], { check: isCheck, ...options }: GenerateFlags) => {
    const { generate } = await import('./generate.ts');
    await generate(modules, { ...options, isCheck });
  });

program.addCommand(newServiceCommand(ownLayout));

const several = (value: string, values: readonly string[]): readonly string[] => [...values, value];
program
  .command('dev')
  .description(
    'run the stacks of a module with a control plane, restart them when a source changes, and show the claims',
  )
  .argument('<module>', 'a module that exports results of defineStack, for example src/stack.ts')
  .option(
    '--with <command>',
    'a command to run beside them, such as a fake of the cloud; repeatable',
    several,
    [],
  )
  .option('--apply <path>', 'manifests to apply, as in kubectl apply -f; repeatable', several, [])
  .option('--kubeconfig <file>', 'use this cluster, and start no control plane')
  .action(async (module: string, { with: beside, ...options }: DevFlags) => {
    const { dev } = await import('./dev.ts');
    await dev(module, { ...options, beside });
  });

program
  .command('favourite-cloud')
  .description('start a fake cloud on loopback, to try stacks with; --help shows its flags')
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async () => {
    process.argv.splice(2, 1); // it parses the arguments after its name itself
    await import('../../testing/favourite-cloud/main.ts');
  });

program
  .command('trace')
  .description(
    "explain why a claim, managed resource, class or ProviderConfig of a module's stacks can or cannot be used",
  )
  .usage('<module> <kind> <name> [flags]')
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async () => {
    const { trace } = await import('./trace.ts');
    await trace(process.argv.slice(3)); // it parses the arguments after its name itself
  });

await reportUsageErrors(program.parseAsync());
