/** Acts when the reader of standard output has ended, as `head` does after its last line. Without it, the next write throws. */
export function onClosedOutput(act: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    act();
  });
}
