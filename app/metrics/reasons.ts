import { conditionReasons } from '../../apis/core/v1alpha1/ready-reasons.ts';

/**
 * The reasons with their own label value. Others count as `Other`: stacks and everyone with write access to a
 * status can invent reasons, and each would be a permanent time series.
 */
const reasons: ReadonlySet<string> = new Set(conditionReasons);

const statuses: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);
const phases: ReadonlySet<string> = new Set(['Unbound', 'Bound', 'Released']);

/** `otherwise` if the value is absent, `Other` if it is not known. */
const among =
  (known: ReadonlySet<string>, otherwise: string) =>
  (value: string | undefined): string => {
    if (value === undefined || value === '') return otherwise;
    return known.has(value) ? value : 'Other';
  };

export const reasonLabel = among(reasons, 'None');
/** An absent condition reads as Unknown. */
export const statusLabel = among(statuses, 'Unknown');
export const phaseLabel = among(phases, 'None');
