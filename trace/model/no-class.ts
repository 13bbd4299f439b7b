import uniq from 'lodash/uniq.js';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { annotate } from './commands.ts';
import type { Details } from './fault-row.ts';
import { thereOf } from './findings.ts';
import type { View } from './view.ts';
import { keyOf, named } from './words.ts';

/** All classes for the claim, by name. */
const classesIn = ({ classes }: View): readonly { readonly one: Class; readonly kind: Kind }[] =>
  classes
    .flatMap(({ service, classes: found }) =>
      (thereOf(found) ?? []).map((one) => ({ one, kind: service.class })),
    )
    .toSorted((a, b) => compareNames(a.one.metadata.name, b.one.metadata.name));

/** An administrator may mark a class as the default; a class that is the default cannot serve this claim. */
export const noDefaultClass: Details = (view) => {
  const mark = `${annotationKeys.defaultClass}=true`;
  const other = classesIn(view).find(
    ({ one: { metadata } }) => metadata.annotations?.[annotationKeys.defaultClass] !== 'true',
  );
  return other === undefined
    ? { advice: `An administrator can make a class the default with the annotation ${mark}.` }
    : { commands: [annotate(other.kind, keyOf(other.one), mark)] };
};

/** No command labels a class: other claims may select its labels. */
export const labelsOfClasses: Details = (view) => {
  const pairs = classesIn(view).flatMap(({ one }) => Object.entries(one.metadata.labels ?? {}));
  const labels = uniq(pairs.map(([key, value]) => `${key}=${value}`)).toSorted(compareNames);
  const have =
    labels.length === 0 ? 'No class has a label' : `The labels of the classes are ${named(labels, 10)}`;
  return { advice: `${have}. Select a class that can serve the claim, or ask an administrator for one.` };
};
