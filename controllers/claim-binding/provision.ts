import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import isPlainObject from 'lodash/isPlainObject.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { entryNameOf } from '../../apis/core/v1alpha1/entry-name.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  withAnnotations,
} from '../../apis/core/v1alpha1/meta.ts';
import type { NameLimits } from '../../apis/core/v1alpha1/name-limits.ts';
import { fittingName } from '../../apis/core/v1alpha1/name-limits.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import { configured } from '../claim/author-calls.ts';
import {
  claimAsNoted,
  isCorrectable,
  parametersNote,
  whyParametersDiffer,
} from '../claim/claim-parameters.ts';
import { whyUnusable } from '../claim/class-template.ts';
import { whyNotNamed } from '../claim/external-name-choice.ts';
import { whyClassIncompatible } from '../claim/incompatible.ts';
import { isProvisionedName, provisionedNames } from '../claim/provisioned-name.ts';
import { withChange } from '../claim/with-change.ts';
import type { ClaimService } from '../claim-service.ts';
import { creationParameters } from '../creation-parameters.ts';
import { decodeIdentity } from '../external-identity.ts';
import { StepFailure } from '../step-failure.ts';
import type { BindingFacts, Provisioning } from './decision.ts';
import { consentTo, withResource } from './desired.ts';
import { cannotConfigure } from './outcome.ts';

const derivedName = (managedName: string, names: NameLimits | undefined): string =>
  names === undefined ? managedName : fittingName(managedName, names);

/**
 * The annotation with the external name: the name in the claim's annotation, else the name of the managed resource,
 * shortened to the limits of the external system. If the external system assigns names, it has no resource with a name
 * that this controller chose: without a name on the claim, there is no annotation.
 */
function naming(
  { externalNames, names }: ClaimService,
  claim: Claim,
  managedName: string,
): Record<string, string> {
  const ours = derivedName(managedName, names);
  const name = externalName(claim) ?? (externalNames === 'assigned' ? undefined : ours);
  return name === undefined ? {} : { [annotationKeys.externalName]: name };
}

/**
 * Plans the managed resource of a claim that has none. Undefined if the claim has no class, or if a user chose the name
 * in `resourceRef`. `isFree`: whether no resource has the given name. Pure.
 */
export function provisioningOf(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class | undefined,
  isFree: (name: string) => boolean,
): Provisioning | undefined {
  const { classRef, resourceRef } = claim.spec;
  const isNamedByUser = resourceRef !== undefined && !isProvisionedName(claim, resourceRef.name);
  if (classRef === undefined || isNamedByUser) return undefined;
  if (resourceClass === undefined) return { resourceClass };
  const names = provisionedNames(claim);
  const name = resourceRef?.name ?? names.find(isFree) ?? names[0] ?? '';
  const { kind } = service.managed;
  const annotations = naming(service, claim, name);
  const apiVersion = apiVersionOf(service.managed);
  const ours = derivedName(name, service.names);
  const nameRefused = whyNotNamed(claim, resourceClass, { ours, names: service.names });
  if (nameRefused !== undefined) return { resourceClass, nameRefused };
  const reserved = { apiVersion, kind, metadata: { name, annotations }, spec: {} };
  const recorded = withResource(claim, reserved, resourceClass);
  const managed = planned(service, recorded, resourceClass);
  return { resourceClass, plan: managed instanceof StepFailure ? managed : { claim: recorded, managed } };
}

/** The planned resource, or the reason why the class cannot serve the claim. */
function planned(service: ClaimService, claim: Claim, resourceClass: Class): Managed | StepFailure {
  const unusable = whyUnusable(claim, resourceClass);
  if (unusable !== undefined) return new StepFailure('', unusable, cannotConfigure);
  try {
    return provisionedManaged(service, claim, resourceClass);
  } catch (error) {
    const hint = advice.correctClaim(`${resourceClass.kind} ${resourceClass.metadata.name}`);
    return new StepFailure('', error, { ...cannotConfigure, hint });
  }
}

/**
 * Why the resource does not have the parameters of its claim: a user edited these after it was provisioned, or it had
 * another claim. And what to do about that. `correction`: the resource with the edited parameters, if nothing was created for it. Pure.
 */
