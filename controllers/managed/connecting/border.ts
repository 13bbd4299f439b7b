import isMatch from 'lodash/isMatch.js';
import omit from 'lodash/omit.js';
import { z } from 'zod';
import { unwrapped } from '../../../apis/core/marks.ts';
import type { Definition } from '../../../apis/core/schema.ts';
import { schemaProblems } from '../../../apis/core/schema-problems.ts';
import { managedStatus } from '../../../apis/core/v1alpha1/define-managed.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { answerProblem, undeclaredDetail } from '../../answers.ts';
import type { AuthorCall } from '../../border.ts';
import { authorBug, awaitAuthor, callAuthor, frozen } from '../../border.ts';
import { attributed } from '../../stack-bug.ts';
import type { ExternalClient, ExternalConnector, Observation } from './external-client.ts';
import { UncertainCreationError } from './external-client.ts';
import type { CallLimits } from './hanging-calls.ts';
import { hangingCalls } from './hanging-calls.ts';
import { operationProblem } from './operation-problem.ts';
import { scrubbedAnswer, scrubError } from './scrubbed.ts';
import type { Around } from './wrap-calls.ts';
import { wrapCalls } from './wrap-calls.ts';

/** The facts about a service that its border needs. */
export interface BorderOptions extends Omit<AuthorCall, 'name'> {
  readonly kind: Kind<Managed>;
  readonly externalNames: 'deterministic' | 'assigned';
  readonly log: Pick<Logger, 'warn'>;
  readonly clock: Pick<Clock, 'scheduler'>;
  readonly limits?: CallLimits | undefined;
  /** The secrets of the managed resource's provider. No message of the stack contains them. */
  readonly secretsOf: (managed: Managed) => readonly string[];
}

/**
 * The border around a connector and its clients. The objects that it gets are frozen. An answer of another form is a
 * programming error of the stack, and so is a connection detail that the kind does not declare. A field of the status that
 * the kind does not have is left out, and logged once. Messages contain no credentials of the provider.
 */
