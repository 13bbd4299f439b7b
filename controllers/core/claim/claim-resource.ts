import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';

/** The claims this process looks after. */
export function claimResource<C extends Claim>(env: Environment, kind: Kind<C>): Resource<C> {
  return env.resource(kind, { namespace: env.claimNamespace });
}
