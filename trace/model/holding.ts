/*
 * The owner of an external resource that already has the wanted name. No advice deletes that external resource: its data
 * may be kept on purpose.
 */

import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import { describeObject } from './commands.ts';
import type { Details } from './fault-row.ts';
import { thereOf } from './findings.ts';
import { named } from './link-parts.ts';
import { lastFailure } from './signs.ts';

/** The owner that a mark on the external resource names: `favouritedbinstance.database.… "orders"`. */
export interface Mark {
  readonly kind: string;
  readonly name: string;
}

/** The mark that an error reports; undefined: there is none, or it is hashed. */
export function markIn(error: Condition['error'] | undefined): Mark | undefined {
  const { kind, name } = error?.holder ?? {};
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/** Whether an error reports a mark that does not show its owner. */
export const isMarkHidden = (error: Condition['error'] | undefined): boolean =>
  error?.holder?.by === 'AnotherResource' && markIn(error) === undefined;

/** The name in a mark, if an object can have it. A label cannot have a dot, and has `_` instead. */
export function nameIn({ name }: Mark): string | undefined {
  const own = name.replaceAll('_', '.');
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(own) ? own : undefined;
}

const another = 'Give this resource another external name';
const adoption =
  'If a deleted resource left it (Retain, Orphan), a new resource with the kind and name of the deleted one adopts it.';

export const nameTaken: Details = (view, message) => {
  const { holding, theManaged } = view;
  const { error } = lastFailure(view) ?? {};
  if (error?.advice?.includes('HandOver'))
    return { advice: `${another}, or run the SQL statement that makes this resource the owner.` };
  if (error?.holder?.by === 'Nobody')
    return { advice: `${another}. Or adopt it: first only observe it, then allow the other actions.` };
  const taken = `The external system has another resource with this name: ${message}.`;
  const advice = `${another}. ${adoption}`;
  const holders = holding && thereOf(holding.holders);
  const marked = holding?.marked;
  if (holders === undefined) return { advice };
  if (holders.length > 0) {
    const names = named(holders.map(describeObject));
    return {
      cause: `${taken} ${marked ? `It belongs to ${names}, which exists` : `The same external name: ${names}`}.`,
      advice,
    };
  }
  if (marked === undefined) {
    const cause = `${taken} No other resource in this cluster has this external name: a deleted resource left it, or another cluster uses it.`;
    return { cause, advice };
  }
  const owner = `${marked.kind.kind} ${marked.name}`;
  const external = theManaged && externalName(theManaged);
  const annotation = external ? ` with the annotation ${annotationKeys.externalName}: ${external}` : '';
  return {
    cause: `${taken} ${owner} does not exist in this cluster: its deletion kept the external resource, or another cluster uses it.`,
    advice: `${another}. Or adopt the kept one, if you know its owner: create ${owner}${annotation}. This resource is not needed then. To rename this resource:`,
  };
};
