import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import type { RoleSpec } from '../../../clients/postgresql/role.ts';

/** The role that forProvider asks for. */
export function roleSpec({ spec }: PostgreSQLRole): RoleSpec {
  const { login = false, privileges = {}, connectionLimit, configurationParameters } = spec.forProvider;
  return {
    login,
    ...privileges,
    ...(connectionLimit === undefined ? {} : { connectionLimit }),
    ...(configurationParameters === undefined
      ? {}
      : {
          configuration: Object.fromEntries(configurationParameters.map(({ name, value }) => [name, value])),
        }),
  };
}

/** The Ready condition of a role that exists. */
export function roleReady(options: {
  readonly mayLogIn: boolean;
  readonly isWantedToLogIn: boolean;
  readonly passwordFault: string | undefined;
}): ConditionFacts {
  const { mayLogIn, isWantedToLogIn, passwordFault } = options;
  if (isWantedToLogIn && !mayLogIn) return unavailable('the role may not log in');
  return passwordFault === undefined ? available() : unavailable(passwordFault);
}
