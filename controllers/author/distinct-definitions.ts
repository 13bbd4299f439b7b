import isEqual from 'lodash/isEqual.js';
import type { Definition } from '../../apis/core/schema.ts';
import { crdName, customResourceDefinition } from '../../apis/crd.ts';
import { WiringError } from '../core/wiring.ts';
import type { DefinedStack } from './define-stack.ts';

/**
 * The definitions of stacks, each once. Two that say the same are one. Throws a WiringError, with a line for each name
 * that has different definitions and the stacks they are of: a cluster holds one of a name, and the other would be lost.
 */
export function distinctDefinitions(
  stacks: readonly Pick<DefinedStack, 'name' | 'definitions'>[],
): readonly Definition[] {
  const all = stacks.flatMap(({ name, definitions }) =>
    definitions.map((definition) => ({ definition, stack: name })),
  );
  const byName = [...Map.groupBy(all, ({ definition }) => crdName(definition))];
  const problems = byName.flatMap(([name, [first, ...others]]) => {
    const other = others.find(({ definition }) => !saysTheSame(definition, first!.definition));
    return other === undefined
      ? []
      : [
          first!.stack === other.stack
            ? `${name} is defined twice, in different ways, by stack "${other.stack}"`
            : `${name} is defined by stack "${first!.stack}" and, in another way, by stack "${other.stack}"; give one of them an API group of its own, or have both use one definition`,
        ];
  });
  if (problems.length > 0) throw new WiringError(problems.join('\n'));
  return byName.map(([, [first]]) => first!.definition);
}

const saysTheSame = (a: Definition, b: Definition): boolean =>
  a === b || isEqual(asManifest(a), asManifest(b));

const asManifest = (definition: Definition): object =>
  customResourceDefinition(definition, { withRules: true });
