import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import ownManifest from '../../../package.json' with { type: 'json' };
import { projectRoot } from '../../docs/project-copy.ts';
import { oldNode } from './old-node.ts';

const command = join(projectRoot, ownManifest.bin['services-stack']);
const old = oldNode();
const pretend = "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })";

function run(node: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('services-stack names the Node that it needs', () => {
  test('an old Node prints which Node is needed', () => {
    const flags = ['--import', `data:text/javascript,${pretend}`];
    assert.deepEqual(run(process.execPath, ...flags, command, '--version'), {
      status: 1,
      stdout: '',
      stderr: `services-stack needs Node 24 or newer; ${process.execPath} is Node 20.1.0\n`,
    });
  });

  test('an old Node of this machine can read the file', {
    skip: old === undefined && 'there is none',
  }, () => {
    const { path = '', version = '' } = old ?? {};
    assert.deepEqual(run(path, command, 'generate'), {
      status: 1,
      stdout: '',
      stderr: `services-stack needs Node 24 or newer; ${path} is Node ${version}\n`,
    });
  });

  test('the command starts with this one', () => {
    assert.deepEqual(run(process.execPath, command, '--version'), {
      status: 0,
      stdout: `${ownManifest.version}\n`,
      stderr: '',
    });
  });
});
