/* `services-stack/testing`: the rules that external clients are held to. */
export { describeConformance, judge } from '../testing/conformance.ts';
export type { Conformance, ForProvider, Given, WithoutDetails, World } from '../testing/scenario.ts';
export type { Verdict } from '../testing/verdict.ts';
