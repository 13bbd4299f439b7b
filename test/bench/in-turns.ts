/** Does `work` for 0, 1, …, count - 1, so many at a time, in this order. Rejects with the first error. */
export async function inTurns(
  count: number,
  atATime: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, count) }, worker));
}
