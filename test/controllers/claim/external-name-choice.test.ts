import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { NameLimits } from '../../../apis/core/v1alpha1/name-limits.ts';
import { whyNotNamed } from '../../../controllers/claim/external-name-choice.ts';
import { claim, resourceClass } from '../objects.ts';

interface Case {
  readonly externalNames?: string;
  readonly namespace?: string;
  readonly chosen?: string;
  readonly names?: NameLimits;
  readonly says?: string;
}

const ours = 'team-orders-x78mc';
const key = annotationKeys.externalName;
const mustBegin = (chosen: string, prefix: string) =>
  `does not allow the external name "${chosen}": it must begin with "${prefix}"; set an annotation ${key} that begins with ${prefix}, or remove it`;
const none = (chosen: string) =>
  `does not allow claims to choose an external name, such as "${chosen}"; remove the annotation ${key}`;

const cases: Readonly<Record<string, Case>> = {
  'without the field every name is allowed': { chosen: 'payroll' },
  'Any allows every name': { externalNames: 'Any', chosen: 'payroll' },
  'a claim without the annotation chooses nothing': { externalNames: 'None' },
  'the name that the controller wrote is no choice': { externalNames: 'None', chosen: ours },
  'Prefixed allows a name that begins with the namespace': {
    externalNames: 'Prefixed',
    chosen: 'team_payroll',
  },
  'Prefixed refuses another name': {
    externalNames: 'Prefixed',
    chosen: 'payroll',
    says: mustBegin('payroll', 'team_'),
  },
  'the namespace alone is no name': {
    externalNames: 'Prefixed',
    chosen: 'team_',
    says: mustBegin('team_', 'team_'),
  },
  'a namespace does not get the names of one that begins with it': {
    externalNames: 'Prefixed',
    namespace: 'a',
    chosen: 'a-b_orders',
    says: mustBegin('a-b_orders', 'a_'),
  },
  'a namespace does not get the names of one that it begins with': {
    externalNames: 'Prefixed',
    namespace: 'a-b',
    chosen: 'a_orders',
    says: mustBegin('a_orders', 'a-b_'),
  },
  'the separator is no hyphen': {
    externalNames: 'Prefixed',
    namespace: 'a',
    chosen: 'a-orders',
    says: mustBegin('a-orders', 'a_'),
  },
  'upper case is another name': {
    externalNames: 'Prefixed',
    chosen: 'Team_orders',
    says: mustBegin('Team_orders', 'team_'),
  },
  'a name with a space and a semicolon is allowed': { chosen: 'my orders; (new)' },
  'a name of our own may have any character': { chosen: ours },
  ...Object.fromEntries(
    ["a'b", 'a"b', 'a`id`', 'x$(touch y)', 'a\\b', 'wow!', 'a\nb', 'a\u202eb', 'orders ', ' orders'].map(
      (chosen) => [
        `a claim does not choose a name that a shell or a reader reads otherwise: ${JSON.stringify(chosen)}`,
        {
          chosen,
          says: `does not allow the external name ${JSON.stringify(chosen)}: it must not contain quotes, \`, $, !, \\ or control characters, nor begin or end with a space; set an annotation ${key} without them, or remove it`,
        },
      ],
    ),
  ),
  'None refuses a prefixed name': {
    externalNames: 'None',
    chosen: 'team_payroll',
    says: none('team_payroll'),
  },
  'where a system has no such names, Prefixed allows none': {
    externalNames: 'Prefixed',
    chosen: 'team-orders',
    names: { maxLength: 40, pattern: /[a-z0-9-]+/ },
    says: none('team-orders'),
  },
  'a value that is not known allows none': {
    externalNames: 'prefixed',
    chosen: 'team_x',
    says: none('team_x'),
  },
};

describe('the external name that a claim chooses', () => {
  for (const [rule, { externalNames, namespace = 'team', chosen, names, says }] of Object.entries(cases)) {
    test(rule, () => {
      const annotations = chosen === undefined ? {} : { [key]: chosen };
      const specTemplate = { externalNames } as Class['specTemplate'];
      const given = resourceClass('small', {}, { specTemplate });
      assert.equal(whyNotNamed(claim({}, { namespace, annotations }), given, { ours, names }), says);
    });
  }
});
