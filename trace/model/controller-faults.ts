import type { Find } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { livenessOf } from './liveness.ts';
import { describeObject } from './mend.ts';

/** Why nobody works: told only where there is work. */
export const controllersDown: Find = ({ lease, theClaim, theManaged, subject, now }) => {
  const objects = subject.known.sort === 'claim' ? [theClaim, theManaged] : [theManaged];
  const { lease: state, says, untouched } = livenessOf(lease, objects, now);
  const isIdle = state === 'run out' || state === 'released';
  const [first] = untouched;
  if (!isIdle && first === undefined) return undefined;
  const about = first === undefined ? '' : `; nobody has looked at ${describeObject(first)} as it is now`;
  const place = thereOf(lease)?.metadata.namespace ?? 'crossplane-system';
  const name = thereOf(lease)?.metadata.name ?? 'services-stack';
  const doubt =
    state === 'held' || state === 'unknown'
      ? 'Does the process serve this kind and namespace (--stacks, --namespace)? Its log says.'
      : 'Where they run elsewhere, start them there; their log says why they ended.';
  return {
    link: 'controllers',
    cause: `No controllers are at work on it: ${says}${about}.`,
    advice: doubt,
    mend: [
      `kubectl -n ${place} rollout restart deployment ${name}`,
      `kubectl -n ${place} logs deployment/${name} --tail=50`,
    ],
  };
};
