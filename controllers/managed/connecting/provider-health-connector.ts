import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { SystemFacts } from '../../../apis/core/v1alpha1/provider.ts';
import { errorFactsOf } from '../../../clients/external-error.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { ProviderErrorClass } from '../../error-class.ts';
import { connectErrorClassOf, haveCredentialsWorked, providerErrorClassOf } from '../../error-class.ts';
import type { CallResult, ProviderHealth } from '../../provider/provider-health.ts';
import type { ExternalConnector, Observation } from './external-client.ts';
import type { Operation } from './wrap-calls.ts';
import { wrapCalls } from './wrap-calls.ts';

/** The provider of a managed resource. */
export interface ConnectedBy {
  readonly kind: Kind;
  readonly provider: KubernetesObject;
  /** Names the provider in messages: `ProviderConfig default, secret infra/cloud`. */
  readonly origin: string;
}

/**
 * Whether the result of a call proves that the external system answered. A client may return some results without a
 * request: `exists: false` if it knows no name, and a remembered result of `system`.
 */
function isAnswer(operation: Operation, answer: unknown, isNamed: boolean): boolean {
  const { exists, state, uncreatable } = (answer ?? {}) as Partial<Observation> & { readonly state?: string };
  if (operation === 'observe') return exists === true || (isNamed && uncreatable === undefined);
  if (operation === 'poll') return state !== 'unknown';
  return operation !== 'disconnect' && operation !== 'system';
}

/**
 * Records in `health` what the last call of each run shows about the provider. Adds the provider to messages of
 * connection errors. `connectedBy` finds the provider, if it exists. `isNamed`: whether a name is known.
 */
export function providerHealthConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  health: Pick<ProviderHealth, 'record'>,
  connectedBy: (managed: M) => ConnectedBy | undefined,
  isNamed: (managed: M) => boolean,
): ExternalConnector<M> {
  return {
    async connect(managed, signal) {
      const by = connectedBy(managed);
      if (by === undefined) return connector.connect(managed, signal);
      const { kind, provider } = by;
      const { uid: user = '' } = managed.metadata;
      let last: { readonly result: CallResult; readonly system?: SystemFacts | undefined } | undefined;
      const failed = (error: unknown, errorClass: ProviderErrorClass | undefined): unknown => {
        if (errorClass === undefined) return error;
        last = { result: { errorClass, message: providerMessageOf(error) } };
        return haveCredentialsWorked(errorClass) ? error : naming(error, by.origin);
      };
      let isCutOff = false;
      const report = (): void => {
        if (last !== undefined) health.record(kind, provider, { user, ...last });
      };
      const client = await connector.connect(managed, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        const named = failed(error, connectErrorClassOf(error));
        report();
        throw named;
      });
      const wrapped = wrapCalls(client, async (call, callSignal = signal, operation) => {
        try {
          const answer = await call();
          if (isAnswer(operation, answer, isNamed(managed))) {
            last = { result: 'works', system: client.facts?.() };
          }
          return answer;
        } catch (error) {
          isCutOff = callSignal.aborted;
          throw isCutOff ? error : failed(error, providerErrorClassOf(error));
        }
      });
      return {
        ...wrapped,
        // Reports only the last call of a run, so that a run changes the provider's condition at most once.
        async disconnect() {
          if (!isCutOff) last ??= { result: 'unknown' };
          report();
          await wrapped.disconnect?.();
        },
      };
    },
  };
}

/**
 * Adds the provider to the message of an external client's error. Errors about reading credentials name it already. The
 * message may end with a command or a statement: a semicolon ends both, so that a reader can copy them.
 */
const naming = (error: unknown, origin: string): unknown =>
  errorFactsOf(error) ? new Error(`${messageOf(error)}; connected by ${origin}`, { cause: error }) : error;

/**
 * Removes the part of a message that names the resource, such as `cannot get instance "x": `. The condition of the
 * provider shows one message for all its resources.
 */
export const providerMessageOf = (error: unknown): string =>
  messageOf(error).replace(/^cannot (?:[^":]|"[^"]*")+: /, '');
