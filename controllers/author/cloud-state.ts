import { available, creating, deleting, unavailable } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Seen } from './named-by-us.ts';

/** What a cloud calls the states that mean something to us. */
export interface CloudStates {
  readonly creating: string;
  readonly online: string;
  readonly deleting: string;
}

/** What the state of a thing says: whether it can be used, and what the cloud is busy with. */
export function meaningOf(state: string, states: CloudStates, noun: string): Seen<Managed>['meaning'] {
  switch (state) {
    case states.online:
      return { ready: available() };
    case states.creating:
      return { ready: creating(), operation: 'create' };
    case states.deleting:
      return { ready: deleting(), operation: 'delete' };
    default:
      return { ready: unavailable(`the ${noun} is ${state}`) };
  }
}
