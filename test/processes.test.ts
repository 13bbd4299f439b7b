import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { alone, firstStarted, notUnit, onlyInAll, root, testFiles, testProcesses } from './processes.ts';

describe('the processes of the tests', () => {
  test('each file runs once', () => {
    const files = testFiles('all');
    assert.ok(files.length > 300, String(files.length));
    const ran = testProcesses(files).flatMap((each) => each.files);
    assert.deepEqual(ran.toSorted(), files.toSorted());
  });

  test('npm test leaves out whole processes, and none of the unit tests', () => {
    const [all, short, unit] = [testFiles('all'), testFiles('short'), testFiles('unit')];
    const left = testProcesses(all.filter((file) => !short.includes(file)));
    const ran = new Set(testProcesses(short).map(({ name }) => name));
    assert.deepEqual(
      left.filter(({ name }) => ran.has(name)),
      [],
    );
    assert.deepEqual(
      unit.filter((file) => !short.includes(file)),
      [],
    );
  });

  test('the long ones start first, in their order; unit tests share a process, and a file that needs its own has it', () => {
    const files = [
      'test/apis/generate.test.ts',
      'test/cluster/docs.test.ts',
      'test/cluster/process.test.ts',
      'test/controllers/stack.test.ts',
      'test/controllers/status.test.ts',
      'test/rooms.test.ts',
    ];
    const [generate = '', docs = '', process = '', stack = '', status = '', rooms = ''] = files;
    assert.deepEqual(testProcesses(files), [
      { name: 'cluster/docs', files: [docs] },
      { name: 'rest', files: [rooms] },
      { name: 'core', files: [stack, status] },
      { name: 'cluster/process', files: [process] },
      { name: 'apis/generate', files: [generate] },
    ]);
  });

  test('each name in a list is that of a file, of a room or of a shared process', () => {
    const files = testFiles('all');
    const names = new Set(testProcesses(files).map(({ name }) => name));
    const unknown = [...alone, ...firstStarted].filter((name) => !names.has(name));
    assert.deepEqual(unknown, []);
    const unknownRooms = [...notUnit, ...onlyInAll].filter(
      (room) => !files.some((file) => file.startsWith(`test/${room}/`) || file === `test/${room}.test.ts`),
    );
    assert.deepEqual(unknownRooms, []);
  });

  test('each suite that a file exports is called in another one', () => {
    const texts = new Map(
      globSync('test/**/*.ts', { cwd: root }).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
    );
    const suites = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/^export (?:async )?(?:function |const )(test[A-Z]\w*)/gm)].map(([, name = '']) => ({
        file,
        name,
      })),
    );
    assert.ok(suites.length > 10, String(suites.length));
    const uncalled = suites.filter(
      ({ file, name }) => ![...texts].some(([other, text]) => other !== file && text.includes(`${name}(`)),
    );
    assert.deepEqual(uncalled, []);
  });
});
