/**
 * What calls of this process are deleting outside, as its managed resource identifies it. Two may share an external name:
 * what one of them makes while a call is under way that deletes what the other one had would go with that.
 */
export interface DeletionsUnderWay {
  /** A call is about to delete it; undefined: it has no name that another could share. */
  begin(identity: string | undefined): void;
  /** That call has ended, one way or another. */
  end(identity: string | undefined): void;
  has(identity: string | undefined): boolean;
}

export function createDeletionsUnderWay(): DeletionsUnderWay {
  const calls = new Map<string, number>();
  const count = (identity: string | undefined, change: 1 | -1): void => {
    if (identity === undefined) return;
    const left = (calls.get(identity) ?? 0) + change;
    if (left === 0) calls.delete(identity);
    else calls.set(identity, left);
  };
  return {
    begin: (identity) => count(identity, 1),
    end: (identity) => count(identity, -1),
    has: (identity) => identity !== undefined && calls.has(identity),
  };
}
