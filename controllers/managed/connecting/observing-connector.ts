import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { onlyObserves } from '../../management-policies.ts';
import type { ExternalConnector } from './external-client.ts';
import { wrapConnector } from './wrap-calls.ts';

/** With `--observe-only`, refuses each call that changes the external system. All calls of all stacks pass here. */
export const observingConnector = <M extends Managed>(
  connector: ExternalConnector<M>,
  { isObserveOnly = false }: Pick<Environment, 'isObserveOnly'>,
): ExternalConnector<M> =>
  wrapConnector(connector, () => async (call, _signal, operation) => {
    // guard: otherwise a process with --observe-only changes the external system
    if (isObserveOnly && ['create', 'update', 'delete'].includes(operation)) throw onlyObserves(operation);
    return call();
  });
