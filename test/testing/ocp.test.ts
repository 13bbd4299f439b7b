import { AmbivalentDBInstanceKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { otherCloudClient } from '../../clients/other-cloud.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { describeConformance } from '../../testing/conformance.ts';
import { cloudWorld, ocp } from './cloud-world.ts';

describeConformance({
  managed: AmbivalentDBInstanceKind,
  forProvider: { ambivalence: 3, engineVersion: '5.7' },
  changes: [{ ambivalence: 5 }, { ambivalence: 90 }],
  refusedChanges: [{ engineVersion: '8.0' }],
  late: ['engineVersion'],
  details: ['type', 'provider', 'endpoint', 'host', 'port', 'username', 'password', 'database', 'uri'],
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
