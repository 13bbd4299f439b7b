import { available, creating, deleting, unavailable } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ObservedDatabase } from './named-by-us.ts';

/** The cloud's names of the states that matter here. */
export interface CloudStates {
  readonly creating: string;
  readonly online: string;
  readonly deleting: string;
}

/** The meaning of a resource's state: can it be used, and which operation is in progress? */
export function meaningOf(
  state: string,
  states: CloudStates,
  noun: string,
): ObservedDatabase<Managed>['meaning'] {
  switch (state) {
    case states.online:
      return { ready: available() };
    case states.creating:
      return { ready: creating(), operation: 'create' }; // guard: otherwise it changes a resource during its creation
    case states.deleting:
      return { ready: deleting(), operation: 'delete' }; // guard: otherwise it deletes twice
    default:
      return { ready: unavailable(`the ${noun} is ${state}`) };
  }
}
