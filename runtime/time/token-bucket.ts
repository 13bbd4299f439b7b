/** Earns tokens with time, and holds no more than its burst. */
export interface TokenBucket {
  /** May be below zero: on credit. */
  readonly tokens: number;
  /** When it held these. */
  readonly atMs: number;
}

export interface TokenRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A full bucket. */
export const fullBucket = ({ burst }: TokenRate, nowMs: number): TokenBucket => ({
  tokens: burst,
  atMs: nowMs,
});

/** The bucket with what it has earned since; a clock that went back earns nothing. */
export const refilled = (
  { tokens, atMs }: TokenBucket,
  { perSecond, burst }: TokenRate,
  nowMs: number,
): TokenBucket => ({
  tokens: Math.min(burst, tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1_000),
  atMs: nowMs,
});
