import './runtime/process/compile-cache.ts';
import './runtime/process/heap.ts';
import './runtime/process/early-stop.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Modules that take long to load are imported after early-stop.ts has run.
const { runStacks } = await import('./app/run.ts');
const { stacks, demoStacks } = await import('./app/stacks.ts');

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  readonly version: string;
};

const crds = join(import.meta.dirname, 'crds');
await runStacks(stacks, {
  name: 'services-stack',
  version,
  crds: [crds, join(crds, 'demo')],
  optional: demoStacks,
});
