import { advice as coreAdvice } from '../../../apis/core/v1alpha1/advice.ts';
import { advice as clientAdvice } from '../../../clients/advice.ts';
import { advice as awsAdvice } from '../../../stacks/aws/advice.ts';
import { advice as gcpAdvice } from '../../../stacks/gcp/advice.ts';
import { advice as mysqlAdvice } from '../../../stacks/mysql/advice.ts';
import { advice as postgresqlAdvice } from '../../../stacks/postgresql/advice.ts';

/** The advice of each room. */
export const catalogues = [
  coreAdvice,
  clientAdvice,
  awsAdvice,
  gcpAdvice,
  mysqlAdvice,
  postgresqlAdvice,
] as const;

/** The advice of all rooms, by id. */
export const catalogue = {
  ...coreAdvice,
  ...clientAdvice,
  ...awsAdvice,
  ...gcpAdvice,
  ...mysqlAdvice,
  ...postgresqlAdvice,
};
