import type { Sign } from './signs.ts';
import type { Fault, LinkName } from './trace.ts';
import type { View } from './view.ts';

/** A command on an object that the view names. */
export type CommandName =
  | 'edit claim'
  | 'edit resource'
  | 'retry resource'
  | 'edit class'
  | 'edit provider'
  | 'read provider';

/** The parts of a fault that depend on more than the message of its sign. */
export type Details = (view: View, message: string) => Partial<Omit<Fault, 'name'>>;

/** One fault of the table. If several rows have the same name, the first row whose sign the view shows is used. */
export interface FaultRow {
  /** A name of the table in docs/trace.md. */
  readonly name: string;
  readonly link: LinkName;
  readonly sign: Sign;
  /** One sentence. `{message}` is the message of the sign; faults.ts has the other words. */
  readonly cause: string;
  readonly advice?: string;
  readonly commands?: readonly CommandName[];
  /** These parts replace the parts above. */
  readonly details?: Details;
}
