import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';

type Phase = string | undefined;

/**
 * What a phase may become by a process; what is bound elsewhere was brought along by a backup. What names no claim, be it
 * that somebody took it away, an administrator may offer again.
 */
const allowed: Readonly<Record<string, readonly Phase[]>> = {
  Bound: ['Released'],
  Released: [],
};

/** What one claim had, nobody else is given, unless an administrator offers it again. */
export const releasedStays: InvariantOf = () => ({
  name: 'what is Released is nobody else’s until it is offered again',
  changed({ by, kind, before, after }) {
    if (!managedKinds.includes(kind) || !isProcess(by) || before === undefined || after === undefined) {
      return [];
    }
    const [was, is] = [before, after] as unknown as readonly [Managed, Managed];
    const [from, to] = [was.status?.bindingPhase, is.status?.bindingPhase];
    const what = `${kind.kind} ${is.metadata.name}`;
    const isOffered = was.metadata.annotations?.[annotationKeys.reoffer] === 'true';
    const isRestored = was.status?.boundUID !== undefined && was.status.boundUID !== was.metadata.uid;
    // Whose it was, and is while it goes, is named again where somebody took that away.
    const isIts = is.spec.claimRef?.uid === was.status?.boundClaimUID;
    const isTaken = was.spec.claimRef?.uid === undefined && is.spec.claimRef?.uid !== undefined && !isIts;
    if (isRestored) return [];
    return [
      ...(isTaken && from === 'Released' ? [`${by} gives ${what}, which is Released, to a claim`] : []),
      ...(from !== to && from !== undefined && allowed[from] !== undefined && !allowed[from].includes(to)
        ? to === 'Unbound' && isOffered && was.spec.claimRef?.uid === undefined
          ? []
          : [`${by} makes ${what} ${to}, which was ${from}`]
        : []),
    ];
  },
});
