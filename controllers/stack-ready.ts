import { mergeMap } from 'rxjs';
import type { Request } from '../runtime/controller/reconcile.ts';
import type { Trigger } from '../runtime/controller/triggers.ts';
import type { ClaimServices, ReadyStack } from './claim-service.ts';

/** Triggers the objects that waited for a stack, when it becomes ready. */
export const stackReadyTrigger = (
  { readyStack$ }: Pick<ClaimServices, 'readyStack$'>,
  waitingFor: (stack: ReadyStack) => readonly Request[],
): Trigger => ({
  because: 'a stack is ready',
  wakes$: readyStack$.pipe(
    mergeMap((stack) =>
      waitingFor(stack).map((request) => ({
        request,
        because: `the stack ${stack.name} is ready`,
        asking: 'shared change' as const,
      })),
    ),
  ),
});
