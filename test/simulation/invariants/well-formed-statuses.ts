import isEqual from 'lodash/isEqual.js';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf, StoredObject } from '../invariant.ts';
import { isProcess } from '../invariant.ts';

interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

const statusOf = ({ status }: StoredObject): Status => (status ?? {}) as Status;

/** Control characters, characters that turn text round, and those without width. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u;

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);

/** Every text in a value, keys included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [key, ...textsIn(child)]);
}

/**
 * As Kubernetes' conventions have conditions, and as `kubectl wait` and kstatus read them. Conditions that a user wrote are
 * the user's. Events and lines of the log can be printed, too.
 */
export const wellFormedStatuses: InvariantOf = ({ planted }) => ({
  name: 'statuses are as the conventions have them',
  changed({ by, before, after }) {
    if (!isProcess(by) || after === undefined) return [];
    if (after.kind === 'Event') {
      const { message } = after as { readonly message?: string };
      return unprintable.test(message ?? '')
        ? [`an Event that cannot be printed: ${JSON.stringify(message)}`]
        : [];
    }
    if (before?.status === after.status) return [];
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
      !planted.has(before.metadata.uid) &&
      observedGeneration < (statusOf(before).observedGeneration ?? -1)
        ? [`${what} has observed generation ${observedGeneration}, and had a later one before`]
        : []),
      ...conditions.flatMap((condition) => {
        const { type, status, reason, message = '', lastTransitionTime } = condition;
        const which = `${what} has ${type}`;
        const was = former.get(type);
        if (isEqual(was, condition)) return [];
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
  logged(line) {
    const texts = textsIn(JSON.parse(line)).map((text) => text.replaceAll(/\n {4}at /g, ''));
    return texts.some((text) => unprintable.test(text))
      ? [`a line that cannot be printed: ${line.slice(0, 500)}`]
      : [];
  },
});
