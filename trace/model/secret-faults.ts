import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controlOf, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { Find } from './fault-finding.ts';
import { claimKindOf, keyOf } from './fault-finding.ts';
import type { FoundSecret } from './findings.ts';
import { thereOf } from './findings.ts';
import { describeKey, describeObject, kubectl, patch } from './mend.ts';
import { readyOf } from './view.ts';

/** Whose a secret is that somebody else is to write. */
function conflictOf(found: FoundSecret | undefined, owner: Claim | Managed | undefined): string | undefined {
  const secret = found && thereOf(found.secret)?.secret;
  if (secret === undefined || owner === undefined || wasDeleted(owner)) return undefined;
  const control = controlOf(secret, owner);
  return typeof control === 'object' ? control.refusal : undefined;
}

/** A connection secret is somebody else's. */
export const secretConflict: Find = (view) => {
  const { source, target, theClaim, theManaged, managedService } = view;
  const ofResource = conflictOf(source, theManaged);
  if (ofResource !== undefined && source !== undefined && managedService !== undefined) {
    return {
      link: 'resource secret',
      cause: `${describeObject(theManaged!)} cannot publish its connection details: ${ofResource} (secret ${describeKey(source.key)}).`,
      mend: [
        patch(managedService.kind, keyOf(theManaged!), {
          spec: {
            writeConnectionSecretToRef: { ...source.key, name: `${theManaged!.metadata.name}-connection` },
          },
        }),
        kubectl('delete', SecretKind, source.key),
      ],
      advice: 'Publish to another secret; or delete the one in the way, if nobody needs it.',
    };
  }
  const ofClaim = view.subject.known.sort === 'claim' ? conflictOf(target, theClaim) : undefined;
  if (ofClaim === undefined || target === undefined) return undefined;
  return {
    link: 'claim secret',
    cause: `The claim cannot be given its secret: ${ofClaim} (secret ${describeKey(target.key)}).`,
    advice: 'Name another secret; or delete the one in the way, if nobody needs it.',
    mend: [
      patch(claimKindOf(view), keyOf(theClaim!), {
        spec: { writeConnectionSecretToRef: { name: `${theClaim!.metadata.name}-connection` } },
      }),
      kubectl('delete', SecretKind, target.key),
    ],
  };
};

/** The two secrets, once all else is well. */
export const propagationRefused: Find = ({ propagation, target, theClaim, subject }) =>
  propagation?.act !== 'refuse' ||
  target === undefined ||
  theClaim === undefined ||
  subject.known.sort !== 'claim'
    ? undefined
    : {
        link: 'claim secret',
        cause: `The claim's secret is not kept in step: ${propagation.message}.`,
        advice: 'Binding writes it anew once it is gone.',
        mend: [kubectl('delete', SecretKind, target.key)],
      };

/** The claim wants a secret of a resource that has none. */
export const noSecret: Find = (view) => {
  const { theClaim, theManaged, managedService, subject } = view;
  if (subject.known.sort !== 'claim' || theClaim?.spec.writeConnectionSecretToRef === undefined)
    return undefined;
  if (theManaged === undefined || managedService === undefined) return undefined;
  if (theManaged.spec.writeConnectionSecretToRef !== undefined || readyOf(theManaged).status !== 'True')
    return undefined;
  return {
    link: 'resource secret',
    cause: `The claim wants a secret, and ${describeObject(theManaged)} publishes none.`,
    advice: 'Set its spec.writeConnectionSecretToRef, in a namespace where administrators keep such secrets.',
    mend: [kubectl('edit', managedService.kind, keyOf(theManaged))],
  };
};
