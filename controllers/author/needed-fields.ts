import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { withInitProvider } from '../core/managed/recording/provider-values.ts';

type ForProvider<M extends Managed> = M['spec']['forProvider'];

/** The message about the fields that a creation lacks; undefined: none. */
export function lackOf<M extends Managed>(
  managed: M,
  noun: string,
  needs: readonly (keyof ForProvider<M> & string)[] = [],
): string | undefined {
  const given = withInitProvider(managed).spec.forProvider as Readonly<Record<string, unknown>> | undefined;
  const field = needs.find((name) => given?.[name] === undefined);
  const article = /^[aeio]/.test(noun) ? 'an' : 'a';
  return field === undefined ? undefined : `spec.forProvider.${field} is needed to create ${article} ${noun}`;
}

/** `forProvider` merged over `initProvider`, for a creation. Throws an Error that names the missing fields. */
export function withNeeded<M extends Managed, Name extends keyof ForProvider<M> & string>(
  managed: M,
  noun: string,
  needs: readonly Name[],
): ForProvider<M> & Required<Pick<ForProvider<M>, Name>> {
  const lack = lackOf(managed, noun, needs);
  if (lack !== undefined) throw new Error(lack);
  return withInitProvider(managed).spec.forProvider as ForProvider<M> & Required<Pick<ForProvider<M>, Name>>;
}
