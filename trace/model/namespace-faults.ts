import type { Find } from './fault-finding.ts';
import { claimKindOf, classKindOf, isOneOf, keyOf, sentence } from './fault-finding.ts';
import { kubectl } from './mend.ts';
import { readyOf } from './view.ts';

/** No command labels the namespace: what else selects that label may hold data. */
const advice =
  'Claim something else. Or an administrator, who knows whether that namespace should have it, labels the namespace as its namespaceSelector wants, which opens all to it that selects so; or changes that.';

/** What there is is not for the claim's namespace, or for nobody. */
export const namespaceNotAllowed: Find = (view) => {
  const { assignment, binding, choice, theClaim, theManaged, theClass, managedService } = view;
  if (theClaim === undefined) return undefined;
  if (binding !== undefined && isOneOf(binding.name, ['ResourceForbidden', 'NotOffered'])) {
    const isForbidden = binding.name === 'ResourceForbidden';
    return {
      link: 'resource',
      cause: `${sentence(binding.message ?? '')}.`,
      advice: isForbidden ? advice : 'Or claim something else.',
      mend: managedService && theManaged ? [kubectl('edit', managedService.kind, keyOf(theManaged))] : [],
    };
  }
  if (binding?.name === 'ClassForbidden') {
    const kind = classKindOf(view);
    return {
      link: 'class',
      cause: `${sentence(binding.message ?? '')}.`,
      advice,
      mend: kind && theClass ? [kubectl('edit', kind, keyOf(theClass))] : [],
    };
  }
  const edit = kubectl('edit', claimKindOf(view), keyOf(theClaim));
  const { forbidden = 0, misfits = [] } = choice ?? {};
  if (assignment?.act === 'report' && forbidden > 0 && misfits.length === 0) {
    const cause = `Of the classes that match, none may be claimed from namespace ${theClaim.metadata.namespace}.`;
    return { link: 'choice', cause, advice, mend: [edit] };
  }
  const ready = readyOf(theClaim);
  if (ready.reason !== 'NamespaceNotAllowed' || binding !== undefined) return undefined;
  return { link: 'claim', cause: `${sentence(ready.message ?? ready.reason)}.`, advice, mend: [edit] };
};
