import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { since } from './ago.ts';
import type { Found } from './findings.ts';
import type { Link, LinkName } from './trace.ts';

export const withheld = 'may not be read with your rights';

type Parts = Partial<Omit<Link, 'name' | 'title'>>;

/** A link with the state `ok`, except for the given parts. */
export const link = (name: LinkName, title: string, parts: Parts = {}): Link => ({
  name,
  title,
  state: 'ok',
  says: [],
  conditions: [],
  links: [],
  ...parts,
});

/** The state of a link whose object was not read. */
export function missing(found: Found<unknown>): Pick<Link, 'state' | 'says'> {
  if (found.is === 'withheld') return { state: 'unknown', says: [withheld] };
  return found.is === 'absent'
    ? { state: 'waits', says: ['does not exist'] }
    : { state: 'none', says: ['none'] };
}

/** Since when the object is being deleted, and the finalizers that hold it. */
export const going = (object: KubernetesObject, now: Date): readonly string[] =>
  object.metadata.deletionTimestamp === undefined
    ? []
    : [
        `is being deleted ${since(Date.parse(object.metadata.deletionTimestamp), now)}${
          object.metadata.finalizers?.length ? `, held by ${object.metadata.finalizers.join(', ')}` : ''
        }`,
      ];

/** The first names, and the number of the others. */
export const named = (names: readonly string[], most = 5): string =>
  [...names.slice(0, most), ...(names.length > most ? [`and ${names.length - most} more`] : [])].join(', ');
