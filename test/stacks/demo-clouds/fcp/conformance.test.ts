import { realClock } from '../../../../runtime/time/clock.ts';
import { favouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { FavouriteDBInstanceKind } from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { describeConformance } from '../../../../testing/conformance.ts';
import type { InProcessCloud } from '../../../fakes/in-process-cloud.ts';
import { cloudWorld, fcp } from '../../../testing/cloud-world.ts';

const client = (cloud: InProcessCloud) =>
  favouriteCloudClient({ ...cloud, clock: realClock(), random: () => 0 });

describeConformance({
  managed: FavouriteDBInstanceKind,
  forProvider: { fancinessLevel: 3, version: '5.7' },
  changes: [{ fancinessLevel: 5 }, { fancinessLevel: 900 }],
  refusedChanges: [{ version: '8.0' }],
  late: ['version'],
  open: (given) =>
    cloudWorld(given, {
      flavour: 'favourite',
      stack: fcp,
      externals: (cloud) => cloud.instances(),
      foreign: (cloud, name) =>
        client(cloud).instances.create({ name, fanciness_level: 9, password: 'a-password-of-theirs' }),
    }),
});

describeConformance({
  managed: NetworkKind,
  forProvider: { displayName: 'blue', cidr: '10.1.0.0/16' },
  changes: [{ displayName: 'green' }],
  refusedChanges: [{ cidr: '10.2.0.0/16' }],
  late: ['cidr'],
  open: (given) =>
    cloudWorld(given, {
      flavour: 'favourite',
      stack: fcp,
      externals: (cloud) => cloud.networks(),
      async foreign(cloud) {
        const tags = { 'crossplane-kind': 'network.network.fcp.crossplane.io', 'crossplane-name': 'theirs' };
        return (await client(cloud).networks.create({ display_name: 'theirs', tags })).id;
      },
    }),
});
