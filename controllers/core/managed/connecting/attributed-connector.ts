import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { attributed, attributing } from '../../stack-bug.ts';
import type { ExternalConnector } from './external-client.ts';
import { wrapConnector } from './wrap-calls.ts';

/** Adds the name of the stack to programming errors of its connector and clients, so that conditions can show it. */
export const attributedConnector = <M extends Managed>(
  connector: ExternalConnector<M>,
  stack: string | undefined,
): ExternalConnector<M> =>
  wrapConnector(connector, () => async (call) => {
    const answer = await attributing(stack, call);
    attributed((answer as { readonly error?: unknown } | undefined)?.error, stack);
    return answer;
  });
