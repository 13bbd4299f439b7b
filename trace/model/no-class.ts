import uniq from 'lodash/uniq.js';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { isDefaultClass } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { whyNotSuitable } from '../../controllers/claim/incompatible.ts';
import { kubectl } from './commands.ts';
import type { Details } from './fault-row.ts';
import { thereOf } from './findings.ts';
import type { View } from './view.ts';
import { named } from './words.ts';

/** The classes that can serve the claim, by name. */
const classesIn = ({ classes, theClaim }: View): readonly { readonly one: Class; readonly kind: Kind }[] =>
  classes
    .flatMap(({ service, classes: found }) =>
      (thereOf(found) ?? [])
        .filter((one) => theClaim === undefined || whyNotSuitable(service, theClaim, one) === undefined)
        .map((one) => ({ one, kind: service.class })),
    )
    .toSorted((a, b) => compareNames(a.one.metadata.name, b.one.metadata.name));

/** Any claim without a class then gets the class, so no command chooses it. */
export const noDefaultClass: Details = (view) => {
  const others = classesIn(view).filter(({ one }) => !isDefaultClass(one));
  const mark = `${annotationKeys.defaultClass}=true`;
  const all = 'All claims of the cluster that name no class then get it';
  if (others.length === 0)
    return { advice: `An administrator can make a class the default with the annotation ${mark}. ${all}.` };
  const kinds = uniq(others.map(({ kind }) => kind));
  const names = named(others.map(({ one }) => one.metadata.name));
  return {
    advice: `An administrator can make a class the default. ${all}. Replace CLASS by one of: ${names}.`,
    commands: kinds.map((kind) => kubectl('annotate', kind, { name: 'CLASS' }, '--overwrite', mark)),
  };
};

/** No command labels a class: other claims may select its labels. */
export const labelsOfClasses: Details = (view) => {
  const pairs = classesIn(view).flatMap(({ one }) => Object.entries(one.metadata.labels ?? {}));
  const labels = uniq(pairs.map(([key, value]) => `${key}=${value}`)).toSorted(compareNames);
  return {
    advice:
      labels.length === 0
        ? 'No class that can serve the claim has a label. Ask an administrator for one.'
        : `The classes that can serve the claim have the labels ${named(labels, 10)}. Select one of these classes, or ask an administrator for another.`,
  };
};
