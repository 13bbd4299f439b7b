import type { Chance } from './chance.ts';
import { drawnGarble } from './garbled.ts';
import type { CallFault, FaultType, ListedFault, Scenario } from './scenario.ts';

/** The fault that happens to a request of a name: a listed one, or a random one at the scenario's rates. */
export function faultsOf(
  { faults, areWritesAlone = false }: Scenario,
  chance: Chance,
): (call: string) => CallFault | undefined {
  if (isListed(faults)) {
    const byCall = new Map(faults.map(({ call, fault }) => [call, fault]));
    return (call) => byCall.get(call);
  }
  const rates = Object.entries(faults) as readonly (readonly [FaultType, number])[];
  return (call) => {
    if (areWritesAlone && !isWrite(call)) return undefined;
    const type = rates.find(([each, rate]) => chance('fault', each, call) < rate)?.[0];
    if (type === 'garbled' && !isOfCloud(call)) return undefined;
    return type && drawn(type, (what) => chance('fault', type, call, what));
  };
}

/** By its verb, the second word. */
const isWrite = (call: string): boolean =>
  !/^\S+ (get|list|watch|GET|SELECT|SHOW|(Describe|Get|List)[A-Z]\w*) /.test(call) &&
  !/ (Event|Lease) /.test(call);

/** The answers of PostgreSQL and of the API server are read by libraries. */
const isOfCloud = (call: string): boolean => /^\S+ \S+ (favourite|other|vault) /.test(call);

export const isListed = (faults: Scenario['faults']): faults is readonly ListedFault[] =>
  Array.isArray(faults);

const codes = [409, 429, 500, 503, 504] as const;

/** A fault of a type, its particulars left to chance. */
function drawn(type: FaultType, chance: (what: string) => number): CallFault {
  /** Mostly short, at times very long. */
  const waitMs = (what: string): number => Math.round(50 * 2 ** (chance(what) * 11));
  switch (type) {
    case 'refused':
      return { type, code: codes[Math.floor(chance('code') * codes.length)] ?? 503 };
    case 'page':
      return { type, code: chance('code') < 0.5 ? 200 : 404 };
    case 'garbled':
      return { type, garble: drawnGarble(chance) };
    case 'slow':
      return chance('which') < 0.5
        ? { type, thereMs: waitMs('there'), backMs: 0 }
        : { type, thereMs: 0, backMs: waitMs('back') };
    case 'crash':
      return { type, when: chance('when') < 0.4 ? 'before' : 'after', downMs: waitMs('down') / 4 };
    default:
      return { type };
  }
}
