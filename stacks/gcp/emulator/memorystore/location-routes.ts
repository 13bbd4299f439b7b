import { zonesOf } from '../regions.ts';
import type { Call, Route } from '../service.ts';
import { noLocation } from './problems.ts';

/** The path of all locations of a project. */
export const locationsTemplate = '/v1/projects/{project}/locations';

/** The project and the region of a call. Throws Problem for a region that does not exist. */
export function placeOf({ path }: Call): { readonly project: string; readonly region: string } {
  const { project = '', location = '' } = path;
  if (!Object.hasOwn(zonesOf, location)) throw noLocation(project, location);
  return { project, region: location };
}

/** The methods on locations. */
export const locationRoutes: readonly Route[] = [
  {
    verb: 'GET',
    template: locationsTemplate,
    permission: 'redis.locations.list',
    query: ['filter', 'pageSize', 'pageToken'],
    act: ({ path }) => ({
      locations: Object.keys(zonesOf).map((region) => locationJson(String(path.project), region)),
    }),
  },
  {
    verb: 'GET',
    template: `${locationsTemplate}/{location}`,
    permission: 'redis.locations.get',
    act(call) {
      const { project, region } = placeOf(call);
      return locationJson(project, region);
    },
  },
];

const locationJson = (project: string, region: string): object => ({
  name: `projects/${project}/locations/${region}`,
  locationId: region,
  metadata: {
    '@type': 'type.googleapis.com/google.cloud.redis.v1.LocationMetadata',
    availableZones: Object.fromEntries((zonesOf[region] ?? []).map((zone) => [zone, {}])),
  },
});
