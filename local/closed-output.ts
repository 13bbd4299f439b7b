import { onClosedOutput as onClosed } from '../runtime/process/closed-output.ts';

/** Acts when the reader of standard output has ended, as `head` does after its last line. */
export const onClosedOutput = (act: () => void): void => void onClosed(process.stdout, act);
