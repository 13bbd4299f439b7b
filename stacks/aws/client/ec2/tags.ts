import type { Filter, ResourceType, Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { CloudError, nonsense } from '../../../../package/http.ts';
import type { AwsClient } from '../aws-client.ts';

/** Tags by their keys. */
export type Tags = Readonly<Record<string, string>>;

/** A region and the id of a resource in it. */
export interface Place {
  readonly region: string | undefined;
}

export const tagsIn = (tags: readonly Tag[] | undefined): Tags =>
  Object.fromEntries(
    (tags ?? []).flatMap(({ Key, Value }) => (Key === undefined ? [] : [[Key, Value ?? '']])),
  );

export const tagList = (tags: Tags): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** A filter that accepts only resources with all of these tags. */
export const tagFilters = (tags: Tags): Filter[] =>
  // EC2 treats `*` as a wildcard unless it is escaped.
  Object.entries(tags).map(([key, value]) => ({
    Name: `tag:${key}`,
    Values: [value.replaceAll(/[*?\\]/g, '\\$&')],
  }));

/** Tags that a resource has from its creation. */
export const tagsOfNew = (ResourceType: ResourceType, tags: Tags): TagSpecification[] => [
  { ResourceType, Tags: tagList(tags) },
];

/** Sets tags of a resource; other tags stay. Throws CloudError. */
export async function setTags(
  aws: AwsClient,
  { region, id, noun, tags }: Place & { readonly id: string; readonly noun: string; readonly tags: Tags },
  signal: AbortSignal,
): Promise<void> {
  if (Object.keys(tags).length === 0) return;
  await aws.call(
    {
      service: 'ec2',
      region,
      what: `tag ${noun} "${id}"`,
      isRepeatable: true,
      fields: { tags: /\btags?\b/i },
      run: (ec2, http) => ec2.createTags({ Resources: [id], Tags: tagList(tags) }, http),
    },
    signal,
  );
}

/**
 * A part that every answer of AWS has, also as an empty list. Throws CloudError if it is absent. The official client
 * accepts any answer with status 200, for example the page of a gateway, as an answer without parts.
 */
export function required<T>(what: string, field: string, value: T | undefined): T {
  if (value !== undefined) return value; // guard: otherwise an empty answer proves absence
  throw nonsense(what, `it has no ${field}`);
}

/** The result, or undefined if the service answers that there is no such resource. */
export async function unlessMissing<T>(missing: RegExp, result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    // guard: otherwise a bare 404 proves absence
    if (error instanceof CloudError && missing.test(error.code)) return undefined;
    throw error;
  }
}
