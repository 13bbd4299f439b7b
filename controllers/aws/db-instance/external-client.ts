import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { AwsClient } from '../../../clients/aws/aws-client.ts';
import type {
  DBInstance,
  DBInstanceChange,
  DBInstances,
  NewDBInstance,
} from '../../../clients/aws/db-instances.ts';
import { dbInstances, tagsOf } from '../../../clients/aws/db-instances.ts';
import { comparison } from '../../author/comparison.ts';
import { namedByUs } from '../../author/named-by-us.ts';
import type { PasswordRotations } from '../../author/password-rotations.ts';
import type { PromptClient } from '../../core/managed/external-client.ts';
import {
  accessOf,
  actualOf,
  canBeChanged,
  changeOf,
  habitsOf,
  meaningOfState,
  newDBInstance,
  odditiesOf,
  unprotecting,
} from './desired-state.ts';
import { refusalFields } from './refusal-fields.ts';
import type { DBInstanceWords } from './words.ts';

/** Where the passwords of master users come from. */
export interface PasswordMaking {
  readonly rotations: PasswordRotations;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

export interface DBInstanceOptions extends AwsClient, PasswordMaking {}

/**
 * The external clients of a kind that stands for DB instances of Amazon RDS: named by us, tagged as ours. RDS answers at
 * once, and is busy for minutes: the state of the instance says with what, and that is the operation that is told.
 */
export function dbInstanceClient<M extends Managed>(
  words: DBInstanceWords<M>,
): (options: DBInstanceOptions) => PromptClient<M> {
  const compare = comparison<M>(words.kind, odditiesOf(words));
  const fields = refusalFields(words);

  const instancesOf = (aws: AwsClient, { spec }: M): DBInstances => {
    const { initProvider, forProvider = {} } = spec as Regional;
    const { ApplyImmediately, AllowMajorVersionUpgrade, ...deleting } = habitsOf(words, forProvider);
    return dbInstances(aws, {
      region: forProvider.region ?? initProvider?.region,
      fields,
      changing: {
        ...(ApplyImmediately !== undefined && { ApplyImmediately }),
        ...(AllowMajorVersionUpgrade !== undefined && { AllowMajorVersionUpgrade }),
      },
      deleting,
    });
  };

  return ({ rotations, generatePassword, ...aws }) =>
    namedByUs<M, DBInstance, NewDBInstance, DBInstanceChange>({
      things: (managed) => instancesOf(aws, managed),
      noun: 'DB instance',
      generatePassword,
      rotations,
      newThing: (managed, its) => newDBInstance(words, managed, its),
      seen: (managed, db) => ({
        tags: tagsOf(db),
        isKnown: words.isKnown(managed, db),
        isOnline: canBeChanged(db),
        meaning: meaningOfState(db),
        actual: actualOf(words, managed, db),
        access: accessOf(db),
        status: words.status(db),
      }),
      compare,
      change: (wanted) => changeOf(words, wanted),
      unprotecting: (managed, seen) => unprotecting(words, managed, seen),
      retag: (OwnerTags) => ({ OwnerTags }),
      setPassword: (MasterUserPassword) => ({ MasterUserPassword }),
    });
}

interface Regional {
  readonly forProvider?: { readonly region?: string };
  readonly initProvider?: { readonly region?: string };
}
