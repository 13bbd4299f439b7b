const most = 10;
const widest = 160;

/** The end of a log, for people: its last lines, whole or cut after a word, without what only machines read. */
export const lastLines = (log: string): readonly string[] =>
  log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-most)
    .map((line) => `  ${cut(line.replace(/ reconcileID=\S+/, ''))}`);

function cut(line: string): string {
  if (line.length <= widest) return line;
  const head = line.slice(0, widest - 2);
  const end = head.lastIndexOf(' ');
  return `${end > widest / 2 ? head.slice(0, end) : head} …`;
}
