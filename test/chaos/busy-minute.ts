import { providers } from './schedule.ts';
import { credentialsNamespace } from './world.ts';

/** Requests of one life about one object, or calls of a cloud about one thing. */
const aboutOne = 120;

/** All that use a provider ask while its credentials are refused, or cannot be read, each as its back-off lets it. */
const forEachClaim = 10;
const askedByAll = [
  'aws GetCallerIdentity',
  ...providers.map((name) => ` secrets ${credentialsNamespace}/${name}`),
];

/**
 * How many requests or calls about `what` a minute may have, in a run with so many claims. `what` is as the counters call it:
 * `stack-1 secrets credentials/aws`, `aws GetCallerIdentity`.
 */
export const mostInAMinute = (what: string, claims: number): number =>
  askedByAll.some((each) => what.endsWith(each)) ? Math.max(aboutOne, forEachClaim * claims) : aboutOne;
