import isEqual from 'lodash/isEqual.js';
import uniq from 'lodash/uniq.js';
import { isLabel, notALabel } from '../../apis/core/api-names.ts';
import { definitionProblems } from '../../apis/core/definition-problems.ts';
import type { Definition } from '../../apis/core/schema.ts';
import { crdName } from '../../apis/core/v1alpha1/kind.ts';
import { customResourceDefinition } from '../../apis/crd.ts';
import ownManifest from '../../package.json' with { type: 'json' };
import { WiringError, wiringProblems } from '../wiring.ts';
import type { DefinedStack } from './define-stack.ts';
import { environmentAtRest } from './environment-at-rest.ts';

/** A definition, and a stack that has it. */
interface Part {
  readonly definition: Definition;
  readonly stack: string;
}

/**
 * Returns the definitions of stacks that may run in one process, each once. Equal definitions count as one.
 *
 * Throws a WiringError that lists all problems at once, with the kind and the field, or the names of both stacks that
 * conflict. Problems are definitions that the API server would refuse, two different definitions of one name, and the
 * results of `checkWiring`. Stacks of another version of this package are reported alone, because they may lack the parts
 * that the other checks read.
 */
export function checkStacks(stacks: readonly DefinedStack[]): readonly Definition[] {
  const others = stacks.flatMap(otherVersion);
  if (others.length > 0) throw new WiringError(others.join('\n'));
  const parts = stacks.flatMap(({ name, definitions }) =>
    definitions.map((definition): Part => ({ definition, stack: name })),
  );
  const definitions = uniq(parts.map(({ definition }) => definition));
  const inDefinitions = definitions.flatMap(definitionProblems);
  const environment = environmentAtRest();
  const problems = uniq([
    ...stacks.flatMap(({ name }) => (isLabel(name) ? [] : [`stack: the name ${notALabel(name)}`])),
    ...inDefinitions,
    // A definition that cannot be generated cannot be compared.
    ...(inDefinitions.length > 0 ? [] : differing(parts)),
    ...samePlural(parts),
    ...sameWords(parts),
    ...wiringProblems(stacks.map((stack) => ({ ...stack, managed: stack.managed(environment) }))),
  ]);
  if (problems.length > 0) throw new WiringError(problems.join('\n'));
  return [...Map.groupBy(definitions, crdName).values()].map(([first]) => first!);
}

/** A stack that another version of this package made. The first versions wrote none. */
const otherVersion = ({ name, packageVersion }: Partial<DefinedStack>): readonly string[] =>
  packageVersion === ownManifest.version
    ? []
    : [
        `stack "${name}" was made with services-stack ${packageVersion ?? 'of an earlier version'}, but this process runs services-stack ${ownManifest.version}: install one version of it (\`npm ls services-stack\` shows all)`,
      ];

/** Definitions of one name that differ. */
const differing = (parts: readonly Part[]): readonly string[] =>
  [...Map.groupBy(parts, ({ definition }) => crdName(definition))].flatMap(([name, [first, ...others]]) => {
    const other = others.find(
      ({ definition }) =>
        definition.kind === first!.definition.kind && !saysTheSame(definition, first!.definition),
    );
    if (other === undefined) return [];
    return [
      first!.stack === other.stack
        ? `${name} is defined twice, in different ways, by stack "${other.stack}"`
        : `${name} is defined by stack "${first!.stack}" and, differently, by stack "${other.stack}". Give one of them an API group of its own, or use one definition in both`,
    ];
  });

const saysTheSame = (a: Definition, b: Definition): boolean =>
  a === b || isEqual(asManifest(a), asManifest(b));

const asManifest = (definition: Definition): object => customResourceDefinition(definition);

/** Kinds that have one plural in one group, so that they would have one definition. */
const samePlural = (parts: readonly Part[]): readonly string[] =>
  [...Map.groupBy(parts, ({ definition }) => crdName(definition))].flatMap(([name, [first, ...others]]) => {
    const other = others.find(({ definition: { kind } }) => kind !== first!.definition.kind);
    if (other === undefined) return [];
    const stacks = uniq([first!.stack, other.stack]).map((stack) => `"${stack}"`);
    return [
      `${name} is the plural of two kinds of stack ${stacks.join(' and ')}, ${first!.definition.kind} and ${other.definition.kind}: give one of them another plural`,
    ];
  });

/** Definitions with conflicting names in one group: the API server would serve only the first one. */
function sameWords(parts: readonly Part[]): readonly string[] {
  const words = parts.flatMap((part) => wordsOf(part.definition).map((word) => ({ ...part, word })));
  const alike = Map.groupBy(words, ({ definition: { group }, word }) => `${word}.${group}`);
  return [...alike.values()].flatMap(([first, ...others]) => {
    const other = others.find(({ definition }) => definition.plural !== first!.definition.plural);
    if (other === undefined) return [];
    const [one, two] = [first!, other].map((part) => `${crdName(part.definition)} of stack "${part.stack}"`);
    return [`${one} and ${two} are both called "${first!.word}"`];
  });
}

/** The names of a definition in its group, by the rules of `customResourceDefinition`. */
const wordsOf = ({ kind, plural, shortNames = [] }: Definition): readonly string[] =>
  uniq([kind, `${kind}List`, plural, kind.toLowerCase(), ...shortNames]);
