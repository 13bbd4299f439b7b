/**
 * Whether one of the scripts behind `npm run generate` is to write nothing: `--check`. Anything else that it is told ends the
 * process with a sentence and code 2, before something is written that somebody meant to look at only.
 */
export function isCheckAsked(args: readonly string[] = process.argv.slice(2)): boolean {
  const unknown = args.find((arg) => arg !== '--check');
  if (unknown === undefined) return args.length > 0;
  process.stderr.write(
    `generate: ${JSON.stringify(unknown)} is not known; there is --check, which writes nothing\n`,
  );
  process.exit(2);
}
