import { setTimeout as sleep } from 'node:timers/promises';

/** Lets real time go by: what is under way elsewhere gets on. */
export const realMoment = (ms: number): Promise<void> => sleep(ms);
