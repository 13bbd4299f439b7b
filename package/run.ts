/* `services-stack/run`: the process. */
import '../runtime/process/heap.ts';
import '../runtime/process/early-stop.ts';

export type { ProcessFacts } from '../controllers/run.ts';
export { runStacks as run } from '../controllers/run.ts';
