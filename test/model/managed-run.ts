/** The run for one managed resource, with the decisions of the product. Its world is the model. */

import get from 'lodash/get.js';
import { available } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { ExternalError } from '../../clients/external-error.ts';
import type { ConnectionEntry } from '../../controllers/connection/connection-place.ts';
import type { CredentialNote } from '../../controllers/credential.ts';
import { unknownClaim } from '../../controllers/credential.ts';
import type { ExternalClient } from '../../controllers/managed/connecting/external-client.ts';
import { creationMark } from '../../controllers/managed/recording/creation-tracking.ts';
import { identified, identityInUse } from '../../controllers/managed/recording/identity.ts';
import { decideManaged } from '../../controllers/managed/run/decide.ts';
import type {
  Call,
  CredentialWrite,
  Decision as ManagedDecision,
  Step,
} from '../../controllers/managed/run/decision.ts';
import type { Facts, KindFacts } from '../../controllers/managed/run/facts.ts';
import { credentialIn, factsOf, withApplied } from '../../controllers/managed/run/facts.ts';
import { cannot, cannotUpdate } from '../../controllers/managed/run/failures.ts';
import { reportOf } from '../../controllers/managed/run/report.ts';
import { confirmationOf, making, recordOfFailure } from '../../controllers/managed/run/steps.ts';
import { StepFailure } from '../../controllers/step-failure.ts';
import type { Act, Decision, Run, View } from './decision.ts';
import { create, external, patch, remove, wait } from './decision.ts';
import type { Resource, ResourceSecret } from './objects.ts';
import { generated, passwordRecorded, recordOf, resourceKey, resourceSecretKey } from './objects.ts';
import { changeOf, detailsOf, noteOf, now, realResource, secretDetails } from './real-objects.ts';
import type { Obstacle } from './scenario.ts';

/** A run ends with its first call that changes something. The next one begins from the objects, and from `run`. */
export function reconcileManaged(see: View, name: string, run: Run): Decision {
  const resource = see.resource(name);
  if (resource === undefined) return wait('ResourceGone');
  const scene = {
    resource,
    secret: see.resourceSecret(name),
    run,
    obstacle: see.obstacleOf(resourceKey(name)),
  };
  let facts = begin(scene);
  for (;;) {
    const decision = decideManaged(facts);
    const { call } = decision;
    if (call === undefined) return reported(scene, facts, decision);
    const made = making({ ...facts, did: { ...facts.did, decision: decision.name } }, call);
    if (typeof call === 'object') return keepCredential(scene, decision.name ?? '', call);
    const result = steps[call](made, scene);
    if ('call' in result) return result;
    facts = result;
  }
}

interface Scene {
  readonly resource: Resource;
  readonly secret: ResourceSecret | undefined;
  readonly run: Run;
  readonly obstacle: Obstacle | undefined;
}

/** The facts at the begin of a move. A run that has set a credential goes on after that call. */
function begin({ resource, secret, run, obstacle }: Scene): Facts {
  const managed = realResource(resource, obstacle);
  const facts = factsOf(kindWith(obstacle), managed, managed.status?.operation);
  if (run.applied === undefined || passwordRecorded(resource) === run.applied) return facts;
  const set = {
    ...(secret ?? emptySecret),
    owner: resource.uid,
    password: run.applied,
    isUnnoted: undefined,
  };
  const after: Facts = {
    ...facts,
    access: { external: client },
    place: { entry: entryOf(resource, set) },
    did: { ...facts.did, decision: 'Update', steps: new Set(['connect', 'readPlace', 'update']) },
  };
  return withApplied(after, { pending: false, isNew: true });
}

const emptySecret: ResourceSecret = { owner: '', password: '', rotation: 0, for: '' };

const entryOf = ({ uid }: Resource, secret: ResourceSecret): ConnectionEntry => ({
  details: detailsOf(secret),
  note: noteOf(secret),
  isOwned: secret.owner === uid,
  write: never,
  confirm: never,
});

const never = (): never => {
  throw new Error('the model makes this call itself');
};

const failed = (error: Error): StepFailure => new StepFailure('', error, cannot.create);

const quotaExceeded = new ExternalError('the quota is exceeded', { errorClass: 'QuotaExceeded' });

const client: ExternalClient = { observe: never, create: never, update: never, delete: never };

