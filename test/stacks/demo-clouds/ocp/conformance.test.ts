import { realClock } from '../../../../runtime/time/clock.ts';
import { otherCloudClient } from '../../../../stacks/demo-clouds/client/other-cloud.ts';
import { AmbivalentDBInstanceKind } from '../../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { describeConformance } from '../../../../testing/conformance.ts';
import { cloudWorld, ocp } from '../../../testing/cloud-world.ts';

describeConformance({
  managed: AmbivalentDBInstanceKind,
  forProvider: { ambivalence: 3, engineVersion: '5.7' },
  changes: [{ ambivalence: 5 }, { ambivalence: 90 }],
  refusedChanges: [{ engineVersion: '8.0' }],
  late: ['engineVersion'],
  open: (given) =>
    cloudWorld(given, {
      flavour: 'other',
      stack: ocp,
      externals: (cloud) => cloud.instances(),
      foreign: (cloud, name) =>
        otherCloudClient({ ...cloud, clock: realClock(), random: () => 0 }).databases.create({
          databaseName: name,
          ambivalence: 9,
          adminPassword: 'a-password-of-theirs',
        }),
    }),
});
