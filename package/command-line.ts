#!/usr/bin/env node
/* `services-stack`: what an author runs in a repository of their own. */
import { Command } from 'commander';
import { version } from './version.ts';

const program = new Command('services-stack')
  .description('Tools for the authors of stacks')
  .version(version)
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

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error && error.name === 'UsageError')) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