/** The properties of the kind. An obstacle is one of them, or lies in the resource or in the external system. */
const kindWith = (obstacle: Obstacle | undefined): KindFacts => ({
  identity: {
    isAssigned: false,
    marks: { immutable: ['parameter'], identity: ['parameter'] },
    ...(obstacle === 'NameRefused' && { names: { maxLength: 1, pattern: /x/ } }),
  },
  secretDetails,
  creationGraceMs: obstacle === 'HiddenExternal' ? 30_000 : 0,
  confirmAbsenceMs: 0,
  holdsData: false,
  isObserveOnly: false,
  uncreatable: () => (obstacle === 'Uncreatable' ? obstacle : undefined),
});

/** The effects of the steps. A step does nothing if it concerns values that are no part of the model. */
const steps: Readonly<Record<Step, (facts: Facts, scene: Scene) => Facts | Act>> = {
  resolveReferences: unchanged,
  connect: (facts, { obstacle }) => {
    const system = obstacle === 'OtherSystem' && { system: 'B' };
    return { ...facts, access: { external: client, ...system } };
  },
  readPlace: (facts, { resource, secret }) =>
    secret === undefined ? facts : { ...facts, place: { entry: entryOf(resource, secret) } },
  poll(facts, { obstacle }) {
    const { underWay } = facts.operation;
    if (obstacle === 'OperationRuns' || underWay === undefined) return facts;
    return { ...facts, operation: { ended: underWay.type, succeeded: underWay } };
  },
  clearPending: unchanged,
  observe: observed,
  prepare: unchanged,
  publish(facts, { resource: { name, uid } }) {
    const { entry } = facts.place;
    const key = resourceSecretKey(name);
    if (entry === undefined)
      return create('PublishDetails', key, { ...emptySecret, owner: uid, isUnnoted: true });
    return entry.isOwned ? facts : patch('PublishDetails', key, { owner: uid });
  },
  removePrevious: unchanged,
  clearRecord: cleared,
  update: (facts, { resource, secret }) =>
    changing(
      facts,
      'SetPassword',
      resource,
      secret,
      (error) => new StepFailure('', error, cannotUpdate(facts, true)),
    ),
  recordEdit: (_, { resource: { name, parameter } }) =>
    patch('RecordEdit', resourceKey(name), {
      isIdentityEdited: undefined,
      ...(parameter !== undefined && { announced: parameter }),
    }),
  noteLoss: unchanged,
  clearRecords: (facts, scene) => cleared(facts, scene, { found: undefined }),
  announce: announced,
  create(facts, { resource, secret, obstacle }) {
    if (obstacle === 'QuotaExceeded') return { ...facts, failure: failed(quotaExceeded) };
    return changing(facts, 'CreateExternal', resource, secret, failed);
  },
  recordCreation: unchanged,
  recordFailure: (facts, scene) => marked(facts, scene, 'RecordFailure', recordOfFailure(facts).mark),
  delete: (facts, { resource }) => {
    accessOf(facts);
    return external('DeleteExternal', resource, readBefore(resource, 'delete'));
  },
  finalise: (_, { resource: { name, uid }, secret }) =>
    secret?.owner === uid
      ? remove('DeleteSecret', resourceSecretKey(name), uid)
      : patch('RemoveFinalizer', resourceKey(name), { finalizer: false }),
};

function unchanged(facts: Facts): Facts {
  return facts;
}

function accessOf({ access }: Facts): NonNullable<Facts['access']> {
  if (access === undefined) throw new Error('the external client is not connected');
  return access;
}

/** The objects that the product reads from the API server before these calls of one run. */
const readBefore = ({ name }: Resource, ...calls: readonly Call[]) => ({
  readFirst: calls
    .flatMap((call) => confirmationOf(call)?.reads ?? [])
    .map((read) => (read === 'managed' ? resourceKey(name) : resourceSecretKey(name))),
});

function observed(facts: Facts, { run, obstacle, resource }: Scene): Facts {
  accessOf(facts);
  const isHidden = obstacle === 'HiddenExternal' && resource.deleting;
  const observation = {
    exists: run.exists && !isHidden && obstacle !== 'RenamedExternal' && isIdentified(facts, run),
    isUpToDate: true,
    ready: available(),
    ...(obstacle === 'RenamedExternal' && { renamed: obstacle }),
  };
  return { ...facts, latest: { observation, absentForMs: 0 } };
}

