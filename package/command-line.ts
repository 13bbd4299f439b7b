#!/usr/bin/env node
/* `services-stack`: what an author runs in a repository of their own. */
import { Command } from 'commander';
import type { GenerateOptions } from './generate.ts';
import { newServiceCommand } from './scaffold/command.ts';
import { ownLayout } from './scaffold/own-layout.ts';
import { tellingUsageErrors } from './telling-usage-errors.ts';
import { version } from './version.ts';

type GenerateFlags = Omit<GenerateOptions, 'isCheck'> & { readonly check: boolean };

const program = new Command('services-stack')
  .description('Tools for the authors of stacks')
  .version(version)
  // What comes after a command is the command's, as the --version of new-service.
  .enablePositionalOptions()
  .showHelpAfterError();

program
  .command('generate')
  .description('write definitions, roles, the Deployment and API reference of the stacks that modules export')
  .argument('<modules...>', 'modules that export what defineStack made, as stack.ts')
  .option('--out <folder>', 'the folder to write to', '.')
  .option('--name <name>', 'what the process is called, as in main.ts, and its roles', 'services-stack')
  .option('--namespace <namespace>', 'where it is to run (default: the name)')
  .option('--image <image>', 'the image with it (default: <name>:latest)')
  .option('--check', 'write nothing, and fail if a file is not up to date', false)
  .action(async (modules: readonly string[], { check: isCheck, ...options }: GenerateFlags) => {
    const { generate } = await import('./generate.ts');
    await generate(modules, { ...options, isCheck });
  });

program.addCommand(newServiceCommand(ownLayout));

program
  .command('favourite-cloud')
  .description('a cloud on loopback to try stacks with; --help names its flags')
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async () => {
    process.argv.splice(2, 1); // it reads what comes after its name
    await import('../emulators/favourite-cloud/main.ts');
  });

program
  .command('trace')
  .description(
    'why a claim, managed resource, class or ProviderConfig of a module stacks can be used, or cannot',
  )
  .usage('<module> <kind> <name> [flags]')
  .helpOption(false)
  .allowUnknownOption()
  .allowExcessArguments()
  .action(async () => {
    const { trace } = await import('./trace.ts');
    await trace(process.argv.slice(3)); // it reads what comes after its name
  });

await tellingUsageErrors(program.parseAsync());
