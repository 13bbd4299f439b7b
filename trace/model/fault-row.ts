import { StoreConfigKind, storeConfigOf } from '../../apis/core/v1alpha1/store-config.ts';
import { kubectl, observeAgain } from './commands.ts';
import type { Sign } from './signs.ts';
import type { Fault, LinkName } from './trace.ts';
import type { View } from './view.ts';
import { claimKindOf, keyOf } from './words.ts';

/** The parts of a fault that depend on more than the message of its sign. */
export type Details = (view: View, message: string) => Partial<Omit<Fault, 'name'>>;

/** One fault of the table. If several rows have the same name, the first row whose sign the view shows is used. */
export interface FaultRow {
  /** A name of the table in docs/trace.md. */
  readonly name: string;
  /** The object with the fault. Default: the managed resource. */
  readonly link?: LinkName;
  readonly sign: Sign;
  /** One sentence; default: the message of the sign. faults.ts has the words in braces. */
  readonly cause?: string;
  readonly advice?: string;
  readonly commands?: readonly CommandName[];
  /** These parts replace the parts above. */
  readonly details?: Details;
}

/** A command on an object that the view names. Undefined: the command's object is not known here. */
const commandOf = {
  'edit claim': (view) => view.theClaim && kubectl('edit', claimKindOf(view), keyOf(view.theClaim)),
  'edit resource': ({ theManaged, managedService }) =>
    theManaged && managedService && kubectl('edit', managedService.kind, keyOf(theManaged)),
  'retry resource': ({ theManaged, managedService }) =>
    theManaged && managedService && observeAgain(managedService.kind, keyOf(theManaged)),
  'edit class': ({ theClass, services }) => {
    const service = services.find(({ class: { kind } }) => theClass?.kind === kind);
    return theClass && service && kubectl('edit', service.class, keyOf(theClass));
  },
  'edit provider': ({ providerName }) => providerName && kubectl('edit', providerName.kindOf, providerName),
  'edit store': ({ theManaged }) => {
    const name = theManaged && storeConfigOf(theManaged);
    return name && kubectl('edit', StoreConfigKind, { name });
  },
  'read provider': ({ providerName }) =>
    providerName && kubectl('get', providerName.kindOf, providerName, '-o', 'yaml'),
} as const satisfies Readonly<Record<string, (view: View) => string | undefined>>;

export type CommandName = keyof typeof commandOf;

export const commandsIn = (view: View, ...names: readonly CommandName[]): readonly string[] =>
  names.flatMap((name) => commandOf[name](view) ?? []);
