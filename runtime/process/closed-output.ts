import type { EventEmitter } from 'node:events';

/** Standard output or standard error. */
export type Output = Pick<EventEmitter, 'on' | 'off'>;

/**
 * Acts when the reader of an output has ended, as `head` does after its last line, and text that is written later is lost. The
 * returned function ends that: without a listener, such a write throws.
 */
export function onClosedOutput(output: Output, act: () => void): () => void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    act();
  };
  output.on('error', onError);
  return () => void output.off('error', onError);
}
