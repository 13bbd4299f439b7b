/**
 * The advice of the stack's resources and classes, and in the errors of AWS.
 * A test does what each piece says (docs/decisions/0059).
 */
export const advice = {
  createNodeGroupAgain: 'delete this resource and create it again',
  setFifo: 'set spec.forProvider.fifoQueue to true',
  chooseEngine: (engines: readonly string[]) => `choose one with ${engines.join(' or ')}`,
  nameInstanceBack: (now: string, before: string) =>
    `to name it back, run in its region: aws rds modify-db-instance --db-instance-identifier ${now} --new-db-instance-identifier ${before} --apply-immediately`,
  correctAccessKey:
    'check the access key in the credentials of the provider, and the region (spec.forProvider.region, or that of the provider): the account must have enabled it',
  renewCredentials:
    'temporary credentials expire: write new ones, with their session token, into the credentials of the provider',
  allowAction: (action: string) => `the IAM policies of the credentials must allow ${action}`,
  raiseQuota: 'delete unused resources, or ask AWS for a higher quota',
  changeRegion:
    'the credentials work in another region: change spec.forProvider.region, or enable that region for the account',
  correctRegion: 'check spec.forProvider.region',
} as const;
