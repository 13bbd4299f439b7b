/** A mistake of the author; the message has the fix. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
