/**
 * A bucket of `perSecond` tokens, refilled evenly. Answers how many whole seconds to wait, 0 if the request may
 * pass. `now` is a clock in milliseconds.
 */
export function rateLimit(perSecond: number, now: () => number): () => number {
  let tokens = perSecond;
  let atMs = now();
  return () => {
    const nowMs = now();
    tokens = Math.min(perSecond, tokens + ((nowMs - atMs) / 1000) * perSecond);
    atMs = nowMs;
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / perSecond));
    tokens -= 1;
    return 0;
  };
}
