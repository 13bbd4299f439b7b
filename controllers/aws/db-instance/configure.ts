import type { RDSInstance, RDSInstanceClass } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import type { MySQLInstance } from '../../../apis/database/v1alpha1/mysql-instance.ts';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';

type Configured = Pick<RDSInstance['spec'], 'forProvider'>;

/** The engine if the class leaves it open, and those that will do. */
const engines = {
  PostgreSQLInstance: ['postgres'],
  MySQLInstance: ['mysql', 'mariadb'],
} as const;

/**
 * What a claim gets from a class: all that the class says, the engine, and the version that the claim asks for where the
 * class leaves it open. Throws an Error that names both where they do not go together.
 */
export function configureRDSInstance(
  claim: PostgreSQLInstance | MySQLInstance,
  { kind, metadata, specTemplate: { forProvider } }: RDSInstanceClass,
): Configured {
  const [usual, ...others] = engines[claim.kind];
  const { engine = usual, engineVersion: given } = forProvider;
  if (![usual, ...others].some((fitting) => fitting === engine)) {
    throw new Error(
      `${kind} ${metadata.name} has engine "${engine}", which no ${claim.kind} can be given; choose a class with ${[usual, ...others].join(' or ')}`,
    );
  }
  const asked = claim.spec.engineVersion;
  if (asked !== undefined && given !== undefined && !isSame(asked, given)) {
    throw new Error(
      `${kind} ${metadata.name} has engineVersion "${given}", but the claim's spec.engineVersion is "${asked}"`,
    );
  }
  const engineVersion = given ?? asked;
  return { forProvider: { ...forProvider, engine, ...(engineVersion !== undefined && { engineVersion }) } };
}

/** Whether one names the other more exactly, or they are equal. */
const isSame = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
