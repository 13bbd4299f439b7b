/** Where the services of AWS are, if not at its own addresses. */
export interface AwsEndpoint {
  readonly url: {
    readonly type: 'Static' | 'Dynamic';
    /** Of all services in all regions. */
    readonly static?: string;
    readonly dynamic?: { readonly protocol: 'http' | 'https'; readonly host: string };
  };
  /** What requests are signed for; default: the region that they are about. */
  readonly signingRegion?: string;
}

/** Where a service is in a region; undefined: at AWS's own address. Throws an Error that names the field that is missing. */
export function endpointUrl(
  endpoint: AwsEndpoint | undefined,
  { service, region }: { readonly service: string; readonly region: string },
): string | undefined {
  if (endpoint === undefined) return undefined;
  const { type, static: url, dynamic } = endpoint.url;
  if (type === 'Static') {
    if (url === undefined) throw new Error('spec.endpoint.url of the type Static needs static');
    if (!URL.canParse(url)) throw new Error('spec.endpoint.url.static is no URL');
    return url;
  }
  if (dynamic === undefined) throw new Error('spec.endpoint.url of the type Dynamic needs dynamic');
  return `${dynamic.protocol}://${service}.${region}.${dynamic.host}`;
}
