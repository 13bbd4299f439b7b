import type { KubernetesObject } from './kind.ts';
import { annotationKeys, sameCredentials } from './meta.ts';
import { isObjectName } from './object-name.ts';

const reuseCredentials = `if the new team may have the password that the previous team knows, set the annotation ${annotationKeys.reoffer}=${sameCredentials}`;

/**
 * The advice of conditions and Events to a reader. A test does what each piece says, on a real API server, and finds that
 * the claim can be used afterwards (docs/decisions/0059). Stacks and clients have a catalogue of their own: `advice.ts`.
 */
export const advice = {
  // To the author of a claim.
  correctClassRef: unlessImpossible('correct spec.classRef, or create the class', 'correct spec.classRef'),
  labelClass: 'correct it, or have an administrator label a class so that it matches',
  createClass: unlessImpossible('create the class, or create another claim', 'create another claim'),
  completeClassRef: (kinds: readonly string[]) =>
    `add the kind and apiVersion of one to spec.classRef: ${kinds.join(' or ')}`,
  markDefault: `annotate one with ${annotationKeys.defaultClass}=true, or set spec.classSelector or spec.classRef`,
  correctClaim: (resourceClass: string) => `correct the claim, or ${resourceClass}`,
  correctClass: 'have an administrator correct the class',
  nameKnownKind: (kinds: readonly string[], unknown?: string) => {
    const run = unknown && `; or have an administrator run the stack of ${unknown} with its definitions`;
    return `name one of: ${kinds.join(', ')}${run ?? ''}`;
  },
  runStack: 'run the stack of that kind with its definitions. If the reference was edited, undo the edit',
  beginName: (prefix: string) =>
    `set an annotation ${annotationKeys.externalName} that begins with ${prefix}, or remove it`,
  removeUnsafe: `set an annotation ${annotationKeys.externalName} without them, or remove it`,
  removeName: `remove the annotation ${annotationKeys.externalName}`,
  nameAnotherResource: 'name another resource',
  createAnotherClaim: 'create another claim',
  createResource: unlessImpossible(
    'correct spec.resourceRef; if an administrator creates it, this claim gets its data',
    'correct spec.resourceRef',
  ),
  createClaimAgain: unlessImpossible(
    'restore it from a backup, or delete this claim and create it again without spec.resourceRef',
    'delete this claim and create it again without spec.resourceRef',
  ),
  restoreResource:
    'restore it from a backup, or create another claim. Delete this one once its Secret is not needed',
  nameSecret: 'to have one written, set spec.writeConnectionSecretToRef',
  nameAnotherSecret: (field: string) => `name another in ${field}`,
  askAuthorOfSecret:
    'the existing Secret may be the only copy of its contents: ask its author before you delete it',
  deleteFrozenCopy: 'once its values are not needed, delete it, and it is created again',
  correctShape: 'correct spec.writeConnectionSecretToRef of the claim',
  correctClassShape: (className: string) =>
    `have an administrator correct specTemplate.claimSecret of class ${className}`,
  createClassAgain: 'have an administrator create it again',
  correctFields: (fields: string) => `correct ${fields} of the claim`,
  correctFieldsWithClass: (fields: string, classFields: string) =>
    `correct ${fields} of the claim, and have an administrator correct ${classFields} too`,
  setParameters: 'give this claim the same, or create another claim',
  setParametersForClass: 'give this claim the same, or create another claim with another class',
  createOtherClaim: (others: string) => `create another claim with another ${others}`,

  endProtection: (end: string, { apiVersion, kind, metadata: { namespace, name } }: KubernetesObject) =>
    `The command that ends the wait ${end}, and deletes the Secret of the claim: kubectl patch ${kind.toLowerCase()}.${apiVersion.split('/')[0]} -n ${namespace} ${name} --type=merge -p '{"spec":{"deletionProtection":false}}'`,
  startEmpty: `To start empty instead, set the annotation ${annotationKeys.startEmpty}=true on this claim`,

  startWithoutReference: `to start empty, delete this claim and create it again without spec.resourceRef, and with the annotation ${annotationKeys.startEmpty}=true`,

  // To an administrator.
  giveResourceBack: (namespace: string, name: string) =>
    `If the team of that claim agrees, an administrator can give it back: kubectl services-stack give-back -n ${namespace} ${name}`,
  offerObserved:
    'to give its data away, an administrator can name this claim in its spec.claimRef, or set its spec.namespaceSelector',
  completeClaimRef: 'an administrator has to add that',
  makeAvailable: (command: string) => `an administrator can make it available to this claim: ${command}`,
  giveToClaim: 'with the consent of their owner, kubectl services-stack offer gives them to another claim',
  publishSecret: 'an administrator can set that field',
  removeClaimRef:
    'if a backup brings it back, wait. Else, to give its data to any claim, remove spec.claimRef; or, if its data is not needed, delete this resource',
  createReferenced: unlessImpossible('create it, or change the reference', 'change the reference'),
  labelReferenced: 'label one, or change the selector',
  createNamespace: 'create the namespace',
  correctNamespace: (className?: string) =>
    correctWithClass('writeConnectionSecretToRef.namespace', {
      classField: 'writeConnectionSecretsToNamespace',
      className,
    }),
  correctEntryName: (className?: string) =>
    correctWithClass('publishConnectionDetailsTo.name', { className }),
  allowRequest: 'an administrator can change the quota, policy, rule or right that refuses it',
  allowCreation:
    'an administrator can correct the class, or change the quota, policy, rule or right that refuses it',

  // To the administrator of a managed resource.
  createNamed: unlessImpossible('create it, or name another one', 'name another one'),
  useAnother: 'name another one, or, if it has no data, delete this resource',
  endRehearsal: 'run it without --observe-only',
  continueCreation,
  correctProvider: `correct the provider. If both are the same system, set the annotation ${annotationKeys.adoptIdentity} to true`,
  createExternalAgain: `to have another created, remove the annotation ${annotationKeys.externalName}`,
  moveExternal: `copy it to where the provider connects. Or, to have an empty one created, set the annotation ${annotationKeys.adoptIdentity} to or-create`,
  createLost: (managed: KubernetesObject) =>
    `spec.onLoss is Report, so it is not created again. Restore it there. Or, ${createEmpty(managed)}`,
  restoreRetained:
    'it is kept for a deleted claim, so it is not created again. Restore it there, or delete this resource',
  createEmpty,
  useNewName: (managed: KubernetesObject, name: string) =>
    `to use it under that name: ${annotate(managed, `--overwrite ${annotationKeys.externalName}=${name}`)}`,
  acknowledgeLoss: (managed: KubernetesObject, source = 'a backup') =>
    `restore its data from ${source} if you need it. An administrator acknowledges the loss: ${annotate(managed, `${annotationKeys.externalLost}-`)}`,
  allowCreate: 'add Create',
  useAnotherKey: 'use another key',
  allowUpdate: (actions: string) => `add ${actions}`,
  supportedPolicies:
    'use ["*"] alone. Or use Observe and Create, with any others. Or use Observe without Create: alone, or with Delete, Update, LateInitialize, or both of Update and LateInitialize',
  undoEdit: 'undo the edit, or create a new resource',
  lookForEffect: (call: 'create' | 'update' | 'delete') =>
    `look there: if it ${shown[call]}, the author of the stack has to correct observe. If it ${hidden[call]}, the author has to correct ${call}, or the external system ignores what it accepts`,
  correctDrift: 'correct it there, or create a new resource',
  setExternalName: `set another name in the annotation ${annotationKeys.externalName}`,
  createElsewhere: `to have an empty one created, set another name in the annotation ${annotationKeys.externalName}`,
  referInForProvider: (field: string) => `set ${field} there, or refer in spec.forProvider`,
  useHeldCredentials: 'use Secret, Environment or Filesystem',
  nameAnotherFile: 'name another file',
  labelEntry: (label: string) => `to give it to this one, label it ${label}`,
  reuseCredentials,
  generateOthers: `have it generate others. Then, ${reuseCredentials}`,
  observeExisting: 'observe it with spec.managementPolicies ["Observe"]',
  correctWrittenName: `correct the annotation ${annotationKeys.externalName}`,
  removeWrittenName: (noun: string) => `remove it to have a ${noun} created`,
  nameRightOne: `put the id of the right one into the annotation ${annotationKeys.externalName}`,
  forgetCredential:
    'save what you need of the Secret, delete it, and write the credential that works into the new one',
  chooseCredential: (place: string) => `edit the password in ${place}, or delete that to get another one`,
} as const;

