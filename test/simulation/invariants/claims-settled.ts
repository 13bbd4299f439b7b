import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf, Seen } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';
import { expectedClaim } from '../oracle/expected-claim.ts';

/** An edit that has no effect is told of in Synced, whatever else holds. */
const isEdited = (message = ''): boolean => message.includes('so that this has no effect');

/** A secret of that name is somebody else's: the claim says so, and is not given one. */
function isSecretTaken({ cluster }: Pick<Seen, 'cluster'>, { metadata, spec }: Claim): boolean {
  const { name } = spec.writeConnectionSecretToRef ?? {};
  const found = name && cluster.find(SecretKind, { namespace: metadata.namespace ?? '', name });
  return found !== undefined && found !== '' && controllerUid(found) !== metadata.uid;
}

export const claimsSettled: InvariantOf = (world) => ({
  name: 'a claim at rest is what the decision tables say of the objects there are',
  atRest: () =>
    claimKinds
      .flatMap((kind) => world.cluster.all(kind) as unknown as readonly Claim[])
      .filter((claim) => claim.metadata.deletionTimestamp === undefined && !isSecretTaken(world, claim))
      .flatMap((claim) => {
        const expected = expectedClaim(claim, world.cluster);
        const what = `${claim.kind} ${objectKeyText(claim.metadata)}`;
        if ('due' in expected) return [`${what} has ${expected.due}`];
        const { bindingPhase, conditions = [], observedGeneration } = claim.status ?? {};
        const ready = conditions.find(({ type }) => type === 'Ready');
        const synced = conditions.find(({ type }) => type === 'Synced');
        const differs = (name: string, is: unknown, should: unknown): readonly string[] =>
          is === should ? [] : [`${what} has ${name} ${is}, and should have ${should}`];
        return [
          ...differs('phase', bindingPhase, expected.phase),
          ...differs('Ready', ready?.status, expected.notReady === undefined ? 'True' : 'False'),
          ...differs(
            'reason',
            ready?.reason,
            expected.notReady ?? (expected.hasTrouble ? 'AvailableWithTrouble' : 'Available'),
          ),
          ...(isEdited(synced?.message)
            ? []
            : differs('Synced', synced?.status, expected.isSynced ? 'True' : 'False')),
          ...differs('observedGeneration', observedGeneration, claim.metadata.generation),
        ];
      }),
});