export function editOf(
  service: ClaimService,
  claim: Claim,
  managed: Managed,
  resourceClass: Class | undefined,
): Pick<BindingFacts, 'edited' | 'correction'> {
  const why = whyParametersDiffer(claim, managed);
  if (why === undefined) return {};
  const corrected = correctionOf(service, claim, managed, resourceClass);
  const isPlan = corrected !== undefined && !(corrected instanceof StepFailure);
  if (isPlan && asksForRecorded(managed, corrected)) return {};
  const isUnfit = corrected instanceof StepFailure && corrected.bug === undefined;
  const edited = isUnfit
    ? `${why}; this claim does not fit its class: ${messageOf(corrected.cause)}; ${advice.setParametersForClass}`
    : `${why}; ${advice.setParameters}`;
  return { edited, ...(isCorrectable(claim, managed) && { correction: corrected }) };
}

/**
 * The resource with the present parameters of its claim, which a user edited after it was provisioned. Or the reason why
 * its class cannot serve the claim any more. Undefined without a class. The resource keeps its external name, so an edit of
 * the claim's annotation counts neither for the resource nor against its class. It also keeps what administrators edited,
 * and what the class had: only values that the edit of the claim changes are written. Pure.
 */
export function correctionOf(
  service: ClaimService,
  claim: Claim,
  managed: Managed,
  resourceClass: Class | undefined,
): Managed | StepFailure | undefined {
  if (resourceClass === undefined) return undefined;
  const planOf = (of: Claim): Managed | StepFailure =>
    planned(service, withResource(of, managed), resourceClass);
  const plan = planOf(claim);
  if (plan instanceof StepFailure) return plan;
  const former = planOf(claimAsNoted(claim, managed) ?? claim);
  const before = former instanceof StepFailure ? {} : former.spec.forProvider;
  const forProvider = withChange(managed.spec.forProvider, before, plan.spec.forProvider);
  return {
    ...withAnnotations(managed, parametersNote(claim)),
    spec: { ...managed.spec, ...(isPlainObject(forProvider) && { forProvider: forProvider as object }) },
  };
}

/**
 * Whether the edit of the claim asks for the recorded values of the external resource, and for nothing else that its
 * resource does not have. So no correction is needed: an edit of a recorded value has no effect. Pure.
 */
function asksForRecorded(managed: Managed, corrected: Managed): boolean {
  const recorded = decodeIdentity(managed.status?.externalIdentity)?.fields ?? {};
  const paths = Object.keys(recorded);
  const [now, wanted] = [creationParameters(managed.spec), creationParameters(corrected.spec)];
  return (
    paths.every((path) => isEqual(get(wanted, path), recorded[path])) &&
    isEqual(omit(now, paths), omit(wanted, paths)) &&
    !isEqual(now, wanted)
  );
}

/**
 * The complete managed resource, so that no other write is needed before the external resource is created. The reclaim
 * policy is the class's, else Delete.
 *
 * Throws an Error if the class cannot serve the claim, and a TypeError if `configure` returns a field that the managed
 * kind does not have. Also throws the errors of `configure`.
 */
export function provisionedManaged(service: ClaimService, claim: Claim, resourceClass: Class): Managed {
  const { specTemplate } = resourceClass;
  const { name = '' } = claim.spec.resourceRef ?? {};
  const incompatible = whyClassIncompatible(service, claim, resourceClass);
  if (incompatible !== undefined) throw new Error(incompatible);
  const { writeConnectionSecretsToNamespace: namespace, publishConnectionDetailsTo: to } = specTemplate;
  const { metadata = {} } = specTemplate;
  const { labels, annotations } = metadata;
  return {
    apiVersion: apiVersionOf(service.managed),
    kind: service.managed.kind,
    metadata: {
      name,
      ...(labels !== undefined && { labels }),
      annotations: {
        ...annotations,
        ...naming(service, claim, name),
        ...consentTo(claim),
        ...parametersNote(claim),
      },
      finalizers: [finalizerNames.managed],
    },
    spec: {
      ...configured(service, claim, resourceClass),
      // guard: otherwise a later claim of the same name gets the resource
      claimRef: referenceTo(claim),
      classRef: referenceTo(resourceClass),
      ...pick(specTemplate, [
        'providerRef',
        'providerConfigRef',
        'namespaceSelector',
        'onLoss',
        'retainFor',
        'giveBack',
        'deletionPolicy',
        'managementPolicies',
        'initProvider',
      ]),
      reclaimPolicy: specTemplate.reclaimPolicy ?? 'Delete',
      ...(namespace === undefined
        ? {}
        : { writeConnectionSecretToRef: { namespace, name: claim.metadata.uid ?? '' } }),
      ...(to && { publishConnectionDetailsTo: { ...to, name: entryNameOf(to.name, claim) } }),
    },
  };
}
