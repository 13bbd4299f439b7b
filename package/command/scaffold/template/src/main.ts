import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../../run.ts';
import { stacks } from './stacks.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
};

await run(stacks, { name: 'own-stacks', version, crds: join(root, 'crds') });
