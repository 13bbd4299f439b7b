import { MySQLInstanceKind, PostgreSQLInstanceKind } from '../../../package/claims.ts';
import type { Service } from '../../../package/stack.ts';
import { satisfies, service } from '../../../package/stack.ts';
import type { AwsClient } from '../client/aws-client.ts';
import { RDSInstanceClassKind } from '../kinds/database/v1beta1/rds-instance.ts';
import { configureRDSInstance, incompatibilityOfRDSInstance } from './configure.ts';
import { dbInstanceClient, masterPassword } from './external-client.ts';
import { instanceWords } from './instance-words.ts';
import { rdsInstanceWords } from './rds-instance-words.ts';

/** The pattern of a DB instance identifier in RDS. */
const names = { maxLength: 63, pattern: /[A-Za-z](-?[A-Za-z0-9])*/ };

/** How long a new instance may be invisible. */
const readLagMs = 10_000;

const usual = {
  externalNames: 'deterministic',
  names,
  creationGraceMs: readLagMs,
  credential: masterPassword,
} as const;

const byClass = {
  class: RDSInstanceClassKind,
  configure: configureRDSInstance,
  whyIncompatible: incompatibilityOfRDSInstance,
} as const;

/** DB instances, as the kinds of two providers. Those of the older provider satisfy claims. */
export const dbInstanceServices: readonly Service<AwsClient>[] = [
  service({
    ...usual,
    managed: rdsInstanceWords.kind,
    external: dbInstanceClient(rdsInstanceWords),
    claims: [
      satisfies({ claim: PostgreSQLInstanceKind, ...byClass }),
      satisfies({ claim: MySQLInstanceKind, ...byClass }),
    ],
  }),
  service({ ...usual, managed: instanceWords.kind, external: dbInstanceClient(instanceWords) }),
];
