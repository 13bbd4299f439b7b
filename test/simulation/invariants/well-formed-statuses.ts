import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf, StoredObject } from '../invariant.ts';
import { isProcess } from '../invariant.ts';

interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

const statusOf = ({ status }: StoredObject): Status => (status ?? {}) as Status;

/** Control characters, and what turns text round. */
const unprintable = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);

/** As Kubernetes' conventions have conditions, and as `kubectl wait` and kstatus read them. */
export const wellFormedStatuses: InvariantOf = () => ({
  name: 'statuses are as the conventions have them',
  changed({ by, before, after }) {
    if (!isProcess(by) || after === undefined || before?.status === after.status) return [];
    const { conditions = [], observedGeneration } = statusOf(after);
    const { generation = 0 } = after.metadata;
    const what = `${after.kind} ${objectKeyText(after.metadata)}`;
    const types = conditions.map(({ type }) => type);
    const former = new Map(
      before === undefined ? [] : (statusOf(before).conditions ?? []).map((each) => [each.type, each]),
    );
    return [
      ...(new Set(types).size === types.length ? [] : [`${what} has a condition twice: ${types}`]),
      ...((observedGeneration ?? 0) <= generation
        ? []
        : [`${what} has observed generation ${observedGeneration}, and is of ${generation}`]),
      ...(observedGeneration !== undefined &&
      before !== undefined &&
      observedGeneration < (statusOf(before).observedGeneration ?? -1)
        ? [`${what} has observed generation ${observedGeneration}, and had a later one before`]
        : []),
      ...conditions.flatMap((condition) => {
        const { type, status, reason, message = '', lastTransitionTime } = condition;
        const which = `${what} has ${type}`;
        const was = former.get(type);
        return [
          ...(/^[A-Za-z]\w*$/.test(reason) ? [] : [`${which} with reason "${reason}"`]),
          ...(isTime(lastTransitionTime) ? [] : [`${which} since "${lastTransitionTime}"`]),
          ...(unprintable.test(message) ? [`${which} with a message that cannot be printed`] : []),
          ...(status === 'False' && was?.status === 'False' && was.lastTransitionTime !== lastTransitionTime
            ? [`${which} False since another time than before`]
            : []),
        ];
      }),
    ];
  },
});
