import camelCase from 'lodash/camelCase.js';
import { CloudError } from '../../package/http.ts';
import type { Definition } from '../../package/schema.ts';
import type { Advice } from '../../package/stack.ts';
import { annotationKeys, clientAdvice } from '../../package/stack.ts';

/**
 * Adds to an error of the cloud the field of the managed resource to change, if the error is about one. Other errors
 * are returned unchanged.
 */
export function advised(error: unknown, kind: Pick<Definition, 'parameters'>): unknown {
  if (!(error instanceof CloudError)) return error;
  const known = Object.keys(kind.parameters?.shape ?? {});
  const places = [...new Set(error.fields.flatMap((field) => placeOf(field, known) ?? []))];
  if (places.length === 0) return error;
  const fields = places.filter((place) => place !== nameAnnotation);
  const facts: Advice = {
    kinds: [
      ...(fields.length > 0 ? (['ChangeFields'] as const) : []),
      ...(fields.length < places.length ? (['ChooseExternalName'] as const) : []),
    ],
    ...(fields.length > 0 && { fields }),
  };
  return new CloudError(`${error.message}; ${clientAdvice.change(places)}`, {
    ...error,
    advice: facts,
  });
}

const nameAnnotation = `the annotation ${annotationKeys.externalName}`;

/** `spec.forProvider.memorySizeGb` for `instance.memory_size_gb`; undefined if the kind has no such field. */
function placeOf(field: string, known: readonly string[]): string | undefined {
  const path = field
    .replace(/\[.*?\]/g, '')
    .split('.')
    .map((part) => camelCase(part));
  if (path.at(-1) === 'instanceId') return nameAnnotation;
  const at = path.findIndex((part) => known.includes(part));
  return at < 0 ? undefined : `spec.forProvider.${path.slice(at).join('.')}`;
}
