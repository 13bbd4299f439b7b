import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagatesFrom, secretKeyOf } from '../../../apis/core/v1alpha1/secret.ts';

/** The target as it should be: controlled by the claim, naming its source, with exactly the source's data. */
export function propagated(target: Secret, claim: Claim, source: Secret): Secret {
  const others = (target.metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  return {
    ...target,
    metadata: {
      ...target.metadata,
      annotations: { ...target.metadata.annotations, ...propagatesFrom(secretKeyOf(source)) },
      ownerReferences: [...others, controllerReference(claim)],
    },
    data: source.data ?? {},
  };
}
