import { setTimeout as sleep } from 'node:timers/promises';

/** Lets real time pass, so that running I/O can continue. */
export const realMoment = (ms: number): Promise<void> => sleep(ms);
