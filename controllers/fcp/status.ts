import { available, creating, deleting, unavailable } from '../../apis/core/v1alpha1/condition.ts';
import type { Observation } from '../core/managed/external-client.ts';

/** What a status of Favourite Cloud says of a thing: whether it can be used, and what the cloud is busy with. */
export function meaningOf(
  status: string,
  noun: string,
): Required<Pick<Observation, 'ready'>> & Pick<Observation, 'operation'> {
  switch (status) {
    case 'ONLINE':
      return { ready: available() };
    case 'CREATING':
      return { ready: creating(), operation: 'create' };
    case 'DELETING':
      return { ready: deleting(), operation: 'delete' };
    default:
      return { ready: unavailable(`the ${noun} is ${status}`) };
  }
}
