import { changing } from './changing.ts';
import { creating } from './creating.ts';
import { credentials } from './credentials.ts';
import { deleting } from './deleting.ts';
import { errors } from './errors.ts';
import { leavingAlone } from './leaving-alone.ts';
import { names } from './names.ts';
import { observing } from './observing.ts';
import { operations } from './operations.ts';
import { others } from './others.ts';
import type { Rule } from './rule.ts';
import { tags } from './tags.ts';

/** The rules for every external client. */
export const rules: readonly Rule[] = [
  ...observing,
  ...creating,
  ...changing,
  ...credentials,
  ...leavingAlone,
  ...deleting,
  ...others,
  ...tags,
  ...errors,
  ...names,
  ...operations,
];
