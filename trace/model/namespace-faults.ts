import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { Find } from './fault-finding.ts';
import { claimKindOf, classKindOf, keyOf, sentence } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { kubectl, quoted } from './mend.ts';
import type { View } from './view.ts';
import { readyOf } from './view.ts';
import { wishesIn } from './wishes.ts';

const advice =
  'An administrator may label the namespace as its namespaceSelector wants, or change that; or claim something else.';

/** Labels the namespace as an offer's selector wants, where that takes no label away. */
function labelling({ namespace, theClaim }: View, offered: Class | Managed | undefined): readonly string[] {
  const part = offered && ('specTemplate' in offered ? offered.specTemplate : offered.spec);
  const labels = thereOf(namespace)?.metadata.labels ?? {};
  const unmet = wishesIn(part?.namespaceSelector ?? {}).filter(({ isMet }) => !isMet(labels));
  const lacking = unmet.flatMap(({ key, label }) => (label === undefined || key in labels ? [] : [label]));
  if (lacking.length === 0 || lacking.length < unmet.length) return [];
  const name = theClaim?.metadata.namespace ?? '';
  return [kubectl('label', NamespaceKind, { name }, ...lacking.map(quoted))];
}

/** What there is is not for the claim's namespace, or for nobody. */
export const namespaceNotAllowed: Find = (view) => {
  const { assignment, binding, choice, theClaim, theManaged, theClass, managedService } = view;
  if (theClaim === undefined) return undefined;
  if (binding?.act === 'report' && ['K14 forbidden', 'K14 unoffered'].includes(binding.row)) {
    const isForbidden = binding.row === 'K14 forbidden';
    return {
      link: 'resource',
      cause: `${sentence(binding.event.message)}.`,
      advice: isForbidden ? advice : 'Or claim something else.',
      mend: [
        ...(isForbidden ? labelling(view, theManaged) : []),
        ...(managedService && theManaged ? [kubectl('edit', managedService.kind, keyOf(theManaged))] : []),
      ],
    };
  }
  if (binding?.act === 'report' && binding.row === 'K7 forbidden') {
    const kind = classKindOf(view);
    return {
      link: 'class',
      cause: `${sentence(binding.event.message)}.`,
      advice,
      mend: [
        ...labelling(view, theClass),
        ...(kind && theClass ? [kubectl('edit', kind, keyOf(theClass))] : []),
      ],
    };
  }
  const edit = kubectl('edit', claimKindOf(view), keyOf(theClaim));
  const { forbidden = 0, misfits = [], matching = [] } = choice ?? {};
  if (assignment?.act === 'report' && forbidden > 0 && misfits.length === 0) {
    const cause = `Of the classes that match, none may be claimed from namespace ${theClaim.metadata.namespace}.`;
    return { link: 'choice', cause, advice, mend: [...labelling(view, matching[0]), edit] };
  }
  const ready = readyOf(theClaim);
  if (ready.reason !== 'NamespaceNotAllowed' || binding !== undefined) return undefined;
  return { link: 'claim', cause: `${sentence(ready.message ?? ready.reason)}.`, advice, mend: [edit] };
};
