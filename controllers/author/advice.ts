import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';

/** The advice that resources of several stacks show. A test does what each piece says (docs/decisions/0059). */
export const advice = {
  observeExisting: 'observe it with spec.managementPolicies ["Observe"]',
  correctWrittenName: `correct the annotation ${annotationKeys.externalName}`,
  removeWrittenName: (noun: string) => `remove it to have a ${noun} created`,
  nameRightOne: `put the id of the right one into the annotation ${annotationKeys.externalName}`,
} as const;
