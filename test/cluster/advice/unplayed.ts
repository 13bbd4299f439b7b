import type { advice } from '../../../clients/advice.ts';

/** Advice that no row plays, with the reason. */
export const unplayed = {
  correctRegion: "the name of AWS's own server does not resolve: a test has no other DNS",
} as const satisfies Partial<Record<keyof typeof advice, string>>;
