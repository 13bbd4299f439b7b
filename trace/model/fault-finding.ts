import type { Kind, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { meant } from './near-names.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';

/** Looks for one fault; its name is in the table of all. Pure. */
export type Find = (view: View) => Omit<Fault, 'name'> | undefined;

/** Whether a decision has one of these names. A name that no such decision has does not compile. */
export const isOneOf = <Name extends string>(name: Name, names: readonly NoInfer<Name>[]): boolean =>
  names.includes(name);

/** The kind of the claim that is looked at, or that the managed resource may be for. */
export const claimKindOf = ({ subject, services }: View): Kind =>
  subject.known.sort === 'claim' ? subject.known.kind : (services[0]?.claim ?? subject.known.kind);

/** The kind of the class that is looked at, or that the claim names. */
export const classKindOf = ({ services, theClass }: View): Kind | undefined =>
  services.find(
    ({ class: { kind, group } }) => theClass?.kind === kind && theClass.apiVersion.startsWith(`${group}/`),
  )?.class;

/** Which object of its kind it is. */
export const keyOf = (object: { readonly metadata: ObjectKey }): ObjectKey => objectKey(object.metadata);

/** The text as the beginning of a sentence. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What may have been meant by the name of what is not there. */
export const meantIn = ({ inVain }: View): string | undefined =>
  inVain &&
  meant(
    inVain.key.name,
    inVain.there.map(({ name }) => name),
  );

/** What to do, of sentences some of which there may not be. */
export function adviceOf(...sentences: readonly (string | undefined)[]): Pick<Fault, 'advice'> {
  const advice = sentences.filter((one) => one !== undefined).join(' ');
  return advice === '' ? {} : { advice };
}
