import type { MySQLInstance, PostgreSQLInstance } from '../../../package/claims.ts';
import { contradiction } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { RDSInstance, RDSInstanceClass } from '../kinds/database/v1beta1/rds-instance.ts';

type Configured = Pick<RDSInstance['spec'], 'forProvider'>;
type SQLInstance = PostgreSQLInstance | MySQLInstance;

/** The engine if the class names none, and the engines that are compatible. */
const engines = {
  PostgreSQLInstance: ['postgres'],
  MySQLInstance: ['mysql', 'mariadb'],
} as const;

/** The reason why an instance, or a class, is incompatible with a claim: it has another engine or version. */
export function incompatibilityOfRDSInstance(
  { kind, spec: { engineVersion: requested } }: SQLInstance,
  { engine, engineVersion }: Partial<Configured['forProvider']>,
): string | undefined {
  const fitting: readonly string[] = engines[kind];
  if (engine !== undefined && !fitting.includes(engine)) {
    return `has engine "${engine}", which no ${kind} can be given; ${advice.chooseEngine(fitting)}`;
  }
  return contradiction(['engineVersion', engineVersion], ['engineVersion', requested], isSame);
}

/**
 * The parameters of a claim's resource: those of the class, with the claim's engine and version where the class names
 * none.
 */
export function configureRDSInstance(
  { kind, spec: { engineVersion: requested } }: SQLInstance,
  { specTemplate: { forProvider } }: RDSInstanceClass,
): Configured {
  const { engine = engines[kind][0], engineVersion = requested } = forProvider;
  return { forProvider: { ...forProvider, engine, ...(engineVersion !== undefined && { engineVersion }) } };
}

/** Whether the values are equal, or one is a more precise form of the other. */
const isSame = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
