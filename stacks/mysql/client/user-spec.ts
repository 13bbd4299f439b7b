import type { Marked } from './mark.ts';
import type { Plugin } from './password.ts';

/** The wanted state of a user. Absent fields get the server's default (in brackets), and are not compared. */
export interface UserSpec {
  /** (0: no limit) */
  readonly maxUserConnections?: number;
  /** (0: no limit) */
  readonly maxStatementSeconds?: number;
  /** (Optional) */
  readonly tls?: 'Optional' | 'Required';
  /** (the server's own choice) */
  readonly plugin?: Plugin;
}

/** The user `name@'%'`. */
export interface UserObservation extends Marked {
  readonly kind: 'user';
  readonly maxUserConnections: number;
  readonly maxStatementSeconds: number;
  readonly tls: 'Optional' | 'Required';
  readonly plugin: string;
  /** It cannot log in: a creation that has not ended, or an administrator locked it. */
  readonly isLocked: boolean;
  /** Its password has an end, which this product never sets. */
  readonly expires: boolean;
  /** Its password has ended by a statement: it counts as wrong until it is set again. */
  readonly isExpired: boolean;
  /** The hosts of other users of this name. There the server refuses the password of this one. */
  readonly otherHosts: readonly string[];
}

/** The fields that `update` would change. */
export function userDrift(observed: UserObservation, spec: UserSpec): readonly string[] {
  const fields = (['maxUserConnections', 'maxStatementSeconds', 'tls', 'plugin'] as const).filter(
    (field) => spec[field] !== undefined && spec[field] !== observed[field],
  );
  return [...fields, ...(observed.isLocked ? ['isLocked'] : []), ...(observed.expires ? ['expires'] : [])];
}
