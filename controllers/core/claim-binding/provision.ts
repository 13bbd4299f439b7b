import pick from 'lodash/pick.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  withFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo } from '../../../apis/core/v1alpha1/secret.ts';
import { nameRecord, provisionRecord } from '../claim/claim-record.ts';
import { misfitOfClass } from '../claim/misfit.ts';
import type { ClaimService } from '../claim-service.ts';
import { fittingName } from '../name-limits.ts';
import { blamed } from '../stack-bug.ts';

/**
 * The external name of what a claim gets: the claim's own, else that of the managed resource, cut to what the external
 * system takes. Where the external system
 * assigns names nobody has one before it is made, and what had ours would be looked for by it, and made twice.
 */
function naming(
  { externalNames, names }: ClaimService,
  claim: Claim,
  managedName: string,
): Record<string, string> {
  const ours = names === undefined ? managedName : fittingName(managedName, names);
  const name = externalName(claim) ?? (externalNames === 'assigned' ? undefined : ours);
  return name === undefined ? {} : { [annotationKeys.externalName]: name };
}

/**
 * The claim that says which managed resource it is about to provision: finalizer, resourceRef and external
 * name in one write, before anything is created, so that a crash leaves nothing that cannot be found (H4).
 */
export function withRecordedResource<C extends Claim>(service: ClaimService, claim: C, name: string): C {
  const { managed } = service;
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      finalizers: withFinalizer(claim, finalizerNames.claim),
      annotations: { ...claim.metadata.annotations, ...naming(service, claim, name) },
    },
    spec: {
      ...claim.spec,
      resourceRef: claim.spec.resourceRef ?? { apiVersion: apiVersionOf(managed), kind: managed.kind, name },
    },
  };
}

/**
 * The managed resource that a claim gets from a class: complete, so that nobody need write it again. It
 * allows its connection secret to be propagated to the claim's. The reclaim policy is the class's, else
 * Delete. Throws an Error that says why the class cannot serve the claim, what `configure` throws, and a TypeError if what it yields is none of the managed kind's `forProvider`.
 */
export function provisionedManaged(service: ClaimService, claim: Claim, resourceClass: Class): Managed {
  const { specTemplate } = resourceClass;
  const { name = '' } = claim.spec.resourceRef ?? {};
  const namespace = specTemplate.writeConnectionSecretsToNamespace;
  const target = claim.spec.writeConnectionSecretToRef;
  const named = naming(service, claim, name);
  return {
    apiVersion: apiVersionOf(service.managed),
    kind: service.managed.kind,
    metadata: {
      name,
      annotations: {
        ...named,
        ...provisionRecord(claim),
        ...nameRecord(named[annotationKeys.externalName]),
        ...(target === undefined
          ? {}
          : allowsPropagationTo({ namespace: claim.metadata.namespace ?? '', name: target.name })),
      },
    },
    spec: {
      ...configured(service, claim, resourceClass),
      claimRef: referenceTo(claim),
      classRef: referenceTo(resourceClass),
      ...pick(specTemplate, ['providerRef', 'providerConfigRef', 'namespaceSelector']),
      reclaimPolicy: specTemplate.reclaimPolicy ?? 'Delete',
      ...(namespace === undefined
        ? {}
        : { writeConnectionSecretToRef: { namespace, name: claim.metadata.uid ?? '' } }),
    },
  };
}

/** The API server would drop a misspelt field without a word, and the claim would be Bound to something else. */
function configured(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class,
): ReturnType<ClaimService['configure']> {
  const { stack, problemsOf, definedAt } = service;
  const misfit = misfitOfClass(service, claim, resourceClass);
  if (misfit !== undefined) throw new Error(misfit);
  let yielded: ReturnType<ClaimService['configure']>;
  let problems: readonly string[];
  try {
    yielded = service.configure(claim, resourceClass);
    problems = problemsOf?.(yielded, claim, resourceClass) ?? [];
  } catch (error) {
    throw blamed(error, stack);
  }
  if (problems.length === 0) return yielded;
  const problem = new TypeError(`configure yields ${problems.join('; ')}`);
  // What configure has returned has left no trace.
  if (definedAt !== undefined) problem.stack = definedAt;
  throw blamed(problem, stack);
}
