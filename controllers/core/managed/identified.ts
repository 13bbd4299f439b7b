import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Identity } from './identity.ts';
import { asRecorded, editsOf, identityOf, recordedIdentity } from './identity.ts';
import type { Pass } from './pass.ts';

/** What says how the resources of a kind are identified. */
export interface IdentityContext {
  /** The external system chooses the name. */
  readonly isAssigned: boolean;
  /** The paths of the fields of `forProvider` that identify it, beside its name. */
  readonly identityFields: readonly string[];
}

/** The object with its external name: the one on record, else that which a deterministic system knows beforehand. */
export function named<M extends Managed>({ isAssigned, identityFields }: IdentityContext, object: M): M {
  if (externalName(object) !== undefined) return object;
  const recorded = recordedIdentity(object, identityFields)?.name;
  if (recorded !== undefined) return withAnnotations(object, { [annotationKeys.externalName]: recorded });
  if (isAssigned) return object;
  const wanted = (object.spec.forProvider as { readonly name?: string } | undefined)?.name;
  const name = wanted || object.metadata.name;
  return withAnnotations(object, { [annotationKeys.externalName]: name });
}

/** The object as the external system is to see it: with what is recorded of its identity, whatever was edited since. */
export function identified<M extends Managed>(context: IdentityContext, { current, isExact }: Pass<M>): M {
  const recorded = recordedIdentity(current, context.identityFields);
  const object = named(context, current);
  return recorded === undefined ? object : asRecorded(object, recorded, context.identityFields, isExact);
}

/**
 * What is to be on record of the external resource's identity: what was, and what has been given a value since. Fields are
 * added only if the external resource `isAsWanted`: of what it is not, nobody needs to be kept from taking it back.
 */
export function identityToRecord<M extends Managed>(
  context: IdentityContext,
  pass: Pass<M>,
  { isAsWanted = true }: { readonly isAsWanted?: boolean } = {},
): Identity {
  const recorded = recordedIdentity(pass.current, context.identityFields);
  const system = recorded?.system ?? pass.system;
  const now = identityOf(identified(context, pass), context.identityFields, system);
  return isAsWanted ? now : { ...now, fields: recorded?.fields ?? {} };
}

/** Whether the resource names something else than what is recorded; a name that was taken away is asked for anew. */
export function isEdited<M extends Managed>(
  { isAssigned, identityFields }: IdentityContext,
  { current, isExact }: Pass<M>,
): boolean {
  const recorded = recordedIdentity(current, identityFields);
  if (recorded === undefined) return false;
  const isNameTaken = isAssigned && recorded.name !== undefined && externalName(current) === undefined;
  return isNameTaken || editsOf(current, recorded, identityFields, isExact).length > 0;
}

/** The object with these annotations added. */
export const withAnnotations = <M extends Managed>(
  object: M,
  annotations: Readonly<Record<string, string>>,
): M => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});
