import type { Limit } from './figures.ts';

export const budgets = {
  // The writes above the exact counts are statuses with the reason why a claim waits, of a few of a
  // thousand. The goals are one more with the creation of the claim, which is not counted here.
  writesWithClassRef: { budget: 9.2, goal: 8 },
  writesWithSelector: { budget: 10.2, goal: 9 },
  // As many as with one service.
  runsPerClaim: { budget: 4, goal: 3.2 },
  writesPerDeletion: { budget: 5.1, goal: 5 },
  eventsPerClaim: { budget: 1.1, goal: 1 },
  readsPerClaim: { budget: 0.2, goal: 0.1 },
  againstMinimalWrites: { budget: 1.5, goal: 1.2 },
  none: { budget: 0, goal: 0 },
  staticP95Ms: { budget: 250, goal: 50 },
  singleP50Ms: { budget: 60, goal: 30 },
  secretP95Ms: { budget: 15, goal: 6 },
  secretsAtOnceP95Ms: { budget: 150, goal: 80 },
  writesPerSecretChange: { budget: 1.1, goal: 1 },
  firstBoundSeconds: { budget: 5, goal: 2 },
  p50Share: { budget: 0.6, goal: 0.5 },
  burstAgainstAlone: { budget: 2 },
  burstWithTurns: { budget: 1.05 },
  startupSeconds: { budget: 1.5, goal: 0.8 },
  imageStartSeconds: { budget: 1, goal: 0.35 },
  imageMiB: { budget: 110, goal: 95 },
  blockedMs: { budget: 100, goal: 50 },
  seedMs: { budget: 30 },
} as const satisfies Readonly<Record<string, Limit>>;

/** Peak memory in MiB: fixed up to 1,000 claims and at 10,000, on a line between and beyond. */
export function memoryLimit(claims: number): Limit {
  const share = Math.max(0, claims - 1_000) / 9_000;
  return { budget: Math.round(160 + share * 290), goal: Math.round(120 + share * 180) };
}
