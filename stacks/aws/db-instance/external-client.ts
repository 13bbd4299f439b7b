import type { Managed, ManagedDatabase, PromptClient } from '../../../package/stack.ts';
import { comparison, generatedPassword, namedByUs } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { AwsClient } from '../client/aws-client.ts';
import type { DBInstance, DBInstanceChange, DBInstances, NewDBInstance } from '../client/db-instances.ts';
import { dbInstances, tagsOf } from '../client/db-instances.ts';
import {
  accessOf,
  actualOf,
  callOptionsOf,
  canBeChanged,
  changeOf,
  fieldRulesOf,
  isPasswordPending,
  meaningOfState,
  newDBInstance,
  unprotecting,
} from './desired-state.ts';
import { refusalFields } from './refusal-fields.ts';
import type { DBInstanceWords } from './words.ts';

/**
 * The password of a master user. RDS accepts at most 30 characters for Oracle, 41 for MySQL and MariaDB, 128 for
 * PostgreSQL and SQL Server; for all of them letters, digits, `-` and `_`, and never `/`, `"`, `@` or a space.
 */
export const masterPassword = {
  ...generatedPassword,
  length: 30,
  rotationOf: ({ spec }: RotatedManaged) => spec.forProvider?.passwordRotation,
};

/** A managed resource of a kind that has the field. */
interface RotatedManaged extends Managed {
  readonly spec: Managed['spec'] & { readonly forProvider?: { readonly passwordRotation?: string } };
}

/**
 * The external clients of a kind for DB instances of Amazon RDS: named by us, tagged as ours. RDS answers at once and
 * then works for minutes. The state of the instance names this operation.
 */
export function dbInstanceClient<M extends ManagedDatabase>(
  words: DBInstanceWords<M>,
): (aws: AwsClient) => PromptClient<M> {
  const compare = comparison<M>(words.kind, fieldRulesOf(words));
  const fields = refusalFields(words);

  const instancesOf = (aws: AwsClient, { spec }: M): DBInstances => {
    const { initProvider, forProvider = {} } = spec as Regional;
    const { ApplyImmediately, AllowMajorVersionUpgrade, ...deleting } = callOptionsOf(words, forProvider);
    return dbInstances(aws, {
      region: forProvider.region ?? initProvider?.region,
      fields,
      changing: {
        ...(ApplyImmediately !== undefined && { ApplyImmediately }),
        ...(AllowMajorVersionUpgrade !== undefined && { AllowMajorVersionUpgrade }),
      },
      deleting,
      skipSnapshotField: words.callOptions.SkipFinalSnapshot,
    });
  };

  return (aws) =>
    namedByUs<M, DBInstance, NewDBInstance, DBInstanceChange>({
      databases: (managed) => instancesOf(aws, managed),
      noun: 'DB instance',
      credential: masterPassword,
      newDatabase: (managed, its) => newDBInstance(words, managed, its),
      observed: (managed, db) => ({
        tags: tagsOf(db),
        isKnown: db.DbiResourceId !== undefined && db.DbiResourceId === words.resourceId(managed),
        isOnline: canBeChanged(db),
        meaning: meaningOfState(db),
        isPasswordPending: isPasswordPending(db),
        actual: actualOf(words, managed, db),
        access: accessOf(db),
        status: words.status(db),
      }),
      compare,
      change: (wanted, observed) => changeOf(words, wanted, observed),
      renaming: {
        async find(managed, signal) {
          const id = words.resourceId(managed);
          const found = id === undefined ? undefined : await instancesOf(aws, managed).find(id, signal);
          return found?.DBInstanceIdentifier;
        },
        back: (now, before) => advice.nameInstanceBack(now, before),
      },
      unprotecting: (managed, observed) => unprotecting(words, managed, observed),
      retag: (OwnerTags) => ({ OwnerTags }),
      setPassword: (MasterUserPassword) => ({ MasterUserPassword }),
    });
}

interface Regional {
  readonly forProvider?: { readonly region?: string };
  readonly initProvider?: { readonly region?: string };
}
