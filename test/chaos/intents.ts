/** Edits of an object by users, which no controller may undo. */
export interface Edits {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Fields of `spec.forProvider`. */
  readonly forProvider: Readonly<Record<string, number | string>>;
  /** Keys that users added to the object's connection secret, with their values. */
  readonly secretKeys: Readonly<Record<string, string>>;
}

export const noEdits: Edits = { labels: {}, annotations: {}, forProvider: {}, secretKeys: {} };

/** The wishes of users for one claim, or for one managed resource that they created. */
export interface Intent {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** False once it was deleted. */
  readonly isWanted: boolean;
}

/** Everything that users have asked for and been answered. Keys: {@link intentKey}. */
export interface Intents {
  readonly claims: ReadonlyMap<string, Intent>;
  /** Made by hand. */
  readonly managed: ReadonlyMap<string, Intent>;
  /** For claims and managed resources of any author. */
  readonly edits: ReadonlyMap<string, Edits>;
}

/** `Kind namespace/name`, or without a namespace `Kind name`. */
export const intentKey = (
  kind: string,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
) => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** The entries of both, with equal values. */
const common = <T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): Record<string, T> =>
  Object.fromEntries(Object.entries(before).filter(([name, value]) => after[name] === value));

/**
 * The wishes that users had all the time between two moments. The world is not observed in one moment: a
 * wish that began or ended during that time may be observed either way.
 */
export function steadyIntents(before: Intents, after: Intents): Intents {
  const steady = (from: Intents['claims'], to: Intents['claims']) =>
    new Map([...from].filter(([key, { isWanted }]) => to.get(key)?.isWanted === isWanted));
  const edits = [...before.edits].map(([key, own]) => {
    const now = after.edits.get(key) ?? noEdits;
    const both = {
      labels: common(own.labels, now.labels),
      annotations: common(own.annotations, now.annotations),
      forProvider: common(own.forProvider, now.forProvider),
      secretKeys: common(own.secretKeys, now.secretKeys),
    };
    return [key, both] as const;
  });
  return {
    claims: steady(before.claims, after.claims),
    managed: steady(before.managed, after.managed),
    edits: new Map(edits),
  };
}

/** As they are now, whatever becomes of them. */
export const copyOf = ({ claims, managed, edits }: Intents): Intents => ({
  claims: new Map(claims),
  managed: new Map(managed),
  edits: new Map(edits),
});
