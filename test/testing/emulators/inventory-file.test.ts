import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import { startGoogleCloud } from '../../../stacks/gcp/emulator/server.ts';
import { checkPlace, failureOf } from '../../../testing/emulators/emulator-process.ts';
import { inventoryFile } from '../../../testing/emulators/inventory-file.ts';
import { startFavouriteCloud } from '../../../testing/favourite-cloud/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'services-stack-inventory-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
writeFileSync(at('plain'), 'root:x:0:0');
writeFileSync(at('list.json'), '[1]');
writeFileSync(at('other.json'), '{"private": "secret"}');
mkdirSync(at('a-folder'));

const rejection = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail('it was started'),
    (error: unknown) => failureOf(error),
  );

const useless: Readonly<Record<string, readonly [file: string, reported: string]>> = {
  'is below a plain file': [
    at('plain/held.json'),
    `--data: cannot read ${at('plain/held.json')}: ${at('plain')} is no folder`,
  ],
  'is in no folder': [
    at('none/held.json'),
    `--data: cannot write ${at('none/held.json')}: there is no folder ${at('none')}`,
  ],
  'is a folder': [at('a-folder'), `--data: cannot read ${at('a-folder')}: it is a folder`],
  'holds no JSON': [at('plain'), `--data: ${at('plain')} holds no JSON object`],
  'holds other JSON': [at('list.json'), `--data: ${at('list.json')} holds no JSON object`],
};
const stands = { AWS: startAws, 'Google Cloud': startGoogleCloud, 'Favourite Cloud': startFavouriteCloud };

for (const [name, start] of Object.entries(stands)) {
  describe(`${name} does not start with a file that`, () => {
    for (const [why, [dataFile, reported]] of Object.entries(useless)) {
      test(why, async () => assert.equal(await rejection(start({ dataFile })), reported));
    }
    test('another program has written', async () => {
      const dataFile = at('other.json');
      const reported = `--data: ${dataFile} contains no inventory of this emulator`;
      assert.equal(await rejection(start({ dataFile })), reported);
      assert.equal(readFileSync(dataFile, 'utf8'), '{"private": "secret"}');
    });
  });
}

describe('before work that takes time', () => {
  for (const [why, [dataFile, reported]] of Object.entries(useless)) {
    test(`a file that ${why} is an error`, async () =>
      assert.equal(await rejection(checkPlace({ dataFile })), reported));
  }
  test('a port in use is an error', async () => {
    await using cloud = await startFavouriteCloud();
    const { host, port } = new URL(cloud.url);
    const reported = `--port: cannot listen on ${host}: that port is in use; 0 takes a free one`;
    assert.equal(await rejection(checkPlace({ port: Number(port) })), reported);
  });
  test('a usable port and file are not changed', async () => {
    await checkPlace({ dataFile: at('new.json') });
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('new.json')));
  });
});

test('a file that cannot be written is reported once, and again when it can be written', () => {
  const home = at('home');
  mkdirSync(home);
  const file = join(home, 'held.json');
  const reported: string[] = [];
  const { save } = inventoryFile<object>(file, {
    isSaved: () => true,
    report: (text) => reported.push(text),
  });
  save({ a: 1 });
  rmSync(home, { recursive: true });
  const failure = `--data: cannot write ${file}: there is no folder ${home}`;
  assert.throws(() => save({ a: 2 }), { message: failure });
  assert.throws(() => save({ a: 3 }), { message: failure });
  assert.deepEqual(reported, [failure]);
  mkdirSync(home);
  save({ a: 4 });
  assert.deepEqual(reported, [failure, `--data: ${file} is written again`]);
  assert.deepEqual(readdirSync(home), ['held.json']);
  assert.equal(readFileSync(file, 'utf8'), '{"a":4}');
});
