/** The properties of a database engine. */
export interface Engine {
  readonly port: number;
  readonly licence: string;
  /** The supported versions, the oldest first. `16` means the last version that begins with `16.`. */
  readonly versions: readonly string[];
  /** Names that the master user cannot have. */
  readonly reserved: readonly string[];
  /** The maximum length of the name of the master user. */
  readonly longestUsername: number;
  readonly longestPassword: number;
  /** The form of the name of the database. */
  readonly databaseName: RegExp;
  readonly logs: readonly string[];
}

const mysql: Engine = {
  port: 3306,
  licence: 'general-public-license',
  versions: ['5.7.44', '8.0.35', '8.0.39', '8.4.3'],
  reserved: ['rdsadmin', 'root'],
  longestUsername: 16,
  longestPassword: 41,
  databaseName: /^[A-Za-z][A-Za-z0-9_]{0,63}$/,
  logs: ['audit', 'error', 'general', 'slowquery'],
};

/** The supported engines. */
export const engines: Readonly<Record<string, Engine>> = {
  postgres: {
    port: 5432,
    licence: 'postgresql-license',
    versions: ['13.7', '13.18', '14.15', '15.10', '16.4', '16.6', '17.2', '18.1'],
    reserved: ['admin', 'rdsadmin'],
    longestUsername: 63,
    longestPassword: 128,
    databaseName: /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
    logs: ['postgresql', 'upgrade'],
  },
  mysql,
  mariadb: { ...mysql, versions: ['10.6.20', '10.11.10', '11.4.4'] },
};

/** The full version for a version or its beginning. Undefined: there is none. */
export const versionOf = ({ versions }: Engine, requested: string | undefined): string | undefined =>
  requested === undefined
    ? versions.at(-1)
    : versions.findLast((version) => version === requested || version.startsWith(`${requested}.`));

/** `16` of `16.4`, `8.0` of `8.0.39`. */
export const majorOf = (version: string): string => version.slice(0, version.lastIndexOf('.'));

const families = ['t3', 't4g', 'm5', 'm6g', 'm6i', 'm7g', 'r5', 'r6g', 'r6i', 'r7g', 't2', 'm4', 'r4'];
const sizes = [
  'micro',
  'small',
  'medium',
  'large',
  'xlarge',
  '2xlarge',
  '4xlarge',
  '8xlarge',
  '12xlarge',
  '16xlarge',
];

/** Whether the instance class exists. Only families that begin with t have sizes below large. */
export function hasClass(name: string): boolean {
  const [, family = '', size = ''] = /^db\.([^.]+)\.([^.]+)$/.exec(name) ?? [];
  if (!families.includes(family) || !sizes.includes(size)) return false;
  const isSmall = sizes.indexOf(size) < sizes.indexOf('large');
  return family.startsWith('t') ? sizes.indexOf(size) <= sizes.indexOf('2xlarge') : !isSmall;
}

/** The range of storage in GiB, by storage type. */
export const storageSizes: Readonly<Record<string, readonly [least: number, most: number]>> = {
  standard: [5, 3072],
  gp2: [20, 65_536],
  gp3: [20, 65_536],
  io1: [100, 65_536],
  io2: [100, 65_536],
};
