import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { merged } from '../../../testing/merged.ts';
import { kindOf } from '../kinds.ts';
import type { Scenario } from '../scenario.ts';
import { fieldsOf, fieldText } from './fields.ts';

/** How a field went from one state to another. */
type Transition = 'absent to value' | 'value to other' | 'value to absent';

/** The transitions that users wrote, by `kind field`; whether the API accepted them is not known here. */
export type Coverage = ReadonlyMap<string, ReadonlySet<Transition>>;

/** As in `favouritedbinstances.v1alpha3.database.fcp.crossplane.io spec.forProvider.version`. */
export const coverageKey = (kind: Kind, field: string): string => `${kindKey(kind)} ${field}`;

function transition(before: unknown, after: unknown): Transition | undefined {
  if (isEqual(before, after)) return undefined;
  if (before === undefined) return 'absent to value';
  return after === undefined ? 'value to absent' : 'value to other';
}

/** The changes of fields by the steps of scenarios, without playing them. */
export function coverageOf(scenarios: Iterable<Pick<Scenario, 'objects' | 'steps'>>): Coverage {
  const covered = new Map<string, Set<Transition>>();
  for (const { objects, steps } of scenarios) {
    const known = new Map<string, unknown>();
    const place = (kind: Kind, metadata: Parameters<typeof objectKeyText>[0]): string =>
      `${kindKey(kind)} ${objectKeyText(metadata)}`;
    const write = (kind: Kind, at: string, object: unknown): void => {
      const before = known.get(at);
      known.set(at, object);
      for (const { path } of fieldsOf(kind)) {
        const change = transition(get(before, path), get(object, path));
        if (change === undefined) continue;
        const key = coverageKey(kind, fieldText({ path }));
        covered.set(key, (covered.get(key) ?? new Set()).add(change));
      }
    };
    for (const object of objects) known.set(place(kindOf(object), object.metadata), object);
    for (const { act } of steps) {
      if (act.type === 'create') {
        const kind = kindOf(act.object);
        const at = place(kind, act.object.metadata);
        if (!known.has(at)) write(kind, at, act.object);
      } else if (act.type === 'edit' && act.of.given === undefined) {
        const kind = kindOf(act.of);
        const at = place(kind, act.of);
        if (known.has(at)) write(kind, at, merged(known.get(at), act.patch));
      } else if (act.type === 'delete' && act.of.given === undefined) {
        known.delete(place(kindOf(act.of), act.of));
      }
    }
  }
  return covered;
}
