import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { blamed, blaming } from '../stack-bug.ts';
import { aroundCalls } from './around-calls.ts';
import type { ExternalConnector } from './external-client.ts';

/**
 * A connector whose programming errors are told as those of its stack, and its clients' too: what they throw, what an
 * operation that they began throws later, and what they say that one failed with.
 */
export function blamedConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  stack: string | undefined,
): ExternalConnector<M> {
  return {
    async connect(managed, signal) {
      const client = await blaming(stack, () => connector.connect(managed, signal));
      return aroundCalls(client, async (call) => {
        const answer = await blaming(stack, call);
        const { operation, error } = (answer ?? {}) as {
          readonly operation?: unknown;
          readonly error?: unknown;
        };
        if (operation instanceof Promise) operation.catch((thrown: unknown) => blamed(thrown, stack));
        blamed(error, stack);
        return answer;
      });
    },
  };
}
