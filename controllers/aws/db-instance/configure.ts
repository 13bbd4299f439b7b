import type { RDSInstance, RDSInstanceClass } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import type { MySQLInstance } from '../../../apis/database/v1alpha1/mysql-instance.ts';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { contradiction } from '../../author/contradiction.ts';

type Configured = Pick<RDSInstance['spec'], 'forProvider'>;
type SQLInstance = PostgreSQLInstance | MySQLInstance;

/** The engine if the class leaves it open, and those that will do. */
const engines = {
  PostgreSQLInstance: ['postgres'],
  MySQLInstance: ['mysql', 'mariadb'],
} as const;

/** Why an instance, or one of a class, is none for a claim: its engine is of another kind, or its version is another one. */
export function misfitOfRDSInstance(
  { kind, spec: { engineVersion: asked } }: SQLInstance,
  { engine, engineVersion }: Partial<Configured['forProvider']>,
): string | undefined {
  const fitting: readonly string[] = engines[kind];
  if (engine !== undefined && !fitting.includes(engine)) {
    return `has engine "${engine}", which no ${kind} can be given; choose one with ${fitting.join(' or ')}`;
  }
  return contradiction(['engineVersion', engineVersion], ['engineVersion', asked], isSame);
}

/** What a claim gets from a class: all that the class says, and the engine and the version where it leaves them open. */
export function configureRDSInstance(
  { kind, spec: { engineVersion: asked } }: SQLInstance,
  { specTemplate: { forProvider } }: RDSInstanceClass,
): Configured {
  const { engine = engines[kind][0], engineVersion = asked } = forProvider;
  return { forProvider: { ...forProvider, engine, ...(engineVersion !== undefined && { engineVersion }) } };
}

/** Whether one names the other more exactly, or they are equal. */
const isSame = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
