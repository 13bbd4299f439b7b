import { choiceLink, claimLink, claimOfResource, classLink } from './claim-links.ts';
import { link } from './link-parts.ts';
import { livenessOf } from './liveness.ts';
import { describeObject } from './mend.ts';
import { providerLinks, usersLink } from './provider-links.ts';
import { resourceLinks } from './resource-links.ts';
import { targetLink } from './secret-links.ts';
import type { Link } from './trace.ts';
import type { View } from './view.ts';

/** The chain as it is, from what is asked about downwards; no link of it is `broken` yet. */
export function linksOf(view: View): readonly Link[] {
  const { known } = view.subject;
  switch (known.sort) {
    case 'claim':
      return [
        claimLink(view, [choiceLink(view), classLink(view), ...resourceLinks(view), targetLink(view)]),
        controllersLink(view),
      ];
    case 'managed':
      return [...resourceLinks(view, claimOfResource(view)), controllersLink(view)];
    case 'class':
      return [classLink(view, [...providerLinks(view), usersLink(view)])];
    case 'provider':
      return [...providerLinks(view, [usersLink(view)])];
  }
}

function controllersLink({ lease, theClaim, theManaged, subject, now }: View): Link {
  const objects = subject.known.sort === 'claim' ? [theClaim, theManaged] : [theManaged];
  const { lease: state, says, untouched } = livenessOf(lease, objects, now);
  const isIdle = state === 'released' || state === 'run out' || untouched.length > 0;
  return link('controllers', 'controllers', {
    state: isIdle ? 'waits' : state === 'held' || lease.is === 'unsought' ? 'ok' : 'unknown',
    says: [says, ...untouched.map((object) => `nobody has looked at ${describeObject(object)} as it is now`)],
  });
}
