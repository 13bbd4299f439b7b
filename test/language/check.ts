/**
 * Whether the texts of this repository are plain English, by the list of `words.ts`. `npm run check` runs it over all
 * files and the subjects of recent commits. It ends with 1 if a subject, or a file of a room that is rewritten, has a
 * finding. With paths, it prints all findings there: `npm run language -- controllers/core docs/flow.md`.
 */
import { recentSubjects, subjectFault } from './commits.ts';
import { checkedFiles, findingsOfFiles } from './files.ts';
import type { Finding } from './findings.ts';
import { notRewrittenYet } from './rooms.ts';
import { verdictOn } from './verdict.ts';

const paths = process.argv.slice(2);
const findings = findingsOfFiles(checkedFiles(paths));
if (paths.length > 0) printAll();
else judge();

function line({ path, line: number, kind, found, instead }: Finding): string {
  return `${path}:${number}: ${kind}: "${found}" → ${instead}`;
}

function printAll(): void {
  for (const finding of findings) console.log(line(finding));
  console.log(`${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

function judge(): void {
  const { failures, counts, needless } = verdictOn(findings, notRewrittenYet);
  const counted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  if (total > 0) {
    console.log(`language: ${total} findings in ${counted.length} rooms that are not rewritten yet`);
    console.log(`  ${counted.map(([room, count]) => `${room} ${count}`).join(', ')}`);
  }
  for (const finding of failures) console.error(line(finding));
  for (const room of needless) {
    console.error(`test/language/rooms.ts: "${room}" has no findings: remove it from the list`);
  }
  const isPlain = failures.length + needless.length === 0;
  process.exitCode = judgeSubjects() && isPlain ? 0 : 1;
}

/** Whether the subjects of recent commits are `room: what`. */
function judgeSubjects(): boolean {
  const subjects = recentSubjects();
  if (subjects === undefined) console.log('language: the subjects of commits need the whole history of git');
  const faulty = (subjects ?? []).filter((subject) => subjectFault(subject) !== undefined);
  for (const subject of faulty) console.error(`commit "${subject}": ${subjectFault(subject)}`);
  return faulty.length === 0;
}
