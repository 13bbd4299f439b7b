/**
 * How the search of the site ranks its results. VitePress gives the browser the source of these functions, and nothing
 * else of this file.
 */
export const searchOptions = {
  /** Words without a topic, as in "how do I add a service", would bring the longest page to the top. */
  processTerm: (term: string): string | null => {
    const plain = term.toLowerCase();
    const withoutTopic =
      /^(a|all|an|and|are|at|be|by|can|could|do|does|for|from|has|have|how|i|in|is|it|may|my|not|of|on|only|or|should|that|the|to|was|we|what|when|where|which|who|why|with|you|your)$/;
    return withoutTopic.test(plain) ? null : plain;
  },
  /** Only the last word may be unfinished: "read" in "read only user" is not READY. */
  prefix: (_term: string, index: number, terms: readonly string[]): boolean => index === terms.length - 1,
  /** Guides come before pages for contributors. */
  boostDocument: (id: string): number => {
    if (/troubleshooting/.test(id)) return 3;
    const rare = /decision|api-reference|emulators|CHANGELOG|CONTRIBUTING|performance|tasks|flow/;
    return rare.test(id) ? 0.3 : 1;
  },
};
