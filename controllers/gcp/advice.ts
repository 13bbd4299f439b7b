import camelCase from 'lodash/camelCase.js';
import type { Definition } from '../../apis/core/schema.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { CloudError } from '../../clients/cloud-error.ts';

/**
 * Says of an error of the cloud which field of a managed resource of that kind to change, where it is about one; anything
 * else is as it was.
 */
export function advised(error: unknown, kind: Pick<Definition, 'parameters'>): unknown {
  if (!(error instanceof CloudError)) return error;
  const places = [...new Set(placesIn(error, kind))];
  if (places.length === 0) return error;
  return new CloudError(`${error.message}; change ${places.join(' and ')}`, error);
}

/** Where the cloud refuses a region, it does so as if that were a secret. */
const noRegion = /denied on '([^']*\/)?locations\/[^']*' \(or it may not exist\)/;

function placesIn(error: CloudError, { parameters }: Pick<Definition, 'parameters'>): readonly string[] {
  const known = Object.keys(parameters?.shape ?? {});
  const named = error.fields.flatMap((field) => placeOf(field, known) ?? []);
  return noRegion.test(error.message) && known.includes('region')
    ? [...named, 'spec.forProvider.region']
    : named;
}

/** `spec.forProvider.memorySizeGb` for `instance.memory_size_gb`; undefined for what is no field. */
function placeOf(field: string, known: readonly string[]): string | undefined {
  const path = field
    .replace(/\[.*?\]/g, '')
    .split('.')
    .map((part) => camelCase(part));
  if (path.at(-1) === 'instanceId') return `the annotation ${annotationKeys.externalName}`;
  const at = path.findIndex((part) => known.includes(part));
  return at < 0 ? undefined : `spec.forProvider.${path.slice(at).join('.')}`;
}
