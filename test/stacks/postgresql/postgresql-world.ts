import { createPostgresqlStack } from '../../../stacks/postgresql/stack.ts';
import type { Given, World } from '../../../testing/scenario.ts';
import type { InProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import { createInProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import { connectionCut } from '../../fakes/outside.ts';
import { ServerError } from '../../fakes/postgresql/server-error.ts';
import { door } from '../../testing/door.ts';

/** The password is right, and a role by itself may connect to no database. */
const notAllowed = '42501';

export interface PostgresqlWorldOptions {
  readonly externals: (server: InProcessPostgresql) => readonly unknown[];
  /** The statement that makes one, whose answer may be lost. */
  readonly creation: string;
  /** The statement that creates one of another user; absent: the kind has no owners. */
  readonly foreign?: (name: string) => string;
  /** The statements that run first. */
  readonly before?: readonly string[];
}

/** A PostgreSQL server in memory as a world of the kit. */
export async function postgresqlWorld(
  { clock }: Given,
  { externals, creation, foreign, before = [] }: PostgresqlWorldOptions,
): Promise<World> {
  const server = createInProcessPostgresql(clock);
  for (const statement of before) await server.sql(statement);
  const { pass, fail, hang } = door();
  let losesAnswer = false;
  const failing = (text: string): never => {
    throw new ServerError('XX000', text);
  };
  const { createServer } = server.clientsFor(async ({ verb }, effect) => {
    const answer = await pass<unknown>(effect, { failing, hanging: () => new Promise(() => {}) });
    if (!losesAnswer || verb !== creation) return answer;
    losesAnswer = false;
    throw connectionCut();
  });
  const { endpoint, port, username, password } = server.credentials;
  return {
    stack: createPostgresqlStack({ createServer }),
    credentials: { endpoint, port: String(port), username, password },
    externals: () => externals(server),
    ...(foreign && { foreign: async (name) => void (await server.sql(foreign(name))) }),
    fail,
    loseAnswer() {
      losesAnswer = true;
    },
    hang,
    opens({ username: user = '', password: secret = '', database = 'postgres' }) {
      const refusal = server.refusal({ user, password: secret, database });
      return refusal === undefined || refusal === notAllowed;
    },
  };
}
