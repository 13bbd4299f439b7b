import fc from 'fast-check';
import { definitions } from '../fakes/defined-kinds.ts';
import { looseObjectArbitrary } from './arbitraries.ts';
import { names, undergo } from './ordeal.ts';
import { holds } from './property.ts';

for (const definition of definitions) {
  const object = looseObjectArbitrary(names, definition);
  const planted = fc.array(fc.record({ object, edited: fc.option(object, { nil: undefined }) }), {
    minLength: 1,
    maxLength: 4,
  });
  for (const isEnforced of [false, true]) {
    holds(
      `${definition.kind} (${definition.group}): what an older definition let through harms nobody else, ${isEnforced ? 'though it can no longer be written to' : 'nor does what it lets through'}`,
      fc.asyncProperty(planted, (all) => undergo(all, { isEnforced })),
      { runs: 1 },
    );
  }
}
