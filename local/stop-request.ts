import { onClosedOutput } from './closed-output.ts';

/**
 * Resolves when this process is asked to end: by SIGINT, by SIGTERM, or by the end of the reader of its output, such as
 * `head`. Under npm also when the shell between npm and this process ends: npm passes signals to that shell, which may die
 * without passing them on, and then this process has another parent. Keeps the process running until then.
 */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
    onClosedOutput(resolve);
    const parent = process.ppid;
    const isUnderNpm = process.env.npm_lifecycle_event !== undefined;
    setInterval(() => {
      if (isUnderNpm && process.ppid !== parent) resolve();
    }, 500);
  });
}
