/* `services-stack/run`: the process. */
import '../runtime/process/heap.ts';
import '../runtime/process/early-stop.ts';

export type { ProcessFacts } from '../app/run.ts';
export { runStacks as run } from '../app/run.ts';
