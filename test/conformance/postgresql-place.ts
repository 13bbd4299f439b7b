import { PostgresqlError } from '../../stacks/postgresql/client/error.ts';
import type { PostgresqlServer } from '../../stacks/postgresql/client/server.ts';

/** The login of a session. Default: the superuser and database `postgres`. */
interface PlaceLogin {
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

/** An open session. */
export interface PlaceSession {
  sql(text: string): Promise<readonly object[]>;
  end(): Promise<void>;
}

/** How to reach a server other than as everybody does here. */
interface PlaceCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly port?: number;
  readonly database?: string;
}

/** A PostgreSQL, real or in memory, with our client and by hand. */
export interface Place {
  readonly client: PostgresqlServer;
  clientAs(credentials: PlaceCredentials): PostgresqlServer;
  /** One statement in a session of its own. */
  sql(text: string, login?: PlaceLogin): Promise<readonly object[]>;
  open(login?: PlaceLogin): Promise<PlaceSession>;
  /** Waits until a statement of our client waits for a lock of another session. */
  untilBlocked(): Promise<void>;
}

/** A question and its answer. */
export interface Answered {
  readonly question: string;
  readonly answer: unknown;
}

/** Asks, and records question and answer. An error is an answer, too. */
type Ask = (question: string, act: () => Promise<unknown>) => Promise<void>;

/** The actions of a test. */
export interface Script {
  readonly place: Place;
  /** A call of the client, such as `roles.create`, with its arguments. */
  readonly call: (method: string, ...given: readonly unknown[]) => Promise<void>;
  readonly sql: (text: string, login?: PlaceLogin) => Promise<void>;
  /** Notes whether a login is let in. */
  readonly login: (login: PlaceLogin) => Promise<void>;
  readonly ask: Ask;
}

export type Cases = Readonly<Record<string, (script: Script) => Promise<void>>>;

/**
 * The answers to a case's questions, one after the other. `stable` removes the differences between servers. A change that
 * succeeds returns nothing and is not recorded. A refusal is recorded.
 */
export async function answersTo(
  act: (script: Script) => Promise<void>,
  place: Place,
  stable: (text: string) => string,
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  const ask: Ask = async (question, run) => {
    const answer = await run().then(plain, problem);
    if (!isQuestion(question) && isNothing(answer)) return;
    answers.push({ question, answer: JSON.parse(stable(JSON.stringify(answer ?? null))) });
  };
  await act({
    place,
    ask,
    call: (method, ...given) =>
      ask(`${method} ${given.map((each) => JSON.stringify(each)).join(' ')}`, () =>
        called(place.client, method, given),
      ),
    sql: (text, login) =>
      ask(`${text}${login === undefined ? '' : ` as ${login.user}`}`, () => place.sql(text, login)),
    login: (login) =>
      ask(`login ${JSON.stringify(login)}`, async () => {
        await (await place.open(login)).end();
      }),
  });
  return answers;
}

/** An observation, where nothing is an answer too: the object does not exist. */
const isQuestion = (question: string): boolean => question.includes('.observe');

const isNothing = (answer: unknown): boolean =>
  answer === undefined || (Array.isArray(answer) && answer.length === 0);

export function called(
  client: PostgresqlServer,
  method: string,
  given: readonly unknown[],
): Promise<unknown> {
  const [part = '', name] = method.split('.');
  const owner = name === undefined ? client : Reflect.get(client, part);
  return Reflect.get(owner, name ?? part).call(owner, ...given);
}

const plain = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
    : value;

function problem(error: unknown): unknown {
  if (error instanceof PostgresqlError) {
    const { code, isRetryable, sqlState, message } = error;
    return { code, isRetryable, ...(sqlState === undefined ? {} : { sqlState }), message };
  }
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return { thrown: code, message };
}
