import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';
import { claimFaults } from '../oracle/expected-claim.ts';

export const claimsSettled: InvariantOf = ({ cluster }) => ({
  name: 'a claim at rest has its resource, or says why not',
  atRest: () =>
    claimKinds
      .flatMap((kind) => cluster.all(kind) as unknown as readonly Claim[])
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((claim) =>
        claimFaults(claim, cluster).map((fault) => `${claim.kind} ${objectKeyText(claim.metadata)} ${fault}`),
      ),
});
