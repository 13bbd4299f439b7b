import { choiceLink, claimLink, claimOfResource, classLink } from './claim-links.ts';
import { link } from './link-parts.ts';
import { isIdle, livenessIn, livenessTexts } from './liveness.ts';
import { providerLinks, usersLink } from './provider-links.ts';
import { resourceLinks } from './resource-links.ts';
import { targetLink } from './secret-links.ts';
import type { Link } from './trace.ts';
import type { View } from './view.ts';

/** The chain below the traced object. No link is `broken` yet. */
export function linksOf(view: View): readonly Link[] {
  switch (view.subject.known.sort) {
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
      return providerLinks(view, [usersLink(view)]);
  }
}

function controllersLink(view: View): Link {
  const liveness = livenessIn(view);
  const isKnown = liveness.lease === 'held' || view.lease.is === 'unsought';
  return link('controllers', 'controllers', {
    state: isIdle(liveness) ? 'waits' : isKnown ? 'ok' : 'unknown',
    says: livenessTexts(liveness),
  });
}
