import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ProviderErrorClass } from '../../error-class.ts';
import { connectErrorClassOf, providerErrorClassOf } from '../../error-class.ts';
import type { CallResult } from '../../provider/provider-health.ts';
import type { ProviderCheck } from '../../provider/provider-readiness.ts';
import type { ExternalClient, ExternalConnector } from './external-client.ts';
import { providerMessageOf } from './provider-health-connector.ts';

/** Returns a function that checks a provider: connects for an invented resource of `kind`, and calls `check`. */
export function providerCheck(connector: ExternalConnector, kind: Kind): ProviderCheck {
  return async (provider, signal) => {
    const { name } = provider.metadata;
    const reference =
      provider.kind === 'Provider' ? { providerRef: { name } } : { providerConfigRef: { name } };
    const probe = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: '' },
      spec: { ...reference, forProvider: {} },
    } as Managed;
    let client: ExternalClient;
    try {
      client = await connector.connect(probe, signal);
    } catch (error) {
      return failure(error, connectErrorClassOf(error));
    }
    try {
      if (client.check === undefined) return undefined;
      await client.check(signal);
      return 'works';
    } catch (error) {
      return failure(error, providerErrorClassOf(error));
    } finally {
      await client.disconnect?.();
    }
  };
}

function failure(error: unknown, errorClass: ProviderErrorClass | undefined): CallResult {
  if (errorClass === undefined) throw error;
  return { errorClass, message: providerMessageOf(error) };
}
