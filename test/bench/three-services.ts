/**
 * The process, with a third stack that serves the claims of the benchmark. `node test/bench/three-services.ts` takes the same
 * flags as `node main.ts`.
 */
import '../../runtime/process/heap.ts';
import '../../runtime/process/early-stop.ts';
import { runStacks } from '../../app/run.ts';
import { allStacks } from '../../app/stacks.ts';
import ownManifest from '../../package.json' with { type: 'json' };
import { thirdStack } from './third-stack.ts';

await runStacks([...allStacks, thirdStack], {
  name: 'services-stack',
  version: ownManifest.version,
  crds: [], // the benchmark installs them
});
