/* `services-stack/schema`: the means to define kinds. Import `z` from here, so that all definitions use the same Zod. */

export { z } from 'zod';
export { identity, immutable, late } from '../apis/core/marks.ts';
export type { Rule } from '../apis/core/rules.ts';
export { hasAny, onceCreated, withRules } from '../apis/core/rules.ts';
export type { Column, Definition, Described, Names, ObjectKind } from '../apis/core/schema.ts';
export { name, optional, text, texts } from '../apis/core/schema.ts';
export type {
  DetailFields,
  DetailKey,
  DetailsOf,
  Publishing,
} from '../apis/core/v1alpha1/connection-details.ts';
export {
  databaseConnection,
  redisConnection,
  serverConnection,
} from '../apis/core/v1alpha1/connection-details.ts';
export { defineClaim } from '../apis/core/v1alpha1/define-claim.ts';
export { defineClass } from '../apis/core/v1alpha1/define-class.ts';
export { defineManaged } from '../apis/core/v1alpha1/define-managed.ts';
export {
  defineProvider,
  defineProviderConfig,
  forOtherStacks,
} from '../apis/core/v1alpha1/define-provider.ts';
export {
  allowsAny,
  passwordRotation,
  reference,
  selector,
  tagsFromLabels,
} from '../apis/core/v1alpha1/fields.ts';
export { nameProblem } from '../apis/core/v1alpha1/name-limits.ts';
export { nameOnServer, ownName, sessionPolicy } from '../apis/core/v1alpha1/server-fields.ts';
export { timestamp } from '../apis/core/v1alpha1/timestamp.ts';
