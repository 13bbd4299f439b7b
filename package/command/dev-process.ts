/* The process of `services-stack dev`: it writes the definitions of a module's stacks, and runs the stacks. */
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnProcessFacts } from '../../app/run.ts';
import { run } from '../run.ts';
import { generate } from './generate.ts';
import { reportUsageErrors } from './report-usage-errors.ts';
import { reportSources } from './sources.ts';
import { someStacksOf } from './stacks-of.ts';

const [module = '', folder = '', owner = ''] = process.argv.splice(2, 3);
const name = 'services-stack-dev';
reportSources((loaded) => process.send?.(loaded));
// The package.json of the author names the owner of the definitions.
if (existsSync('package.json')) await copyFile('package.json', join(folder, 'package.json'));
await reportUsageErrors(runStacks());

async function runStacks(): Promise<void> {
  await generate([module], { out: folder, name, isCheck: false });
  const facts: OwnProcessFacts = {
    name,
    version: '0.0.0',
    crds: join(folder, 'crds'),
    isAlone: owner === 'own-cluster',
  };
  await run(await someStacksOf(module), facts);
}
