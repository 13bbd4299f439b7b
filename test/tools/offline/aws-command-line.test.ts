import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { awsCommandLine, prepareAwsCommandLine, runAws } from '../../../tools/offline/aws-command-line.ts';
import { machine } from '../../local/machine.ts';

/** Prints what it was given, as JSON. */
const program =
  '#!/bin/sh\nprintf \'{"args":"%s","region":"%s","key":"%s"}\' "$*" "$AWS_DEFAULT_REGION" "$AWS_ACCESS_KEY_ID"\n';

async function awsMachine(t: TestContext) {
  const { environment, preparation, state } = await machine(t, { aws: program });
  return {
    state,
    prepare: () => prepareAwsCommandLine({ environment, ...preparation }),
    found: () => awsCommandLine(environment),
  };
}

describe('the command line of AWS', () => {
  test('is fetched once, and kept', async (t) => {
    const { state, prepare, found } = await awsMachine(t);
    assert.deepEqual(await found(), {
      isThere: false,
      reason: 'there is no AWS command line; node local/control-plane/prepare.ts gets one',
    });
    const made = await prepare();
    assert.equal(made.isThere, true);
    assert.deepEqual([await prepare(), await found(), state.requests], [made, made, 1]);
  });

  test('that cannot be had is noted with the reason, and not tried again at once', async (t) => {
    const { state, prepare, found } = await awsMachine(t);
    state.failure = 'no archive';
    const want = { isThere: false, reason: 'no archive' };
    assert.deepEqual(
      [await prepare(), await prepare(), await found(), state.requests],
      [want, want, want, 1],
    );
  });

  test('is run with a key, a region and an address, and its JSON is read', async (t) => {
    const { prepare } = await awsMachine(t);
    const made = await prepare();
    assert.ok(made.isThere);
    const account = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const options = { account, region: 'us-west-1', url: 'http://127.0.0.1:1' };
    assert.deepEqual(await runAws(made.program, ['ec2', 'describe-vpcs'], options), {
      args: '--endpoint-url http://127.0.0.1:1 --output json ec2 describe-vpcs',
      region: 'us-west-1',
      key: 'key',
    });
  });
});
