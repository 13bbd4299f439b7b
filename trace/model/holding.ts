/*
 *   whose that is which has an external name already: what an error reports of its mark, who of the cluster it may be, and
 *   what helps. Never that it be removed: it may be what somebody has kept.
 */

import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Failure } from './external-trouble.ts';
import { keyOf } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { named } from './link-parts.ts';
import { describeObject, kubectl } from './mend.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';

/** What a thing in an external system is marked with, as an error reports it: `favouritedbinstance.database.… "orders"`. */
export interface Mark {
  readonly kind: string;
  readonly name: string;
}

/** The mark that an error reports; undefined: none, or a mark that names nobody. */
export function markTold(error: Condition['error'] | undefined): Mark | undefined {
  const { kind, name } = error?.holder ?? {};
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/** Whether an error reports a mark that does not name its owner. */
export const isMarkHidden = (error: Condition['error'] | undefined): boolean =>
  error?.holder?.by === 'AnotherResource' && markTold(error) === undefined;

/** The name that a mark tells, if an object can have it; a label, which may have no dot, has `_` in its place. */
export function nameIn({ name }: Mark): string | undefined {
  const own = name.replaceAll('_', '.');
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(own) ? own : undefined;
}

const another = 'Give this one another external name';
const takenUp =
  'What a deleted one left (Retain, Orphan) is taken up again by one of the kind and name that it had.';

/** What is to be said of a name that is taken, by the failure that reports it. Pure. */
export function ofTaken(view: View, { message, error }: Failure): Pick<Fault, 'cause' | 'advice' | 'mend'> {
  const { holding, theManaged, managedService } = view;
  const told = `What is of that name in the external system is not ours: ${message}.`;
  const edit = theManaged && managedService ? [kubectl('edit', managedService.kind, keyOf(theManaged))] : [];
  if (error?.advice?.includes('HandOver'))
    return { cause: told, advice: `${another}, or run the statement that hands it over.`, mend: edit };
  if (error?.holder?.by === 'Nobody') {
    const advice = `${another}; or take it up: let this one only observe it first, and then do the rest.`;
    return { cause: told, advice, mend: edit };
  }
  const holders = holding && thereOf(holding.holders);
  const some = holders && named(holders.map(describeObject));
  const { marked } = holding ?? {};
  if (some) {
    const whose = marked ? `That is ${some}, which is there` : `The same external name is that of ${some}`;
    return { cause: `${told} ${whose}.`, advice: `${another}. ${takenUp}`, mend: edit };
  }
  if (holders === undefined) return { cause: told, advice: `${another}. ${takenUp}`, mend: edit };
  if (marked === undefined) {
    const cause = `${told} No other resource here has that external name, so that a deleted one has left it, or another cluster has it.`;
    return { cause, advice: `${another}. ${takenUp}`, mend: edit };
  }
  const { kind, name } = marked;
  const external = theManaged && externalName(theManaged);
  const annotation = external ? ` with the annotation ${annotationKeys.externalName}: ${external}` : '';
  return {
    cause: `${told} There is no ${kind.kind} ${name} here any more: it was kept when that was deleted, or another cluster has it.`,
    advice: `${another}. Or take up what was kept, if you know whose it is: create a ${kind.kind} of the name ${name}${annotation}; this one has no use then. To name this one otherwise:`,
    mend: edit,
  };
}
