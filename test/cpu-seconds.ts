import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A process at one moment, from `/proc/<pid>/stat`. */
export interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /** The tick at which it started: a later process may have the same number. */
  readonly started: number;
  /** The name of its program as the kernel knows it. It changes when the process becomes another program. */
  readonly comm: string;
  readonly ownSeconds: number;
  /** The seconds of its children that have ended, with theirs. */
  readonly endedChildrenSeconds: number;
}

/** The programs of a group, with the CPU seconds of each. */
export type SecondsByProgram = ReadonlyMap<string, number>;

/** Linux counts in hundredths of a second for all programs, whatever the clock of the kernel is. */
export const ticksPerSecond = 100;

/** Reads the line of a process in `/proc/<pid>/stat`. The name of a program may contain spaces and brackets. */
export function processState(stat: string): ProcessState {
  const [start, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const field = stat.slice(end + 2).split(' ');
  const number = (index: number): number => Number(field[index]);
  return {
    pid: Number.parseInt(stat, 10),
    comm: stat.slice(start + 1, end),
    parent: number(1),
    started: number(19),
    ownSeconds: (number(11) + number(12)) / ticksPerSecond,
    endedChildrenSeconds: (number(13) + number(14)) / ticksPerSecond,
  };
}

/** The processes of a machine. */
export interface ProcessTable {
  pids(): readonly number[];
  /** Undefined if it has ended. */
  state(pid: number): ProcessState | undefined;
  /** The words of its command line; none if it has ended. */
  command(pid: number): readonly string[];
}

/** The processes of this machine; none on a system without `/proc`. */
const processesHere: ProcessTable = {
  pids: () =>
    folderNames('/proc')
      .map(Number)
      .filter((pid) => pid > 0),
  state(pid) {
    const stat = textOf(`/proc/${pid}/stat`);
    return stat === '' ? undefined : processState(stat);
  },
  command: (pid) => textOf(`/proc/${pid}/cmdline`).split('\0').slice(0, -1),
};

/** A program by its name, and a script of node by that of its file. */
export function programOf(command: readonly string[]): string {
  const [program = '', ...words] = command;
  const name = basename(program.split(' ')[0]?.replace(/:$/, '') ?? '');
  if (name !== 'node') return name;
  const script = words.find(
    (word, index) => /^[^-].*(?:\.[mc]?[jt]s|bin\/\w[^/]*)$/.test(word) && words[index - 1] !== '--import',
  );
  return script === undefined ? name : `node ${basename(script)}`;
}

interface Known extends ProcessState {
  readonly group: string;
  readonly program: string;
}

/** Counts the CPU seconds of processes and of all that they start, from the states of the machine's processes. */
export class CpuSeconds {
  readonly #groupOf: (pid: number, command: readonly string[]) => string | undefined;
  readonly #machine: ProcessTable;
  readonly #seconds = new Map<string, Map<string, number>>();
  /** Numbers of processes that belong to no group. To read about all of them each time costs more than the rest. */
  #foreign: ReadonlySet<number> = new Set();
  #known: ReadonlyMap<string, Known> = new Map();

  /** `groupOf`: the group that a process begins, with its descendants. */
  constructor(
    groupOf: (pid: number, command: readonly string[]) => string | undefined,
    machine: ProcessTable = processesHere,
  ) {
    this.#groupOf = groupOf;
    this.#machine = machine;
  }

  /** The groups, with the programs of each. */
  get seconds(): ReadonlyMap<string, SecondsByProgram> {
    return this.#seconds;
  }

  /** Adds the seconds since the last call. */
  sample(): void {
    const pids = this.#machine.pids();
    const processes = pids
      .filter((pid) => !this.#foreign.has(pid))
      .flatMap((pid) => this.#machine.state(pid) ?? []);
    const now = new Map<string, Known>();
    const byPid = new Map(processes.map((each) => [each.pid, each]));
    for (const each of processes) this.#know(each, byPid, now);
    const ours = new Set(now.values().map(({ pid }) => pid));
    this.#foreign = new Set(pids.filter((pid) => !ours.has(pid)));
    for (const [key, each] of now) {
      this.#add(each.group, each.program, each.ownSeconds - (this.#known.get(key)?.ownSeconds ?? 0));
    }
    this.#addEnded(now);
    this.#known = now;
  }

  /** A process keeps its group when its parent ends before it. */
  #know(
    state: ProcessState,
    byPid: ReadonlyMap<number, ProcessState>,
    now: Map<string, Known>,
  ): Known | undefined {
    const key = keyOf(state);
    const done = now.get(key);
    if (done !== undefined) return done;
    const before = this.#known.get(key);
    if (before?.comm === state.comm) return this.#remember(now, { ...before, ...state });
    const command = this.#machine.command(state.pid);
    const begun = this.#groupOf(state.pid, command);
    if (begun !== undefined) return this.#remember(now, { ...state, group: begun, program: 'tests' });
    const parent = byPid.get(state.parent);
    const group = before?.group ?? (parent && this.#know(parent, byPid, now)?.group);
    return group === undefined
      ? undefined
      : this.#remember(now, { ...state, group, program: programOf(command) });
  }

  #remember(now: Map<string, Known>, known: Known): Known {
    now.set(keyOf(known), known);
    return known;
  }

  /** The kernel adds what a process used to its parent at its end. The difference is the part after the last call. */
  #addEnded(now: ReadonlyMap<string, Known>): void {
    const ended = Map.groupBy(
      [...this.#known].filter(([key]) => !now.has(key)).map(([, each]) => each),
      ({ parent }) => parent,
    );
    const countedOf = (pid: number): number =>
      (ended.get(pid) ?? []).reduce(
        (sum, each) => sum + each.ownSeconds + each.endedChildrenSeconds + countedOf(each.pid),
        0,
      );
    for (const [key, parent] of now) {
      const before = this.#known.get(key)?.endedChildrenSeconds ?? 0;
      const children = ended.get(parent.pid) ?? [];
      const uncounted = parent.endedChildrenSeconds - before - countedOf(parent.pid);
      const users = children.length === 0 ? [{ ...parent, program: 'short commands' }] : children;
      for (const { group, program } of users) this.#add(group, program, uncounted / users.length);
    }
  }

  #add(group: string, program: string, seconds: number): void {
    if (seconds <= 0) return;
    const programs = this.#seconds.get(group) ?? new Map<string, number>();
    this.#seconds.set(group, programs.set(program, (programs.get(program) ?? 0) + seconds));
  }
}

/** Two tables: the groups with their programs, and the programs of all groups; the largest first. */
export function cpuReport(seconds: ReadonlyMap<string, SecondsByProgram>): string {
  const programs = new Map<string, number>();
  for (const [name, each] of [...seconds.values()].flatMap((group) => [...group])) {
    programs.set(name, (programs.get(name) ?? 0) + each);
  }
  const groups = [...seconds]
    .map(([name, each]) => ({ name, each, sum: sumOf(each) }))
    .toSorted((a, b) => b.sum - a.sum);
  const lines = groups.map(({ name, each, sum }) => `${inColumn(sum)}  ${name}: ${largest(each)}`);
  return [
    'CPU seconds of each process of tests, and of what it starts:',
    ...lines,
    `${inColumn(sumOf(programs))}  all: ${largest(programs)}`,
    '',
  ].join('\n');
}

const sumOf = (programs: SecondsByProgram): number => programs.values().reduce((sum, each) => sum + each, 0);
const inColumn = (seconds: number): string => seconds.toFixed(1).padStart(7);
const largest = (programs: SecondsByProgram): string =>
  [...programs]
    .filter(([, seconds]) => seconds >= 0.1)
    .toSorted(([, a], [, b]) => b - a)
    .map(([program, seconds]) => `${program} ${seconds.toFixed(1)}`)
    .join(', ');

const keyOf = ({ pid, started }: ProcessState): string => `${pid} ${started}`;

function folderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the process has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
