import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { awsCommandLine, prepareAwsCommandLine, runAws } from '../../local/aws-command-line.ts';
import type { BinarySource } from '../../local/control-plane/binary-cache.ts';
import { textProgress } from '../../local/control-plane/progress.ts';

/** Prints what it was given, as JSON. */
const program =
  '#!/bin/sh\nprintf \'{"args":"%s","region":"%s","key":"%s"}\' "$*" "$AWS_DEFAULT_REGION" "$AWS_ACCESS_KEY_ID"\n';

async function machine(t: TestContext, { fails = false } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'aws-command-line-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const environment = { XDG_CACHE_HOME: home, PATH: home };
  let asked = 0;
  const source: BinarySource = {
    name: 'source',
    async produce({ target }) {
      asked += 1;
      if (fails) throw new Error('no archive\nand more of it');
      await writeFile(join(target, 'aws'), program, { mode: 0o755 });
    },
  };
  const progress = textProgress({ write: () => {} });
  return {
    asked: () => asked,
    prepare: () => prepareAwsCommandLine({ environment, progress, sources: [source], prove: async () => {} }),
    found: () => awsCommandLine(environment),
  };
}

describe('the command line of AWS', () => {
  test('is fetched once, and kept', async (t) => {
    const { asked, prepare, found } = await machine(t);
    assert.deepEqual(await found(), {
      isThere: false,
      reason: 'there is no AWS command line; node local/control-plane/prepare.ts gets one',
    });
    const made = await prepare();
    assert.equal(made.isThere, true);
    assert.deepEqual([await prepare(), await found(), asked()], [made, made, 1]);
  });

  test('that cannot be had is noted with the reason, and not tried again at once', async (t) => {
    const { asked, prepare, found } = await machine(t, { fails: true });
    const want = { isThere: false, reason: 'no archive' };
    assert.deepEqual([await prepare(), await prepare(), await found(), asked()], [want, want, want, 1]);
  });

  test('is run with a key, a region and an address, and its JSON is read', async (t) => {
    const { prepare } = await machine(t);
    const made = await prepare();
    assert.ok(made.isThere);
    const account = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const options = { account, region: 'us-west-1', url: 'http://127.0.0.1:1' };
    assert.deepEqual(await runAws(made.program, ['ec2', 'describe-vpcs'], options), {
      args: '--endpoint-url http://127.0.0.1:1 --output json ec2 describe-vpcs',
      ...{ region: 'us-west-1', key: 'key' },
    });
  });
});