/** Whether the database has the recorded parameter: the external client looks for no other one. */
function isIdentified({ kind, managed }: Facts, { parameter }: Run): boolean {
  return parameter === undefined || parameter === parameterOf(identified(kind.identity, managed));
}

const parameterOf = ({ spec }: Managed) => get(spec.forProvider, 'parameter') as number | undefined;

function cleared(facts: Facts, { resource }: Scene, more: { readonly found?: undefined } = {}): Facts | Act {
  if (resource.applied === '' && !('found' in more && resource.found !== undefined)) return facts;
  const change = { applied: '', ...(resource.found !== undefined && more) };
  return patch('ClearRecord', resourceKey(resource.name), change, readBefore(resource, 'clearRecord'));
}

/** The mark and the identity that a creation writes first. Only databases with a parameter, or with a class that keeps them, have them here. */
function announced(facts: Facts, scene: Scene): Facts | Act {
  const { kind, managed } = facts;
  const { fields } = identityInUse(kind.identity, managed);
  const identity = { announced: fields.parameter as number | undefined };
  return marked(facts, scene, 'Announce', creationMark(managed), identity);
}

function marked(
  facts: Facts,
  { resource }: Scene,
  name: string,
  { [annotationKeys.externalCreation]: mark = '' }: Readonly<Record<string, string>>,
  identity: Pick<Resource, 'announced'> = { announced: resource.announced },
): Facts | Act {
  const isMarked = resource.mark === mark && resource.announced === identity.announced;
  if (resource.mark === undefined || isMarked) return facts;
  return patch(name, resourceKey(resource.name), { mark, ...identity });
}

/** A call that sets the credential of the Secret. */
function changing(
  facts: Facts,
  verb: 'CreateExternal' | 'SetPassword',
  resource: Resource,
  secret: ResourceSecret | undefined,
  failureOf: (error: Error) => StepFailure,
): Facts | Act {
  accessOf(facts);
  if (secret?.isRefused) return { ...facts, failure: failureOf(new Error('the password is refused')) };
  const { value: password = '' } = credentialIn(facts) ?? {};
  const { parameter } = resource;
  return external(verb, resource, {
    password,
    ...(verb === 'CreateExternal' && parameter !== undefined && { parameter }),
    // A creation is announced before, and the record is cleared before an update.
    ...(verb === 'CreateExternal'
      ? readBefore(resource, 'announce', 'create')
      : readBefore(resource, 'clearRecord')),
  });
}

function keepCredential({ resource, secret }: Scene, decision: string, call: CredentialWrite): Act {
  const { name, uid } = resource;
  switch (call.act) {
    case 'update':
    case 'updateStatus':
      return patch(decision, resourceKey(name), changeOf(resource, call.desired));
    case 'annotate': {
      const noted = { owner: uid, ...noteFields(call.note), ...keyAfter(secret) };
      return patch(decision, resourceSecretKey(name), noted);
    }
    case 'generate': {
      const note = { ...noteFields(call.note), ...keyAfter(secret) };
      const written: ResourceSecret = { owner: uid, password: generated, ...note };
      const read = readBefore(resource, call);
      return secret === undefined
        ? create(decision, resourceSecretKey(name), written, read)
        : patch(decision, resourceSecretKey(name), written, read);
    }
  }
}

const noteFields = ({ for: claim = '', rotation = '0', given }: Omit<CredentialNote, 'key'>) => ({
  for: claim === unknownClaim ? claim : (claim.split('/')[1] ?? ''),
  rotation: Number(rotation),
  ...(given && { isGiven: given }),
});

/** A Secret without a note gets one with a new key. */
const keyAfter = (secret: ResourceSecret | undefined) =>
  secret?.isUnnoted ? { isUnnoted: undefined, key: (secret.key ?? 0) + 1 } : {};

/** The status at the end of a run. */
function reported({ resource, secret, run }: Scene, facts: Facts, decision: ManagedDecision): Decision {
  const { desired } = reportOf(facts, decision, now);
  const isRecord = typeof facts.applied === 'object';
  const applied = isRecord && run.applied !== undefined && { applied: recordOf(run.applied, secret?.key) };
  const change = changeOf(resource, desired, applied || {});
  if (Object.keys(change).length > 0) {
    return patch(isRecord ? 'RecordApplied' : 'ReportStatus', resourceKey(resource.name), change, {
      ...(isRecord && { endsRun: true }),
    });
  }
  const { failure, name = 'NoDecision' } = decision;
  return wait(failure?.facts.reason ?? name);
}
