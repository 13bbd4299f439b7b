import type { CloudStates } from '../author/cloud-state.ts';

/** Favourite Cloud's words. */
export const cloudStates: CloudStates = { creating: 'CREATING', online: 'ONLINE', deleting: 'DELETING' };
