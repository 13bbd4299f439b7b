import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import * as defined from '../fakes/defined-kinds.ts';

const { cloudKinds } = defined;
const kindsOfClouds: readonly Kind[] = Object.values(cloudKinds).flat();

export const claimKinds: readonly Kind[] = [...defined.claimKinds, ...cloudKinds.claims];
export const classKinds: readonly Kind[] = [...defined.classKinds, ...cloudKinds.classes];
export const managedKinds: readonly Kind[] = [...defined.managedKinds, ...cloudKinds.managed];
export const providerKinds: readonly Kind[] = [...defined.providerKinds, ...cloudKinds.providers];

/** Whether its stack is in every simulated world. */
export const isUsual = (kind: Kind): boolean => !kindsOfClouds.includes(kind);

/** Those whose external names are given by their systems. */
export const assignedKinds: readonly Kind[] = defined.assignedKinds;

/** Every kind that people write in a simulated cluster. */
export const kinds: readonly Kind[] = [SecretKind, NamespaceKind, ...defined.definitions, ...kindsOfClouds];

/** The kind of an object, by its apiVersion and kind. Throws if there is none. */
export function kindOf(object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): Kind {
  const found = kinds.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
  if (found === undefined) throw new Error(`no kind ${object.apiVersion} ${object.kind} is simulated`);
  return found;
}

export const isManagedKind = (object: Pick<KubernetesObject, 'apiVersion' | 'kind'>): boolean =>
  managedKinds.includes(kindOf(object));
