import type { NameLimits } from '../apis/core/v1alpha1/name-limits.ts';

/** The numbers that the author of a service may set. */
export interface ServiceLimits {
  readonly limits?: { readonly callMs?: number };
  readonly creationGraceMs?: number;
  readonly confirmAbsenceMs?: number;
  readonly names?: NameLimits;
}

/** Node.js ends a timer of more than 24 days at once, so a longer limit would have no effect. */
const longestMs = 86_400_000;
/** A name that is cut ends with a dash and a hash. */
const shortestName = 7;

/** Why a service cannot work with its numbers: one line each. */
export function limitProblems(service: ServiceLimits): readonly string[] {
  const { limits, creationGraceMs, confirmAbsenceMs, names } = service;
  return [
    ...outside('limits.callMs', limits?.callMs, { least: 1_000, most: longestMs }),
    ...outside('creationGraceMs', creationGraceMs, { least: 0, most: longestMs }),
    ...outside('confirmAbsenceMs', confirmAbsenceMs, { least: 0, most: longestMs }),
    ...outside('names.maxLength', names?.maxLength, { least: shortestName, most: 1_000_000 }),
  ];
}

function outside(
  field: string,
  value: number | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): readonly string[] {
  const isInside = Number.isSafeInteger(value) && value !== undefined && value >= least && value <= most;
  return value === undefined || isInside
    ? []
    : [`has ${field} ${String(value)}, which must be a whole number from ${least} to ${most}`];
}
