import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { Find } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { livenessOf } from './liveness.ts';
import { describeObject } from './mend.ts';
import type { View } from './view.ts';

/** Where the controllers run, as far as their lease tells. */
export const deploymentOf = (lease: View['lease']): SecretKey => ({
  namespace: thereOf(lease)?.metadata.namespace ?? 'crossplane-system',
  name: thereOf(lease)?.metadata.name ?? 'services-stack',
});

/** Why nobody works: told only where there is work. */
export const controllersDown: Find = ({ lease, theClaim, theManaged, subject, now }) => {
  const objects = subject.known.sort === 'claim' ? [theClaim, theManaged] : [theManaged];
  const { lease: state, says, untouched } = livenessOf(lease, objects, now);
  const isIdle = state === 'run out' || state === 'released';
  const [first] = untouched;
  if (!isIdle && first === undefined) return undefined;
  const about = first === undefined ? '' : `; nobody has looked at ${describeObject(first)} as it is now`;
  const { namespace: place, name } = deploymentOf(lease);
  const doubt =
    state === 'held' || state === 'unknown'
      ? 'Does the process serve this kind and namespace (--stacks, --namespace)? Its log says.'
      : 'Where they run elsewhere, start them there; their log says why they ended.';
  return {
    link: 'controllers',
    cause: `No controllers are at work on it: ${says}${about}.`,
    advice: doubt,
    // A restart takes the evidence away.
    mend: [
      `kubectl -n ${place} logs deployment/${name} --previous --tail=50`,
      `kubectl -n ${place} logs deployment/${name} --tail=50`,
      `kubectl -n ${place} rollout restart deployment ${name}`,
    ],
  };
};
