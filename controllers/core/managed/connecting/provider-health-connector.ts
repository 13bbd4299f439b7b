import type { Kind, KubernetesObject } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { errorClassOf, errorFactsOf } from '../../../../clients/external-error.ts';
import { messageOf } from '../../../../runtime/client/errors.ts';
import type { Fault } from '../../error-class.ts';
import { faultOf, faultOfConnecting } from '../../error-class.ts';
import type { ProviderHealth } from '../../provider/provider-health.ts';
import type { ExternalConnector } from './external-client.ts';
import type { Operation } from './wrap-calls.ts';
import { wrapCalls } from './wrap-calls.ts';

/** The provider of a managed resource. */
export interface ConnectedBy {
  readonly kind: Kind;
  readonly provider: KubernetesObject;
  /** For messages: `ProviderConfig default, secret infra/cloud`. */
  readonly origin: string;
}

/** Whether the external system itself answered. A client may report absence without a call. */
function isAnswer(operation: Operation, answer: unknown): boolean {
  const { exists, state } = (answer ?? {}) as { readonly exists?: boolean; readonly state?: string };
  if (operation === 'observe') return exists === true;
  if (operation === 'poll') return state !== 'unknown';
  return operation === 'create' || operation === 'update' || operation === 'delete';
}

/**
 * Records from each call whether the provider works. Errors of the provider get the name of the provider and its
 * Secret. `connectedBy`: undefined if the provider does not exist.
 */
export function providerHealthConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  health: Pick<ProviderHealth, 'works' | 'fails'>,
  connectedBy: (managed: M) => ConnectedBy | undefined,
): ExternalConnector<M> {
  return {
    async connect(managed, signal) {
      const by = connectedBy(managed);
      if (by === undefined) return connector.connect(managed, signal);
      const { kind, provider } = by;
      const failed = (error: unknown, fault: Fault | undefined): unknown => {
        // The external system accepted the credentials, and refused the request.
        if (errorClassOf(error) === 'Forbidden') health.works(kind, provider);
        if (fault === undefined) return error;
        health.fails(kind, provider, { fault, message: wordsOf(error) });
        return naming(error, by.origin);
      };
      const client = await connector.connect(managed, signal).catch((error: unknown) => {
        throw signal.aborted ? error : failed(error, faultOfConnecting(error));
      });
      return wrapCalls(client, async (call, callSignal = signal, operation) => {
        try {
          const answer = await call();
          if (isAnswer(operation, answer)) health.works(kind, provider, client.version?.());
          return answer;
        } catch (error) {
          throw callSignal.aborted ? error : failed(error, faultOf(error));
        }
      });
    },
  };
}

/** An error without a class is from the reader of the credentials, and names the provider already. */
const naming = (error: unknown, origin: string): unknown =>
  errorFactsOf(error) ? new Error(`${messageOf(error)} (${origin})`, { cause: error }) : error;

/**
 * Removes the name of the resource, such as `cannot get instance "x": `: the provider has one message for all
 * resources.
 */
const wordsOf = (error: unknown): string => messageOf(error).replace(/^cannot (?:[^":]|"[^"]*")+: /, '');
