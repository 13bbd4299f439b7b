/** Gains tokens with time, up to its burst. */
export interface TokenBucket {
  /** Negative after tokens were spent in advance. */
  readonly tokens: number;
  /** The time, in milliseconds, at which it had `tokens`. */
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

/** The bucket with the tokens gained since `atMs`. If the clock went back, no tokens are added. */
export const refilled = (
  { tokens, atMs }: TokenBucket,
  { perSecond, burst }: TokenRate,
  nowMs: number,
): TokenBucket => ({
  tokens: Math.min(burst, tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1_000),
  atMs: nowMs,
});
