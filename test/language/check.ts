/**
 * Whether the texts of this repository are plain English, by the list of `words.ts`. `npm run check` runs it over all
 * files and the subjects of recent commits, and ends with 1 if there is a finding. With paths, it prints the findings
 * there: `npm run language -- controllers docs/flow.md`.
 */
import { recentSubjects, subjectFault } from './commits.ts';
import { checkedFiles, findingsOfFiles } from './files.ts';
import type { Finding } from './findings.ts';

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
  for (const finding of findings) console.error(line(finding));
  const isPlain = findings.length === 0;
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
