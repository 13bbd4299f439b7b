/** The addresses of AWS's services, if they are not AWS's own. */
export interface AwsEndpoint {
  readonly url: {
    readonly type: 'Static' | 'Dynamic';
    /** The URL of all services in all regions. */
    readonly static?: string;
    readonly dynamic?: { readonly protocol: 'http' | 'https'; readonly host: string };
  };
  /** The region that requests are signed for; default: the region of the resource. */
  readonly signingRegion?: string;
}

/** The URL of a service in a region; undefined: AWS's own address. Throws an Error that names the missing field. */
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
