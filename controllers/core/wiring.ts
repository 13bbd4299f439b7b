import countBy from 'lodash/countBy.js';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { ClaimService } from './claim-service.ts';
import { controllerNames } from './claim-service.ts';

/** A stack, as far as its parts have to go together with those of others. */
export interface StackParts {
  readonly name: string;
  readonly managed: readonly {
    readonly kind: Kind;
    readonly references?: readonly { readonly field: string; readonly to: Kind }[];
  }[];
  readonly claims: readonly ClaimService[];
}

/** Stacks that cannot run together. `message` has a line for each reason. */
export class WiringError extends Error {
  override readonly name = 'WiringError';
}

const called = ({ kind, group }: Kind): string => `${kind}.${group}`;

/** Throws a WiringError that says at once all that is wrong, with the names of both who do not go together. */
export function checkWiring(stacks: readonly StackParts[]): void {
  const problems = wiringProblems(stacks);
  if (problems.length > 0) throw new WiringError(problems.join('\n'));
}

/** Why stacks do not go together, with the names of both: a line each. */
export const wiringProblems = (stacks: readonly StackParts[]): readonly string[] => [
  ...sameNames(stacks),
  ...sameKinds(stacks),
  ...sameClaims(stacks),
  ...notServed(stacks),
];

function sameNames(stacks: readonly StackParts[]): readonly string[] {
  const counts = countBy(stacks, ({ name }) => name);
  return Object.keys(counts).flatMap((name) =>
    counts[name] === 1 ? [] : [`${counts[name]} stacks are named "${name}"`],
  );
}

/** Who serves what, by the name of its controller: two would work against each other. */
function twice<T>(
  stacks: readonly StackParts[],
  partsOf: (stack: StackParts) => readonly T[],
  nameOf: (part: T) => string,
  sentence: (part: T, by: string) => string,
): readonly string[] {
  const parts = stacks.flatMap((stack) => partsOf(stack).map((part) => ({ part, stack: stack.name })));
  return [...Map.groupBy(parts, ({ part }) => nameOf(part)).values()].flatMap((same) =>
    same.length === 1 ? [] : [sentence(same[0]!.part, same.map(({ stack }) => `"${stack}"`).join(' and '))],
  );
}

const sameKinds = (stacks: readonly StackParts[]): readonly string[] =>
  twice(
    stacks,
    ({ managed }) => managed,
    ({ kind }) => controllerNames.managed(kind),
    ({ kind }, by) => `${called(kind)} is managed twice, by stack ${by}`,
  );

const sameClaims = (stacks: readonly StackParts[]): readonly string[] =>
  twice(
    stacks,
    ({ claims }) => claims,
    controllerNames.binding,
    ({ claim, managed }, by) => `${called(claim)} is satisfied by ${called(managed)} twice, in stack ${by}`,
  );

/** What waits for ever: nobody would make it ready. */
function notServed(stacks: readonly StackParts[]): readonly string[] {
  const served = new Set(stacks.flatMap(({ managed }) => managed.map(({ kind }) => called(kind))));
  return stacks.flatMap(({ name, managed, claims }) => [
    ...claims.flatMap((service) =>
      served.has(called(service.managed))
        ? []
        : [
            `stack "${name}": ${called(service.claim)} is satisfied by ${called(service.managed)}, which no stack manages`,
          ],
    ),
    ...managed.flatMap(({ kind, references = [] }) =>
      references.flatMap(({ field, to }) =>
        served.has(called(to))
          ? []
          : [`stack "${name}": ${field} of ${called(kind)} refers to ${called(to)}, which no stack manages`],
      ),
    ),
  ]);
}
