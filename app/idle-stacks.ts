import type { Observable } from 'rxjs';
import { catchError, defer, filter, of, repeat, tap, timer } from 'rxjs';
import type { Definition } from '../apis/core/schema.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { abortable } from '../runtime/abortable.ts';
import { isForbidden, messageOf } from '../runtime/client/errors.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import type { Logger } from '../runtime/log/log.ts';
import type { Clock } from '../runtime/time/clock.ts';

/** A kind whose objects no stack of this process handles, and the names of the stacks that would. */
export interface IdleKind {
  readonly kind: Definition;
  readonly stacks: readonly string[];
}

/** The answer of the API server about the objects of a kind. */
export interface FoundKind extends Pick<IdleKind, 'stacks'> {
  readonly kind: string;
  readonly answer: 'objects' | 'no objects' | 'refused';
}

/** The claim and managed kinds of the idle stacks, without those that a running stack handles too. */
export function unhandledKinds(
  idle: readonly DefinedStack[],
  running: readonly DefinedStack[],
): readonly IdleKind[] {
  const handled = new Set(running.flatMap(({ definitions }) => definitions.map(kindKey)));
  const kinds = idle.flatMap(({ name, definitions }) =>
    definitions
      .filter(({ categories }) => categories.includes('claim') || categories.includes('managed'))
      .filter((kind) => !handled.has(kindKey(kind)))
      .map((kind) => ({ name, kind })),
  );
  return [...Map.groupBy(kinds, ({ kind }) => kindKey(kind)).values()].map((same) => ({
    kind: same[0]!.kind,
    stacks: same.map(({ name }) => name),
  }));
}

/** One sentence for an administrator about the kinds of the same stacks, if objects of them exist or may exist. */
export function notesOf(found: readonly FoundKind[]): readonly string[] {
  const reported = found.filter(({ answer }) => answer !== 'no objects');
  const groups = Map.groupBy(reported, ({ answer, stacks }) => `${answer} ${stacks.join()}`);
  return [...groups.values()].map((group) => {
    const kinds = group
      .map(({ kind }) => kind)
      .toSorted()
      .join(', ');
    const { answer, stacks } = group[0]!;
    const advice = `add ${stacks.join(' or ')} to --stacks`;
    return answer === 'objects'
      ? `objects of ${kinds} exist, and no stack of this process handles them: ${advice}, unless another process runs it`
      : `the API server serves ${kinds} and forbids this process to list them: if objects exist, grant the rights and ${advice}`;
  });
}

export interface IdleStackNotesOptions {
  readonly client: Pick<KubernetesClient, 'list' | 'serves'>;
  readonly kinds: readonly IdleKind[];
  /** The only namespaces whose claims this process serves; absent: all. */
  readonly namespaces?: readonly string[] | undefined;
  readonly log: Logger;
  readonly clock: Pick<Clock, 'scheduler'>;
}

const everyMs = 600_000;

/**
 * Looks for objects of kinds that no stack of this process handles, as after an upgrade to a version that no longer runs
 * their stack by default. Asks every ten minutes, because such objects may be created at any time. Emits the notes, and
 * logs each when it is new. Never ends.
 */
export const idleStackNotes = ({
  client,
  kinds,
  namespaces,
  log,
  clock,
}: IdleStackNotesOptions): Observable<readonly string[]> =>
  defer(() => {
    let before: readonly string[] = [];
    return abortable(async (signal) => {
      const found: FoundKind[] = [];
      for (const { kind, stacks } of kinds) {
        found.push({ kind: kind.kind, stacks, answer: await answerOf(kind, { client, namespaces }, signal) });
      }
      return notesOf(found);
    }).pipe(
      catchError((error: unknown) => {
        log.debug('cannot look for objects of stacks that do not run: trying again', {
          error: messageOf(error),
        });
        return of(undefined);
      }),
      repeat({ delay: () => timer(everyMs, clock.scheduler) }),
      filter((notes) => notes !== undefined),
      tap((notes) => {
        for (const note of notes) if (!before.includes(note)) log.warn(note);
        before = notes;
      }),
    );
  });

/** Throws ApiError if the API server neither lists the kind nor forbids it. */
async function answerOf(
  kind: Definition,
  { client, namespaces }: Pick<IdleStackNotesOptions, 'client' | 'namespaces'>,
  signal: AbortSignal,
): Promise<FoundKind['answer']> {
  if (!(await client.serves(kind, signal))) return 'no objects';
  const places = kind.scope === 'Namespaced' && namespaces !== undefined ? namespaces : [undefined];
  let isRefused = false;
  for (const namespace of places) {
    try {
      const { items } = await client.list(kind, { namespace, limit: 1 }, signal);
      if (items.length > 0) return 'objects';
    } catch (error) {
      if (!isForbidden(error)) throw error;
      isRefused = true;
    }
  }
  return isRefused ? 'refused' : 'no objects';
}
