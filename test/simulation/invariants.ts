import type { InvariantOf } from './invariant.ts';
import { answeredFor } from './invariants/answered-for.ts';
import { boundedWork } from './invariants/bounded-work.ts';
import { bystandersServed } from './invariants/bystanders-served.ts';
import { claimsSettled } from './invariants/claims-settled.ts';
import { cloudsSettled } from './invariants/clouds-settled.ts';
import { definitionsRespected } from './invariants/definitions-respected.ts';
import { deletionEnds } from './invariants/deletion-ends.ts';
import { externalRetained } from './invariants/external-retained.ts';
import { malformedReported } from './invariants/malformed-reported.ts';
import { noEmptyWrites } from './invariants/no-empty-writes.ts';
import { noSecretsLeaked } from './invariants/no-secrets-leaked.ts';
import { nothingLeft } from './invariants/nothing-left.ts';
import { onlyTheLeaderWrites } from './invariants/only-the-leader-writes.ts';
import { othersStay } from './invariants/others-stay.ts';
import { passwordsApart } from './invariants/passwords-apart.ts';
import { postgresqlSettled } from './invariants/postgresql-settled.ts';
import { preconditions } from './invariants/preconditions.ts';
import { providersReported } from './invariants/providers-reported.ts';
import { recordedFirst } from './invariants/recorded-first.ts';
import { resourcesSettled } from './invariants/resources-settled.ts';
import { secretsInStep } from './invariants/secrets-in-step.ts';
import { soundProcess } from './invariants/sound-process.ts';
import { statementsTrue } from './invariants/statements-true.ts';
import { usersCounted } from './invariants/users-counted.ts';
import { wellFormedStatuses } from './invariants/well-formed-statuses.ts';
import { wishesSurvive } from './invariants/wishes-survive.ts';

/** The rules that must hold in every run. */
export const allInvariants: readonly InvariantOf[] = [
  claimsSettled,
  resourcesSettled,
  postgresqlSettled,
  cloudsSettled,
  secretsInStep,
  passwordsApart,
  bystandersServed,
  malformedReported,
  deletionEnds,
  nothingLeft,
  usersCounted,
  noEmptyWrites,
  onlyTheLeaderWrites,
  recordedFirst,
  preconditions,
  othersStay,
  externalRetained,
  answeredFor,
  statementsTrue,
  providersReported,
  wellFormedStatuses,
  wishesSurvive,
  boundedWork,
  definitionsRespected,
  noSecretsLeaked,
  soundProcess,
];
