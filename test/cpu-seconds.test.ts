import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProcessState } from './cpu-seconds.ts';
import { CpuSeconds, cpuReport, processState, programOf } from './cpu-seconds.ts';

test('the line of a process is read, whatever its program is called', () => {
  const times = '120 30 450 50'; // user and system, then those of ended children
  const stat = `42 (a) b (c) S 7 42 42 0 -1 4194304 1 2 3 4 ${times} 20 0 11 0 98765 1000 200`;
  assert.deepEqual(processState(stat), {
    pid: 42,
    comm: 'a) b (c',
    parent: 7,
    started: 98_765,
    ownSeconds: 1.5,
    endedChildrenSeconds: 5,
  });
});

test('a program has the name of its file, and a script of node that of the script', () => {
  const rows = {
    '/cache/kube-apiserver --secure-port=1': 'kube-apiserver',
    'postgres: checkpointer ': 'postgres',
    '/bin/node --import ./a.ts main.ts --stacks aws': 'node main.ts',
    '/bin/node node_modules/.bin/tsc -p .': 'node tsc',
    'node --version': 'node',
  };
  const found = Object.keys(rows).map((command) => programOf(command.split(/ (?!checkpointer|$)/)));
  assert.deepEqual(found, Object.values(rows));
});

describe('the CPU seconds of a group', () => {
  const process = (
    pid: number,
    parent: number,
    comm: string,
    ownSeconds: number,
    endedChildrenSeconds = 0,
  ): ProcessState => ({ pid, parent, started: pid, comm, ownSeconds, endedChildrenSeconds });
  /** Process 2 begins the group. Commands are the names of their programs. `read`: the processes that were read about. */
  function counted(...samples: readonly (readonly ProcessState[])[]) {
    let present: readonly ProcessState[] = [];
    const read: number[] = [];
    const cpu = new CpuSeconds((pid) => (pid === 2 ? 'cluster/docs' : undefined), {
      pids: () => present.map(({ pid }) => pid),
      state(wanted) {
        read.push(wanted);
        return present.find(({ pid }) => pid === wanted);
      },
      command: (wanted) => present.filter(({ pid }) => pid === wanted).map(({ comm }) => comm),
    });
    for (const sample of samples) {
      present = sample;
      cpu.sample();
    }
    const seconds = [...cpu.seconds].map(
      ([group, programs]) => [group, Object.fromEntries(programs)] as const,
    );
    return { seconds, read };
  }

  test('are those of its process and of all descendants; another process does not count', () => {
    const [init, other] = [process(1, 0, 'init', 50), process(9, 1, 'other', 30)];
    const { seconds } = counted(
      [other, init, process(4, 3, 'etcd', 1), process(3, 2, 'sh', 1), process(2, 1, 'node', 2)],
      [other, init, process(4, 3, 'etcd', 5), process(3, 2, 'sh', 1), process(2, 1, 'node', 4)],
    );
    assert.deepEqual(seconds, [['cluster/docs', { etcd: 5, sh: 1, tests: 4 }]]);
  });

  test('include what a process used after its last sample, and a command that no sample has', () => {
    const tests = (ended: number) => process(2, 1, 'node', 1, ended);
    const { seconds } = counted(
      [tests(0), process(3, 2, 'kubectl', 1), process(5, 3, 'git', 1)],
      // kubectl and git ended: 4 seconds are those of kubectl with git.
      [tests(4)],
      [tests(4.5)],
    );
    assert.deepEqual(seconds, [['cluster/docs', { tests: 1, kubectl: 3, git: 1, 'short commands': 0.5 }]]);
  });

  test('leave out a process of others, which is read once, and count a later one with its number', () => {
    const tests = process(2, 1, 'node', 1);
    const { seconds, read } = counted(
      [process(1, 0, 'init', 1), tests, process(3, 1, 'other', 1)],
      [process(1, 0, 'init', 1), tests, process(3, 1, 'other', 1)],
      [process(1, 0, 'init', 1), tests],
      [process(1, 0, 'init', 1), tests, process(3, 2, 'etcd', 5)],
    );
    assert.deepEqual(seconds, [['cluster/docs', { tests: 1, etcd: 5 }]]);
    assert.deepEqual(read, [1, 2, 3, 2, 2, 2, 3]);
  });

  test('count for the program that a process has become', () => {
    const { seconds } = counted(
      [process(2, 1, 'node', 1), process(3, 2, 'sh', 1)],
      [process(2, 1, 'node', 1), process(3, 2, 'etcd', 6)],
    );
    assert.deepEqual(seconds, [['cluster/docs', { tests: 1, sh: 1, etcd: 5 }]]);
  });

  test('include a server whose parent has ended', () => {
    const { seconds } = counted(
      [process(2, 1, 'node', 1), process(3, 2, 'pg_ctl', 0), process(4, 3, 'postgres', 1)],
      [process(2, 1, 'node', 1), process(4, 1, 'postgres', 3)],
    );
    assert.deepEqual(seconds, [['cluster/docs', { tests: 1, postgres: 3 }]]);
  });
});

test('the report has the largest first, and no program that used next to nothing', () => {
  const report = cpuReport(
    new Map([
      ['small', new Map([['tests', 1]])],
      [
        'large',
        new Map([
          ['tests', 2],
          ['etcd', 3.25],
          ['sh', 0.01],
        ]),
      ],
    ]),
  );
  assert.equal(
    report,
    [
      'CPU seconds of each process of tests, and of what it starts:',
      '    5.3  large: etcd 3.3, tests 2.0',
      '    1.0  small: tests 1.0',
      '    6.3  all: etcd 3.3, tests 3.0',
      '',
    ].join('\n'),
  );
});
