/**
 * Whether a script behind `npm run generate` is called with `--check`, and so must write nothing. Any other argument ends
 * the process with a message and exit code 2, because the caller may have meant a check.
 */
export function isCheckRequested(args: readonly string[] = process.argv.slice(2)): boolean {
  const unknown = args.find((arg) => arg !== '--check');
  if (unknown === undefined) return args.length > 0;
  process.stderr.write(`generate: unknown argument ${JSON.stringify(unknown)}; use --check or no argument\n`);
  process.exit(2);
}
