import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';
import { providerSecrets } from './no-secrets-leaked.ts';

/**
 * A claim never gets a password that another claim had, nor the credentials of a provider. As in the annotation of the
 * Secret, a claim is its kind, namespace and name: one that is created or restored again may get its resource back.
 */
export const passwordsApart: InvariantOf = () => {
  /** By password: the claim that got it. */
  const owners = new Map<string, string>();
  return {
    name: 'a password is in the Secrets of one claim only, and credentials of providers in those of none',
    changed({ by, kind, after }) {
      if (!isProcess(by) || kind.kind !== 'Secret' || after === undefined) return [];
      const controller = controllerOf(after);
      if (!claimKinds.some((each) => each.kind === controller?.kind)) return [];
      const { kind: claimKind, name } = controller!;
      const claim = `${claimKind} ${objectKeyText({ ...after.metadata, name })}`;
      const details = decodeDetails(after as Secret);
      const what = `Secret ${objectKeyText(after.metadata)}`;
      const { password } = details;
      const owner = password === undefined ? claim : (owners.get(password) ?? claim);
      if (password !== undefined) owners.set(password, owner);
      return [
        ...(owner === claim ? [] : [`${by} writes the password of another claim to ${what}`]),
        ...Object.values(details)
          .flatMap((value) => providerSecrets.filter((each) => value?.includes(each)))
          .map((each) => `${by} writes ${each} to ${what}`),
      ];
    },
  };
};
