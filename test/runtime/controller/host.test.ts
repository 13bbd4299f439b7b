import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createHost } from '../../../runtime/controller/host.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'host-')));
after(() => rmSync(root, { recursive: true, force: true }));
const path = (name: string): string => join(root, name);
mkdirSync(path('identity'));
mkdirSync(path('identity-of-others'));
writeFileSync(path('cloud.json'), 'hush-hush');
writeFileSync(path('identity/token'), 'hush-hush');
writeFileSync(path('identity-of-others/token'), 'theirs');
writeFileSync(path('large'), '');
truncateSync(path('large'), 1_048_577);
symlinkSync(path('cloud.json'), path('link'));
symlinkSync(path('identity/token'), path('link-to-identity'));
symlinkSync(path('identity'), path('directory-link'));
symlinkSync(path('loop'), path('loop'));
execFileSync('mkfifo', [path('pipe')]);

describe('files for credentials', () => {
  const host = createHost({ variables: {}, forbidden: [path('identity')] });
  const readable: Record<string, string> = {
    'cloud.json': 'hush-hush',
    link: 'hush-hush',
    'identity-of-others/token': 'theirs',
  };
  for (const [name, text] of Object.entries(readable)) {
    test(`${name} is read`, async () => assert.equal(await host.file(path(name)), text));
  }

  const refused: Record<string, RegExp> = {
    missing: /^file \S+\/missing does not exist$/,
    'cloud.json/below': /^file \S+\/cloud\.json\/below does not exist$/,
    identity: /holds the identity of this process/,
    'identity/token': /^file \S+\/identity\/token holds the identity of this process/,
    'identity-of-others/../identity/token': /holds the identity of this process/,
    'link-to-identity': /holds the identity of this process/,
    'directory-link/token': /holds the identity of this process/,
    'identity-of-others': /^file \S+\/identity-of-others is not a regular file$/,
    pipe: /^file \S+\/pipe is not a regular file$/,
    large: /^file \S+\/large is larger than 1048576 bytes$/,
    loop: /^file \S+\/loop is a symbolic link without a target$/,
  };
  for (const [name, says] of Object.entries(refused)) {
    test(`${name} is refused: its path is named, its content is not`, async () => {
      await assert.rejects(host.file(`${root}/${name}`), (error: Error) => {
        assert.match(error.message, says);
        assert.ok(!error.message.includes('hush-hush'));
        return true;
      });
    });
  }

  test('a read of process data of the kernel is refused by default', async () => {
    const own = createHost({ variables: {} });
    await assert.rejects(own.file('/proc/self/environ'), /holds the identity of this process/);
    await assert.rejects(own.file('/dev/null'), /holds the identity of this process/);
  });
});

test('a variable is read by its name, and what an object inherits is none', () => {
  const host = createHost({ variables: { TOKEN: 'x' } });
  assert.deepEqual(
    ['TOKEN', 'token', 'constructor', '__proto__'].map((name) => host.variable(name)),
    ['x', undefined, undefined, undefined],
  );
});
