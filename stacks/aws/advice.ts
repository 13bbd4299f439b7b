/** The advice of the stack's resources and classes. A test does what each piece says (docs/decisions/0059). */
export const advice = {
  createNodeGroupAgain: 'delete this resource and create it again',
  setFifo: 'set spec.forProvider.fifoQueue to true',
  chooseEngine: (engines: readonly string[]) => `choose one with ${engines.join(' or ')}`,
  nameInstanceBack: (now: string, before: string) =>
    `to name it back, run in its region: aws rds modify-db-instance --db-instance-identifier ${now} --new-db-instance-identifier ${before} --apply-immediately`,
} as const;