export function borderedConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  { kind, externalNames, log, clock, limits, secretsOf, ...whose }: BorderOptions,
): ExternalConnector<M> {
  const unknownPaths = new Set<string>();
  const hanging = hangingCalls(clock, limits);
  /** Secrets are read after the call: `connect` reads the credentials. */
  const call = async <T>(
    managed: M,
    name: string,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    try {
      const limited = () => hanging.limit(managed, { name, run, signal, bug: (what) => bug(name, what) });
      const answer = await awaitAuthor({ ...whose, name }, limited, (given) => answerProblem(name, given));
      return name === 'connect' ? answer : scrubbedAnswer(answer, secretsOf(managed));
    } catch (error) {
      scrubError(error, secretsOf(managed));
      throw error;
    }
  };

  return {
    async connect(managed, signal) {
      hanging.refuse(managed);
      const client = await call(managed, 'connect', signal, async (own) => {
        const connected = await connector.connect(frozen(managed), own);
        if (!own.aborted) return connected;
        // guard: otherwise the connection stays open
        await connected.disconnect?.();
        throw own.reason;
      });
      const around: Around = async (run, callSignal = signal, name) => {
        let hasFailed = false;
        const calling = (own: AbortSignal) =>
          run(own).catch((error: unknown) => {
            hasFailed = true;
            throw error;
          });
        try {
          // It gets no signal, so that a connection that closes after a stop is no call that ignores its signal.
          const given = name === 'disconnect' ? new AbortController().signal : callSignal;
          const answer = await call(managed, name, given, calling);
          const { error } = (answer ?? {}) as { readonly error?: unknown };
          attributed(error, whose.stack);
          scrubError(error, secretsOf(managed));
          return believed(name, managed, client, answer);
        } catch (error) {
          // guard: otherwise a resource whose name is not known is created again
          throw name === 'create' && !hasFailed ? uncertain(error) : error;
        }
      };
      return withPlain(managed, wrapCalls(client, around), client);
    },
  };

  /** The answer without unknown fields of the status. Throws a programming error if a field has another type. */
  function believed<T>(name: string, managed: M, client: ExternalClient<M>, answer: T): T {
    const {
      status = {},
      lateInitialized,
      details,
      operation,
      externalName: assigned,
    } = (answer ?? {}) as Partial<Observation>;
    // guard: otherwise no observation finds it, and each run creates another one
    if (externalNames === 'deterministic' && assigned !== undefined && assigned !== externalName(managed))
      throw bug(
        name,
        "returned another externalName than the one that it got, although externalNames of the service is 'deterministic'",
      );
    // `observe` returns the type of an operation. The other calls return its name.
    const unpollable =
      name === 'observe' || operation === undefined
        ? undefined
        : operationProblem(client, managed, name, operation);
    if (unpollable !== undefined) throw bug(name, `returned ${unpollable}`);
    const own = Object.keys(status).find((field) => Object.hasOwn(managedStatus.shape, field));
    if (own !== undefined) throw bug(name, `returned status.${own}, which only the controllers write`);
    const undeclared = details && undeclaredIn(details);
    if (undeclared !== undefined) throw bug(name, `returned details.${undeclared}`);
    const { forProvider } = managed.spec;
    const [field] = unknownFields(name, parts.lateInitialized, lateInitialized, forProvider);
    if (field !== undefined)
      throw bug(name, `returned lateInitialized.${field}, which ${kind.kind} does not have`);
    const unknown = unknownFields(name, parts.status, status, managed.status);
    if (unknown.length === 0) return answer;
    const news = unknown.filter((path) => !unknownPaths.has(path));
    for (const path of news) unknownPaths.add(path);
    if (news.length > 0)
      log.warn('fields of a status were left out: the kind does not have them', {
        kind: kind.kind,
        fields: news.map((path) => `status.${path}`),
      });
    return { ...answer, status: omit(status, unknown) };
  }

  /**
   * The fields of a part of an answer that the kind does not have. Throws a programming error if a field has another type.
   * A part that the object has already was checked before.
   */
  function unknownFields(
    name: string,
    { field, path }: Part,
    value: object | undefined,
    present: object = {},
  ): readonly string[] {
    if (value === undefined || isMatch(present, value)) return [];
    const schema = partOf(kind, path);
    // Only some fields are reported, so others may be missing.
    const problems = schema ? schemaProblems(schema, value).filter(({ type }) => type !== 'missing') : [];
    for (const problem of problems) {
      if (problem.type === 'mistyped')
        throw bug(
          name,
          `returned ${field}.${problem.path} of a type that ${kind.kind} does not accept (${problem.why})`,
        );
    }
    return problems.map((problem) => problem.path);
  }

  function undeclaredIn(details: object): string | undefined {
    const { connectionDetails } = kind as Partial<Definition>;
    return connectionDetails && undeclaredDetail(Object.keys(connectionDetails), details);
  }

  function bug(name: string, what: string): TypeError {
    return authorBug({ ...whose, name }, what);
  }

  /** The calls that answer at once. */
  function withPlain(managed: M, wrapped: ExternalClient<M>, client: ExternalClient<M>): ExternalClient<M> {
    const at = <T>(name: string, run: () => T): T =>
      callAuthor(
        { ...whose, name },
        run,
        (answer) =>
          answerProblem(name, answer) ??
          (name === 'plannedDetails' ? undeclaredIn(answer as object) : undefined),
      );
    return {
      ...wrapped,
      ...(client.plannedDetails && {
        plannedDetails: (of, credential) =>
          at('plannedDetails', () => client.plannedDetails?.(frozen(of), frozen(credential)) ?? {}),
      }),
      ...(client.facts && {
        facts: () =>
          scrubbedAnswer(
            at('facts', () => client.facts?.() ?? {}),
            secretsOf(managed),
          ),
      }),
    };
  }
}

const uncertain = (error: unknown): UncertainCreationError =>
  new UncertainCreationError(messageOf(error), { cause: error });

/** A part of an answer, and its place in the objects of the kind. */
interface Part {
  readonly field: string;
  readonly path: readonly string[];
}
const parts = {
  status: { field: 'status', path: ['status'] },
  lateInitialized: { field: 'lateInitialized', path: ['spec', 'forProvider'] },
} as const satisfies Readonly<Record<string, Part>>;

/** The schema of a part of a kind's objects. Undefined: the kind has no schema, or no such part. */
function partOf(kind: Kind<Managed>, path: readonly string[]): z.ZodObject | undefined {
  let schema: z.core.$ZodType | undefined = (kind as Partial<Definition>).schema;
  for (const name of path) {
    const within = schema && unwrapped(schema);
    schema = within instanceof z.ZodObject ? (within.shape[name] as z.core.$ZodType | undefined) : undefined;
  }
  const part = schema && unwrapped(schema);
  return part instanceof z.ZodObject ? part : undefined;
}
