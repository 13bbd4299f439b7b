import fc from 'fast-check';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { admit } from '../fakes/admission.ts';
import { definitions } from '../fakes/defined-kinds.ts';
import { objectArbitrary, secretArbitrary } from './arbitraries.ts';
import type { Planted } from './ordeal.ts';
import { names, undergo } from './ordeal.ts';
import { holds } from './property.ts';
import { planted } from './world.ts';

/** Objects that the present definitions admit, rules included. */
const admitted = definitions.map((kind) =>
  objectArbitrary(names, kind).filter((object) => 'object' in admit(kind, object)),
);
const secret = secretArbitrary(names, planted);

/** Each with what it is edited to, or deleted, while the process works on it. */
const some = (...objects: readonly fc.Arbitrary<KubernetesObject>[]): fc.Arbitrary<Planted> =>
  fc.oneof(...objects.map((object) => fc.record({ object, edited: fc.option(object, { nil: undefined }) })));

const hostile = some(...admitted, secret);
for (const [index, object] of [...admitted, secret].entries()) {
  const { kind, group } = definitions[index] ?? { kind: 'Secret', group: 'core' };
  holds(
    `${kind} (${group}): what is admitted harms nobody else`,
    fc.asyncProperty(
      fc.array(some(object), { minLength: 1, maxLength: 3 }),
      fc.array(hostile, { maxLength: 3 }),
      (first, others) => undergo([...first, ...others]),
    ),
    { runs: 1 },
  );
}