/** How the external resource is after a call that had an effect. */
const shown = { create: 'exists', update: 'is as wanted', delete: 'does not exist' } as const;

/** How it is after a call that had none. */
const hidden = { create: 'does not exist', update: 'is not', delete: 'exists' } as const;

/** The advice about an object that does not exist, by its name. It does not advise to create one that cannot exist. */
function unlessImpossible(possible: string, otherwise: string): (name?: string) => string {
  return (name = '') => (isObjectName(name) ? possible : `${otherwise}: no object can have that name`);
}

/** A field of a resource, and the one of the class that gave the value. */
function correctWithClass(
  field: string,
  { classField = field, className }: { readonly classField?: string; readonly className: string | undefined },
): string {
  const correct = `correct spec.${field} of the resource`;
  return className === undefined
    ? correct
    : `${correct}, and specTemplate.${classField} of class ${className}`;
}

function annotate({ apiVersion, kind, metadata }: KubernetesObject, change: string): string {
  const [group] = apiVersion.split('/');
  return `kubectl annotate ${kind.toLowerCase()}.${group} ${metadata.name} ${change}`;
}

/** `beside`: what keeps the data. */
function createEmpty(managed: KubernetesObject, beside?: string): string {
  const suffix = beside === undefined ? '' : `, while ${beside}`;
  return `to have an empty one created${suffix}: ${annotate(managed, `--overwrite ${annotationKeys.adoptIdentity}=or-create`)}`;
}

/** For a creation whose result is not known. One command sets the name and ends the waiting. */
function continueCreation(managed: KubernetesObject): string {
  const { externalCreatePending: pending, externalName: nameKey } = annotationKeys;
  const name = managed.metadata.annotations?.[nameKey];
  return name === undefined
    ? `if it is there, set NAME to its name there; if it is not, leave ${nameKey} out: ${annotate(managed, `--overwrite ${nameKey}="\${NAME:?its name there}" ${pending}-`)}`
    : `once you know whether "${name}" is there and is this one: ${annotate(managed, `${pending}-`)}`;
}
