import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'decisions');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const files = globSync('[0-9]*.md', { cwd: folder }).toSorted();

/** The rows of the index that lead to a page, without what is said of it in one line. */
const rows = [
  ...read('README.md').matchAll(/^\| (\d{4}) \| \[(.+)\]\((\S+)\) \| (.+?) \| (\S+) \| \S.* \|$/gm),
].map(([, ...cells]) => cells);

describe('records of decisions', () => {
  for (const file of files) {
    test(`${file} begins with its number, status and date`, () => {
      assert.match(file, /^\d{4}(-[a-z0-9]+)+\.md$/);
      const status = '(proposed|accepted|superseded by \\d{4})';
      const head = `^# ${file.slice(0, 4)}: \\S.*\\n\\n- Status: ${status}\\n- Date: \\d{4}-\\d\\d-\\d\\d\\n\\n\\S`;
      assert.match(read(file), new RegExp(head));
    });
  }

  test('each has a number of its own, and its row in the index', () => {
    const stated = files.map((file) => {
      const [, title, status, date] =
        /^# \d{4}: (.+)\n\n- Status: (.+)\n- Date: (.+)\n/.exec(read(file)) ?? [];
      return [basename(file).slice(0, 4), title, file, status, date];
    });
    assert.ok(stated.length > 0);
    assert.deepEqual(rows, stated);
    assert.equal(new Set(stated.map(([number]) => number)).size, stated.length);
  });
});
