import groupBy from 'lodash/groupBy.js';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import type { ClaimService } from './claim-service.ts';
import { controllerNames } from './claim-service.ts';
import type { SecretDetails } from './credential.ts';
import { credentialProblems } from './credential.ts';
import type { ServiceLimits } from './service-limits.ts';
import { limitProblems } from './service-limits.ts';

export interface StackParts {
  readonly name: string;
  readonly managed: readonly (ServiceLimits & {
    readonly kind: Kind;
    readonly secretDetails?: SecretDetails;
    readonly references?: readonly { readonly field: string; readonly to: Kind }[];
  })[];
  readonly claims: readonly ClaimService[];
}

/** Thrown if the given stacks cannot run together. `message` has a line for each reason. */
export class WiringError extends Error {
  override readonly name = 'WiringError';
}

const called = ({ kind, group }: Kind): string => `${kind}.${group}`;

export function checkWiring(stacks: readonly StackParts[]): void {
  const problems = wiringProblems(stacks);
  if (problems.length > 0) throw new WiringError(problems.join('\n'));
}

/** Why stacks cannot run together, one line each. */
export function wiringProblems(stacks: readonly StackParts[]): readonly string[] {
  const kinds = stacks.flatMap(({ name, managed }) => managed.map(({ kind }) => ({ name, kind })));
  const claims = stacks.flatMap(({ name, claims: each }) => each.map((service) => ({ name, service })));
  const isManaged = (kind: Kind): boolean => kinds.some((each) => called(each.kind) === called(kind));
  const lacks = (kind: Kind, problem: string): readonly string[] =>
    isManaged(kind) ? [] : [`${problem} ${called(kind)}, which no stack manages`];
  return [
    ...twice(stacks, ({ name }) => name).map((same) => `${same.length} stacks are named "${same[0].name}"`),
    ...twice(kinds, ({ kind }) => controllerNames.managed(kind)).map(
      (same) => `${called(same[0].kind)} is managed twice, by stack ${namesOf(same)}`,
    ),
    ...twice(claims, ({ service: { claim, managed } }) => `${called(claim)} ${called(managed)}`).map(
      (same) => {
        const { claim, managed } = same[0].service;
        return `${called(claim)} is satisfied by ${called(managed)} twice, in stack ${namesOf(same)}`;
      },
    ),
    ...stacks.flatMap(({ name, managed, claims: services }) => [
      ...services.flatMap((service) =>
        lacks(service.managed, `stack "${name}": ${called(service.claim)} is satisfied by`),
      ),
      ...managed.flatMap(({ kind, secretDetails: { credential } = {} }) =>
        (credential === undefined ? [] : credentialProblems(credential)).map(
          (problem) => `stack "${name}": the credential of ${called(kind)} ${problem}`,
        ),
      ),
      ...managed.flatMap(({ kind, ...service }) =>
        limitProblems(service).map((problem) => `stack "${name}": the service of ${called(kind)} ${problem}`),
      ),
      ...managed.flatMap(({ kind, references = [] }) =>
        references.flatMap(({ field, to }) =>
          lacks(to, `stack "${name}": ${field} of ${called(kind)} refers to`),
        ),
      ),
    ]),
  ];
}

type Several<T> = readonly [T, T, ...T[]];

const twice = <T>(parts: readonly T[], nameOf: (part: T) => string): readonly Several<T>[] =>
  Object.values(groupBy(parts, nameOf)).filter((same): same is [T, T, ...T[]] => same.length > 1);

const namesOf = (parts: readonly { readonly name: string }[]): string =>
  parts.map(({ name }) => `"${name}"`).join(' and ');
