import type { Random } from '../../runtime/time/random.ts';
import { seededRandom } from '../../runtime/time/random.ts';

export const cloudNames = ['favourite', 'other', 'aws', 'gcp'] as const;
export type CloudName = (typeof cloudNames)[number];
/** The processes that are ended, frozen or stopped. */
export const servers = ['apiserver', 'etcd', 'postgresql', ...cloudNames] as const;
export type Server = (typeof servers)[number];
/** Where bytes go through a proxy; those to the API server belong to the replica that leads. */
export const links = ['apiserver', 'postgresql', ...cloudNames] as const;
export type Link = (typeof links)[number];
export const linkFaults = ['cut', 'stall', 'throttle', 'truncate', 'corrupt'] as const;
export type LinkFault = (typeof linkFaults)[number];
const signals = ['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const;
export type Signal = (typeof signals)[number];

/** The provider whose credentials become invalid. */
export const providers = ['postgresql', ...cloudNames] as const;
export type ProviderName = (typeof providers)[number];

/** The state of the credentials of a provider during a fault. */
const breakages = ['wrong', 'rotated', 'lost'] as const;
/** The behaviour of a cloud during a fault. */
export const cloudMoods = ['fails half of all requests', 'limits requests', 'shows changes late'] as const;
export type CloudMood = (typeof cloudMoods)[number];

type Target = Server | 'leader' | 'standby' | 'both';
export type FaultAction =
  | { readonly type: 'signal'; readonly signal: Signal; readonly target: Target }
  | { readonly type: 'link'; readonly link: Link; readonly fault: LinkFault }
  | { readonly type: 'compaction' }
  | { readonly type: 'restore' }
  | { readonly type: 'mood'; readonly cloud: CloudName; readonly mood: CloudMood }
  | { readonly type: 'slots' }
  | {
      readonly type: 'credentials';
      readonly provider: ProviderName;
      readonly how: (typeof breakages)[number];
    }
  | { readonly type: 'definition'; readonly plural: string; readonly holds: 'nothing' | 'classes' };

/** One way to do harm. */
export interface FaultKind {
  /** For people: `SIGKILL etcd`. */
  readonly name: string;
  readonly action: FaultAction;
  /** The target of a fault; two faults at a time must not share one. */
  readonly holds: readonly string[];
  /** How long it lasts, in ms: at least and at most. */
  readonly lasts: readonly [min: number, max: number];
  /** Whether it is alone in its round, without users. */
  readonly isAlone?: true;
}

const brief = [500, 6000] as const;
const usual = [2000, 12_000] as const;
/** Beyond the 30 s after which most give up who wait for an answer. */
const silent = [2000, 45_000] as const;
/** A frozen leader may go on in time, or just too late: it has 10 s to renew its lease. */
const untilLease = [500, 17_000] as const;
/** The Lease is of 15 s, and the leader gives up after 10: all of these are longer. */
const beyondLease = [18_000, 26_000] as const;

/**
 * AWS and Google Cloud give out ids, and speak TLS only, where what was changed on its way ends the connection: theirs are
 * cut, and not corrupted.
 */
const faultsOf = (link: Link): readonly LinkFault[] =>
  link === 'aws' || link === 'gcp' ? linkFaults.filter((fault) => fault !== 'corrupt') : linkFaults;

/** Everything that can go wrong. */
export const faultKinds: readonly FaultKind[] = [
  ...signals.flatMap((signal): readonly FaultKind[] => [
    ...(['leader', 'standby'] as const).map((target) => ({
      name: `${signal} ${target}`,
      action: { type: 'signal', signal, target } as const,
      holds: ['replicas'],
      lasts: signal === 'SIGSTOP' ? untilLease : brief,
    })),
    ...servers.map((target) => ({
      name: `${signal} ${target}`,
      action: { type: 'signal', signal, target } as const,
      // Without etcd the API server is as good as gone, and cannot be started.
      holds: target === 'etcd' ? ['etcd', 'apiserver'] : [target],
      lasts: signal === 'SIGSTOP' ? silent : usual,
    })),
  ]),
  {
    name: 'SIGKILL both replicas',
    action: { type: 'signal', signal: 'SIGKILL', target: 'both' },
    holds: ['replicas'],
    lasts: brief,
  },
  {
    name: 'leader frozen past its lease',
    action: { type: 'signal', signal: 'SIGSTOP', target: 'leader' },
    holds: ['replicas', 'apiserver'],
    lasts: beyondLease,
  },
  ...links.flatMap((link) =>
    faultsOf(link).map((fault) => ({
      name: `${fault} ${link} link`,
      action: { type: 'link', link, fault } as const,
      holds: [`${link} link`],
      lasts: fault === 'stall' ? silent : usual,
    })),
  ),
  {
    name: 'compaction while disconnected',
    action: { type: 'compaction' },
    holds: ['etcd', 'apiserver', 'apiserver link'],
    lasts: brief,
  },
  {
    name: 'etcd restored from a backup',
    action: { type: 'restore' },
    holds: ['etcd', 'apiserver'],
    lasts: brief,
    isAlone: true,
  },
  ...cloudNames.flatMap((cloud) =>
    cloudMoods.map((mood) => ({
      name: `${cloud} ${mood}`,
      action: { type: 'mood', cloud, mood } as const,
      holds: [cloud],
      lasts: usual,
    })),
  ),
  {
    name: 'no connection slots at postgresql',
    action: { type: 'slots' },
    holds: ['postgresql'],
    lasts: usual,
  },
  ...providers.flatMap((provider) =>
    breakages.map((how) => ({
      name: `${provider} credentials ${how}`,
      action: { type: 'credentials', provider, how } as const,
      holds: [provider, 'apiserver', 'etcd'],
      lasts: usual,
    })),
  ),
  ...(
    [
      ['networks.network.fcp.crossplane.io', 'nothing'],
      ['postgresqlgrants.postgresql.crossplane.io', 'nothing'],
      ['ambivalentdbinstanceclasses.database.ocp.crossplane.io', 'classes'],
    ] as const
  ).map(([plural, holds]) => ({
    name: `definition ${plural} deleted`,
    action: { type: 'definition', plural, holds } as const,
    holds: ['apiserver', 'etcd'],
    lasts: usual,
  })),
];

/** A fault of a round. Times in ms since the round began. */
export interface ScheduledFault {
  readonly kind: FaultKind;
  readonly startMs: number;
  readonly endMs: number;
}

export const userActions = [
  ...(['create claim', 'delete claim', 'annotate claim', 'label managed', 'edit spec of managed'] as const),
  ...(['delete secret of claim', 'edit secret of claim', 'delete secret of managed'] as const),
  ...(['edit password of managed', 'add key to secret of managed', 'edit class'] as const),
  ...(['claim before class', 'make managed', 'delete managed'] as const),
] as const;
export type UserAction = (typeof userActions)[number];

/** Something that a user does. */
export interface ScheduledAction {
  readonly atMs: number;
  readonly action: UserAction;
  /** From 0 to 1: selects one of the targets at that time. */
  readonly pick: number;
}

/** Faults at a time, the actions of users during them, and then a pause until all has recovered. */
export interface Round {
  readonly number: number;
  readonly faults: readonly ScheduledFault[];
  readonly actions: readonly ScheduledAction[];
}

export interface ScheduleOptions {
  readonly seed: number;
  /** Actions of users, per second. */
  readonly actionsPerSecond: number;
  /** Default: all. */
  readonly kinds?: readonly FaultKind[];
}

/** Those with one of the words in their name; all, if there are no words. */
export const kindsNamed = (words: readonly string[]): readonly FaultKind[] =>
  faultKinds.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

const oneOf = <T>(values: readonly T[], random: Random): T => values[Math.floor(random() * values.length)]!;

/** In an order that chance makes (Fisher and Yates). */
function shuffled<T>(values: readonly T[], random: Random): T[] {
  const deck = [...values];
  for (let last = deck.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [deck[last], deck[other]] = [deck[other]!, deck[last]!];
  }
  return deck;
}

/**
 * Rounds without end; the same ones for the same options. Every kind of fault comes once before any comes again. Three
 * rounds in four have one fault, the others two or three that overlap.
 */
export function* schedule(options: ScheduleOptions): Generator<Round, never> {
  const { seed, actionsPerSecond, kinds = faultKinds } = options;
  const random = seededRandom(seed);
  let deck: FaultKind[] = [];
  for (let number = 1; ; number += 1) {
    let count = random() < 0.75 ? 1 : 2 + Math.floor(random() * 2);
    const faults: ScheduledFault[] = [];
    while (faults.length < count) {
      if (deck.length === 0) deck = shuffled(kinds, random);
      const taken = new Set(faults.flatMap(({ kind }) => kind.holds));
      const at = deck.findIndex(
        ({ holds, isAlone }) => holds.every((held) => !taken.has(held)) && !(isAlone && faults.length > 0),
      );
      if (at < 0) break;
      const [kind] = deck.splice(at, 1);
      const [min, max] = kind!.lasts;
      const startMs = Math.round(500 + (faults.length === 0 ? 0 : random() * 3000));
      if (kind!.isAlone) count = 1;
      faults.push({ kind: kind!, startMs, endMs: startMs + Math.round(min + random() * (max - min)) });
    }
    const lengthMs = Math.max(...faults.map(({ endMs }) => endMs));
    const actions: ScheduledAction[] = [];
    const areThereUsers = !faults.some(({ kind }) => kind.isAlone);
    for (let atMs = 0; areThereUsers && atMs < lengthMs; ) {
      actions.push({ atMs: Math.round(atMs), action: oneOf(userActions, random), pick: random() });
      atMs += (-Math.log(1 - random()) * 1000) / actionsPerSecond;
    }
    yield { number, faults, actions };
  }
}
