import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ExternalError } from '../../clients/external-error.ts';
import { changing, invalid } from '../../clients/external-error.ts';
import { withInitProvider } from '../managed/recording/provider-values.ts';

type ForProvider<M extends Managed> = M['spec']['forProvider'];

/** The first field that a creation lacks. */
function lackingOf<M extends Managed>(
  managed: M,
  needs: readonly (keyof ForProvider<M> & string)[],
): string | undefined {
  const given = withInitProvider(managed).spec.forProvider as Readonly<Record<string, unknown>> | undefined;
  return needs.find((name) => given?.[name] === undefined);
}

/** The message about the fields that a creation lacks; undefined: none. */
export function lackOf<M extends Managed>(
  managed: M,
  noun: string,
  needs: readonly (keyof ForProvider<M> & string)[] = [],
): string | undefined {
  const lacking = lackingOf(managed, needs);
  return lacking === undefined ? undefined : neededFields([lacking], noun).message;
}

/** The error about fields of `forProvider` that a creation lacks. */
export function neededFields(fields: readonly string[], noun: string): ExternalError {
  const article = /^[aeio]/.test(noun) ? 'an' : 'a';
  const paths = fields.map((field) => `spec.forProvider.${field}`);
  const verb = fields.length === 1 ? 'is' : 'are';
  return invalid(`${paths.join(' and ')} ${verb} needed to create ${article} ${noun}`, changing(...fields));
}

/** `forProvider` merged over `initProvider`, for a creation. Throws an ExternalError that names the missing fields. */
export function withNeeded<M extends Managed, Name extends keyof ForProvider<M> & string>(
  managed: M,
  noun: string,
  needs: readonly Name[],
): ForProvider<M> & Required<Pick<ForProvider<M>, Name>> {
  const lacking = lackingOf(managed, needs);
  if (lacking !== undefined) throw neededFields([lacking], noun);
  return withInitProvider(managed).spec.forProvider as ForProvider<M> & Required<Pick<ForProvider<M>, Name>>;
}
