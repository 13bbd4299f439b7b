import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { claimKinds, kindOf, managedKinds } from '../kinds.ts';
import type { Scenario } from '../scenario.ts';
import { nameOf } from '../workload/exemplars.ts';

const textOf = (object: KubernetesObject): string => JSON.stringify(nameOf(object));

/** The claims that are there from the beginning, and that no step names. */
function bystandersIn({ objects, steps }: Scenario): readonly KubernetesObject[] {
  const named = new Set(steps.map(({ act }) => ('of' in act ? JSON.stringify(act.of) : '')));
  return objects.filter((each) => claimKinds.includes(kindOf(each)) && !named.has(textOf(each)));
}

/** A claim that no user edits is served by one resource all the time, also while others do harm. */
export const bystandersServed: InvariantOf = ({ cluster, scenario }) => {
  const bystanders = bystandersIn(scenario);
  const texts = new Set(bystanders.map(textOf));
  const isBoundToOne = (resource: Managed): boolean => {
    const { apiVersion, kind, namespace, name } = resource.spec.claimRef ?? {};
    return (
      texts.has(JSON.stringify({ apiVersion, kind, namespace, name })) &&
      resource.status?.bindingPhase === 'Bound'
    );
  };
  return {
    name: 'a claim that no user edits is served, also while others do harm',
    changed({ by, kind, before, after }) {
      if (texts.size === 0 || !managedKinds.includes(kind) || before === undefined) return [];
      const [was, is] = [before, after] as unknown as readonly (Managed | undefined)[];
      return isBoundToOne(was!) && (is === undefined || !isBoundToOne(is))
        ? [`${by} takes ${kind.kind} ${before.metadata.name} from its claim`]
        : [];
    },
    atRest: () =>
      bystanders.flatMap((object) => {
        const claim = cluster.find<Claim>(kindOf(object) as never, object.metadata);
        const { bindingPhase, conditions } = claim?.status ?? {};
        const isServed =
          bindingPhase === 'Bound' && ['Ready', 'Synced'].every((type) => isConditionTrue(conditions, type));
        return isServed
          ? []
          : [
              `${object.kind} ${objectKeyText(object.metadata)} is ${bindingPhase}: ${JSON.stringify(conditions)}`,
            ];
      }),
  };
};
