import type { Kind, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { meant } from './near-names.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';

/** The advice and the commands of a fault. */
export type Remedy = Pick<Fault, 'advice' | 'commands'>;

/** Whether a decision has one of these names. A name that no such decision has does not compile. */
export const isOneOf = <Name extends string>(name: Name, names: readonly NoInfer<Name>[]): boolean =>
  names.includes(name);

/** The kind of the traced claim, or of the claims that the managed resource serves. */
export const claimKindOf = ({ subject, services }: View): Kind =>
  subject.known.sort === 'claim' ? subject.known.kind : (services[0]?.claim ?? subject.known.kind);

export const keyOf = (object: { readonly metadata: ObjectKey }): ObjectKey => objectKey(object.metadata);

/** The text with an upper-case first letter. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The names of existing objects that are similar to the missing one. */
export const meantIn = ({ inVain }: View): string | undefined =>
  inVain &&
  meant(
    inVain.key.name,
    inVain.there.map(({ name }) => name),
  );

/** The advice in these sentences; undefined ones are left out. */
export function adviceOf(...sentences: readonly (string | undefined)[]): Pick<Fault, 'advice'> {
  const advice = sentences.filter((one) => one !== undefined).join(' ');
  return advice === '' ? {} : { advice };
}
