import type { UserObservation, UserSpec } from './client/user-spec.ts';
import type { MySQLUser } from './kinds/v1alpha1/mysql-user.ts';

type Fields = MySQLUser['spec']['forProvider'];

/** The user that the fields ask for. A field that is absent is not compared. */
export function userSpec({ maxUserConnections, maxStatementSeconds, tls, passwordPlugin }: Fields): UserSpec {
  return {
    ...(maxUserConnections === undefined ? {} : { maxUserConnections }),
    ...(maxStatementSeconds === undefined ? {} : { maxStatementSeconds }),
    ...(tls === undefined ? {} : { tls }),
    ...(passwordPlugin === undefined ? {} : { plugin: passwordPlugin }),
  };
}

/** The names of fields of the spec that have another name in the client. */
const fieldNames: Readonly<Record<string, string>> = { plugin: 'passwordPlugin' };

/** The paths of differences that are fields of the spec. Others, such as a lock, are in no spec. */
export const fieldPaths = (differences: readonly string[], forProvider: object): readonly string[] =>
  differences
    .map((difference) => fieldNames[difference] ?? difference)
    .filter((field) => Object.hasOwn(forProvider, field))
    .map((field) => `spec.forProvider.${field}`);

/** The values of a user for the fields that a spec leaves to the server. */
export const lateUserFields = ({ maxUserConnections }: UserObservation) => ({ maxUserConnections });

/** The values of a user for the fields of a resource that only observes. */
export const observedUserFields = ({ maxUserConnections, maxStatementSeconds, tls }: UserObservation) => ({
  maxUserConnections,
  maxStatementSeconds,
  tls,
});
