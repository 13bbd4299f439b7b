import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { reportUsageErrors } from '../../../package/command/report-usage-errors.ts';

test('a folder that cannot be written is named in one line, with exit code 1', async ({ mock }) => {
  const { mock: written } = mock.method(process.stderr, 'write', () => true);
  const folder = join(import.meta.filename, 'crds'); // a file contains no folder
  try {
    await reportUsageErrors(mkdir(folder));
    assert.equal(process.exitCode, 1);
  } finally {
    process.exitCode = undefined;
  }
  assert.deepEqual(written.calls[0]?.arguments, [`ENOTDIR: not a directory, mkdir '${folder}'\n`]);
});

test('an error of this package is thrown, with its stack trace', () =>
  assert.rejects(reportUsageErrors(Promise.reject(new TypeError('a bug'))), TypeError));
