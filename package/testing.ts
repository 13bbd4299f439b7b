/* `services-stack/testing`: the conformance rules for external clients, and a fake cloud. */

export { describeConformance, judge } from '../testing/conformance.ts';
export type { DescribeStacksOptions } from '../testing/describe-stacks.ts';
export { describeStacks } from '../testing/describe-stacks.ts';
export type { FavouriteCloud, FavouriteCloudOptions } from '../testing/favourite-cloud/server.ts';
export { startFavouriteCloud } from '../testing/favourite-cloud/server.ts';
export type { Conformance, ForProvider, Given, WithoutDetails, World } from '../testing/scenario.ts';
export type { Verdict } from '../testing/verdict.ts';
