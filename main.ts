/*
 *   a claim ──▶ claim scheduling ──class──▶ claim binding ──▶ managed ──▶ external system
 *               claim defaulting                  │
 *                                                 └──▶ the claim's Secret ◀── secret propagation
 *
 * These controllers are in controllers/. Each claim kind has one scheduling, one defaulting and one binding, each
 * managed kind has one managed, and one secret propagation serves all kinds.
 *
 * Their RxJS streams: runtime/cache/watch.ts (events) ──▶ store.ts (changes$) ──▶ runtime/controller/triggers.ts (wakes$)
 * ──▶ work-queue.ts ──▶ controller.ts (outcomes) ──▶ runtime/process/run.ts. app/run.ts has the one subscription.
 */

import './runtime/process/compile-cache.ts';
import './runtime/process/heap.ts';
import './runtime/process/early-stop.ts';
import { join } from 'node:path';
import ownManifest from './package.json' with { type: 'json' };

// Modules that take long to load are imported after early-stop.ts has run.
const { runStacks } = await import('./app/run.ts');
const { stacks, demoStacks } = await import('./app/stacks.ts');

const crds = join(import.meta.dirname, 'crds');
await runStacks(stacks, {
  name: 'services-stack',
  version: ownManifest.version,
  crds: [crds, join(crds, 'demo')],
  optional: demoStacks,
});
