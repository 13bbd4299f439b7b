import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';

/** On what a claim has had, or may have; or was offered. */
const ofSomebody = ['crossplane.io/claim-parameters', 'crossplane.io/offered-to'];

type Phase = string | undefined;

/**
 * What a phase may become by a process; what is bound elsewhere was brought along by a backup. What names no claim, be it
 * that somebody took it away, an administrator may offer again.
 */
const allowed: Readonly<Record<string, readonly Phase[]>> = {
  Bound: ['Released'],
  Released: [],
};

const anybody = 'anybody';
const textOf = ({ claimRef }: Managed['spec']): string =>
  claimRef === undefined ? anybody : `${claimRef.kind} ${claimRef.namespace}/${claimRef.name}`;

/** What one claim had, nobody else is given, unless an administrator offers it again; and then to him. */
export const releasedStays: InvariantOf = () => {
  /** To whom it was offered last, as a process took that up, by the UID of what was another claim's. */
  const offers = new Map<string, string>();
  return {
    name: 'what is Released is nobody else’s until it is offered again',
    changed({ by, kind, before, after }) {
      if (!managedKinds.includes(kind) || !isProcess(by) || before === undefined || after === undefined) {
        return [];
      }
      const [was, is] = [before, after] as unknown as readonly [Managed, Managed];
      const [from, to] = [was.status?.bindingPhase, is.status?.bindingPhase];
      const what = `${kind.kind} ${is.metadata.name}`;
      const isOffered = ['true', 'claim'].includes(was.metadata.annotations?.[annotationKeys.reoffer] ?? '');
      const isRestored = was.status?.boundUID !== undefined && was.status.boundUID !== was.metadata.uid;
      // Whose it was, and is while it goes, or who took it, is named again where somebody took that away.
      const isTakers = was.metadata.annotations?.['crossplane.io/reserved-for']?.startsWith(
        `${is.spec.claimRef?.uid}/`,
      );
      const isIts = is.spec.claimRef?.uid === was.status?.boundClaimUID || isTakers === true;
      const isTaken = was.spec.claimRef?.uid === undefined && is.spec.claimRef?.uid !== undefined && !isIts;
      const { uid = '' } = is.metadata;
      const reofferOf = ({ metadata }: Managed): string | undefined =>
        metadata.annotations?.[annotationKeys.reoffer];
      // What nobody has had is not on record for whom it was offered to.
      const isMarked = ofSomebody.some((key) => was.metadata.annotations?.[key] !== undefined);
      const wasHad = from === 'Released' || from === 'Bound' || isMarked;
      const isTakenUp = isOffered && wasHad && !isTaken && (to !== from || reofferOf(is) === undefined);
      if (isTakenUp && to === 'Unbound') offers.set(uid, textOf(is.spec));
      const offer = offers.get(uid) ?? anybody;
      if (to === 'Bound') offers.delete(uid);
      if (isRestored) return [];
      return [
        ...(isTaken && offer !== anybody && offer !== textOf(is.spec)
          ? [`${by} gives ${what}, which was offered to ${offer}, to ${textOf(is.spec)}`]
          : []),
        ...(isTaken && from === 'Released' ? [`${by} gives ${what}, which is Released, to a claim`] : []),
        ...(from !== to && from !== undefined && allowed[from] !== undefined && !allowed[from].includes(to)
          ? to === 'Unbound' && isOffered && was.spec.claimRef?.uid === undefined
            ? []
            : [`${by} makes ${what} ${to}, which was ${from}`]
          : []),
      ];
    },
  };
};
