import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { firstNames } from '../../apis/core/v1alpha1/printable.ts';
import type { View } from './view.ts';

export const withheld = 'may not be read with your rights';

export const describeObject = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${objectKeyText(metadata)}`;

/** The traced object, whether it exists or not. */
export const describeSubject = ({ subject: { known, key } }: Pick<View, 'subject'>): string =>
  `${known.kind.kind} ${objectKeyText(key)}`;

export const keyOf = (object: { readonly metadata: ObjectKey }): ObjectKey => objectKey(object.metadata);

/** The kind of the traced claim, or of the claims that the managed resource serves. */
export const claimKindOf = ({ subject, services }: View): Kind =>
  subject.known.sort === 'claim' ? subject.known.kind : (services[0]?.claim ?? subject.known.kind);

/** The first names, and the number of the others. */
export const named = (names: readonly string[], most = 5): string => firstNames(names, most).join(', ');

/** The text with an upper-case first letter. A field path, such as `spec.classRef`, stays as it is in YAML. */
export const sentence = (text: string): string =>
  /^\w+\.\w/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);

/** The sentences that are given, in one text. */
export const joined = (...sentences: readonly (string | undefined)[]): string =>
  sentences.filter((one) => one !== undefined).join(' ');
