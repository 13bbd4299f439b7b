import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { awsUrl } from '../../fakes/in-process-aws.ts';
import { googleUrl } from '../../fakes/in-process-google-cloud.ts';
import { systemOf } from './inventory.ts';
import type { Fitting } from './values.ts';

const by =
  (aws: readonly unknown[], gcp: readonly unknown[]): Fitting =>
  (kind: Kind) =>
    systemOf(kind) === 'aws' ? aws : gcp;

const listed = [[{ key: 'stage', value: 'test' }], [{ key: 'stage', value: 'live' }], []];
const named = [{ stage: 'test' }, { stage: 'live', team: 'shop' }, {}];

/**
 * Values that the definitions of AWS and Google Cloud do not describe: valid ones, and one that is refused.
 * By the end of a field's path, the first that fits.
 */
export const cloudFitting: readonly (readonly [RegExp, Fitting])[] = [
  [/vpcIdRef\.name$/, ['vpc', 'late', 'nobody']],
  [/subnetIdRef\.name$/, ['subnet', 'late', 'nobody']],
  [/subnetIdRefs$/, [[{ name: 'subnet' }], [{ name: 'nobody' }]]],
  [/subnetIds$/, [['subnet-11111111111111111'], []]],
  [/vpcId$/, ['vpc-11111111111111111', 'nonsense']],
  [/subnetId$/, ['subnet-11111111111111111', 'nonsense']],
  [/vpcSecurityGroupIds$/, [['sg-11111111111111111'], []]],
  [/region$/, by(['us-west-1', 'us-east-1', 'nowhere-1'], ['us-central1', 'europe-west1', 'nowhere1'])],
  [/projectID$/, ['example-project', 'other-project']],
  [/endpoint$/, [googleUrl, 'http://nowhere.test']],
  [/url\.static$/, [awsUrl, 'http://nowhere.test']],
  [/availabilityZone$/, ['us-west-1a', 'us-west-1b', 'nowhere']],
  [/[lL]ocationId$/, ['us-central1-a', 'us-central1-b', 'nowhere']],
  [/cidrBlock$/, ['10.0.0.0/16', '10.0.1.0/24', '10.0.2.0/24', '999.0.0.0/99']],
  [/instanceTypes$/, [['t3.medium'], ['t3.large', 'm5.large'], []]],
  [/instanceType$/, ['t2.micro', 't3.small', 'nonsense']],
  [/(dbI|i)nstanceClass$/, ['db.t3.micro', 'db.t3.small', 'db.nonsense']],
  [/ami$/, ['ami-0123456789abcdef0', 'nonsense']],
  [/engine$/, ['postgres', 'mysql', 'nonsense']],
  [/engineVersion$/, ['16.6', '17.2', '8.0', '99']],
  [/allocatedStorage$/, [20, 30, 25]],
  [/redisVersion$/, ['REDIS_7_0', 'REDIS_7_2', 'REDIS_1_0']],
  [/redisConfigs$/, [{ 'maxmemory-policy': 'allkeys-lru' }, { 'maxmemory-policy': 'noeviction' }, {}]],
  [/reservedIpRange$/, ['10.9.0.0/29', 'nonsense']],
  [/weeklyMaintenanceWindow$/, [[{ day: 'MONDAY', startTime: { hours: 3 } }], []]],
  [/rdbSnapshotStartTime$/, ['2026-01-01T00:00:00Z', 'soon']],
  [/[bB]ackupWindow$/, ['03:00-03:30', '05:00-06:00', 'soon']],
  [/[mM]aintenanceWindow$/, ['sun:01:00-sun:02:00', 'mon:01:00-mon:02:00', 'soon']],
  [/[cC]loudwatchLogsExports$/, [['postgresql'], ['nonsense'], []]],
  [/processorFeatures$/, [[{ name: 'coreCount', value: '2' }], []]],
  [
    /scalingConfig$/,
    [[{ desiredSize: 1, minSize: 1, maxSize: 2 }], [{ desiredSize: 3, minSize: 1, maxSize: 4 }]],
  ],
  [/updateConfig$/, [[{ maxUnavailable: 1 }], [{ maxUnavailablePercentage: 50 }], []]],
  [/taint$/, [[{ key: 'only', value: 'shop', effect: 'NO_SCHEDULE' }], []]],
  [/launchTemplate$/, [[{ name: 'template', version: '1' }], []]],
  [/remoteAccess$/, [[{ ec2SshKey: 'key' }], []]],
  [/clusterName$/, ['guide', 'nobody']],
  [/forProvider\.version$/, ['1.31', '1.30', '99']],
  [/policy$/, ['{"Version":"2012-10-17","Statement":[]}', 'nonsense']],
  [/deadLetterTargetArn$/, ['arn:aws:sqs:us-west-1:123456789012:queue', 'nonsense']],
  [/messageRetentionDuration$/, ['86400s', '172800s', 'soon']],
  [/allowedPersistenceRegions$/, [['us-central1'], ['us-central1', 'europe-west1'], []]],
  [/tags$/, (kind) => (kind.kind.startsWith('RDS') ? listed : named)],
  [/labels$/, named],
  [/external-name$/, ['renamed', 'vpc-11111111111111111']],
  [/claimRef\.kind$/, ['PostgreSQLInstance', 'RedisCluster']],
  [/resourceRef\.name$/, ['rds', 'redis', 'late', 'nobody']],
  [/resourceRef\.kind$/, ['RDSInstance', 'CloudMemorystoreInstance']],
  [/classRef\.name$/, ['postgres', 'any', 'small', 'late']],
  [/classRef\.kind$/, ['RDSInstanceClass', 'CloudMemorystoreInstanceClass']],
];
