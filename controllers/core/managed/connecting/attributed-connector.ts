import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { attributed, attributing } from '../../stack-bug.ts';
import type { ExternalConnector } from './external-client.ts';
import { wrapConnector } from './wrap-calls.ts';

/** Marks programming errors of a connector and its clients as bugs of the stack, for the message in the condition. */
export const attributedConnector = <M extends Managed>(
  connector: ExternalConnector<M>,
  stack: string | undefined,
): ExternalConnector<M> =>
  wrapConnector(connector, () => async (call) => {
    const answer = await attributing(stack, call);
    attributed((answer as { readonly error?: unknown } | undefined)?.error, stack);
    return answer;
  });
