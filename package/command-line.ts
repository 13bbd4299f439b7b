#!/usr/bin/env node
/* `services-stack`: what an author runs in a repository of their own. */
import { Command } from 'commander';
import { newServiceCommand } from './scaffold/command.ts';
import { ownLayout } from './scaffold/own-layout.ts';
import { tellingUsageErrors } from './telling-usage-errors.ts';
import { version } from './version.ts';

const program = new Command('services-stack')
  .description('Tools for the authors of stacks')
  .version(version)
  // What comes after a command is the command's, as the --version of new-service.
  .enablePositionalOptions()
  .showHelpAfterError();

program
  .command('generate')
  .description('write definitions, roles and API reference of the stacks that modules export')
  .argument('<modules...>', 'modules that export what defineStack made, as stack.ts')
  .option('--out <folder>', 'the folder to write to', '.')
  .option('--name <name>', 'what the names of roles begin with', 'services-stack')
  .option('--check', 'write nothing, and fail if a file is not up to date', false)
  .action(async (modules: readonly string[], options: { out: string; name: string; check: boolean }) => {
    const { generate } = await import('./generate.ts');
    const { out, name, check: isCheck } = options;
    await generate(modules, { out, name, isCheck });
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
    await import('../local/favourite-cloud/main.ts');
  });

await tellingUsageErrors(program.parseAsync());
