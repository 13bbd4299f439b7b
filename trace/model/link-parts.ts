import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { since } from './ago.ts';
import type { Found } from './findings.ts';
import type { Link, LinkName } from './trace.ts';

/** Conditions of whatever has some. */
export const conditionsOf = (object: KubernetesObject | undefined): readonly Condition[] =>
  (object as { readonly status?: { readonly conditions?: readonly Condition[] } } | undefined)?.status
    ?.conditions ?? [];

/** Of what may not be read. */
export const withheld = 'may not be read with your rights';

type Parts = Partial<Omit<Link, 'name' | 'title'>>;

/** A link that is as it should be, but for what is given. */
export const link = (name: LinkName, title: string, parts: Parts = {}): Link => ({
  name,
  title,
  state: 'ok',
  says: [],
  conditions: [],
  links: [],
  ...parts,
});

/** What a link is when what it stands for is not there: its state and a word on it. */
export function missing(found: Found<unknown>): Pick<Link, 'state' | 'says'> {
  if (found.is === 'withheld') return { state: 'unknown', says: [withheld] };
  return found.is === 'absent'
    ? { state: 'waits', says: ['does not exist'] }
    : { state: 'none', says: ['none'] };
}

/** Of what is being deleted, since when, and what holds it. */
export const going = (object: KubernetesObject, now: Date): readonly string[] =>
  object.metadata.deletionTimestamp === undefined
    ? []
    : [
        `has been on its way out ${since(Date.parse(object.metadata.deletionTimestamp), now)}${
          object.metadata.finalizers?.length ? `, held by ${object.metadata.finalizers.join(', ')}` : ''
        }`,
      ];

/** The first of many. */
export const named = (names: readonly string[], most = 5): string =>
  [...names.slice(0, most), ...(names.length > most ? [`and ${names.length - most} more`] : [])].join(', ');
