import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observable } from 'rxjs';
import { catchError, ignoreElements, of, repeat, takeWhile, tap, timer } from 'rxjs';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { abortable } from '../abortable.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { isForbidden, isNotFound, messageOf } from './errors.ts';
import { CustomResourceDefinitionKind } from './install-crds.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { definitionsFolder, knowsRules } from './server-version.ts';

export interface MissingRulesOptions {
  readonly client: Pick<KubernetesClient, 'serverVersion' | 'get'>;
  /** Of definitions, as `InstallCrdsOptions` has it. */
  readonly directory: string;
  /** The kinds that the process works with. */
  readonly kinds: readonly Pick<Kind, 'group' | 'plural'>[];
  readonly log: Logger;
  readonly clock: Pick<Clock, 'scheduler'>;
}

/** Definitions in the cluster that lack the rules which its API server would ask: somebody applied the other set. */
export interface MissingRules {
  /** Looks once, and each ten minutes as long as some lack them. Never emits or errors. */
  readonly run$: Observable<never>;
  /** What an administrator should know of them now. */
  told(): readonly string[];
}

const everyMs = 600_000;
const mostNamed = 3;
const rules = 'x-kubernetes-validations';
const remedy = 'run "kubectl apply -f crds/with-cel-rules/", or start with --install-crds';

/** Nothing is known yet. What may not be read, as without the right to get definitions, is not told of. */
export function missingRules(options: MissingRulesOptions): MissingRules {
  const { log, clock } = options;
  let lacking: readonly string[] = [];

  const tell = (found: readonly string[]): void => {
    if (found.length > 0 && lacking.length === 0) {
      const what =
        'definitions have no rules, and so the API server takes edits that cannot work, which conditions tell then';
      log.warn(`${what}; ${remedy}`, { definitions: found });
    }
    lacking = found;
  };

  const look$ = abortable((signal) => definitionsWithoutRules(options, signal)).pipe(
    catchError((error: unknown) => {
      log.debug('cannot tell whether definitions have their rules', { error: messageOf(error) });
      return of('unknown' as const);
    }),
  );

  return {
    run$: look$.pipe(
      tap((found) => {
        if (found !== 'unknown') tell(found);
      }),
      repeat({ delay: () => timer(everyMs, clock.scheduler) }),
      takeWhile((found) => found.length > 0),
      ignoreElements(),
    ),
    told() {
      if (lacking.length === 0) return [];
      const more = lacking.length > mostNamed ? ` and ${lacking.length - mostNamed} more` : '';
      return [`definitions have no rules: ${lacking.slice(0, mostNamed).join(', ')}${more}; ${remedy}`];
    },
  };
}

/** By their names. Throws ApiError, and what reading files throws. */
async function definitionsWithoutRules(
  { client, directory, kinds }: MissingRulesOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const version = await client.serverVersion(signal);
  if (!knowsRules(version)) return [];
  const folder = definitionsFolder(directory, version);
  const lacking: string[] = [];
  // One after the other: there is time, and each is large.
  for (const { group, plural } of kinds) {
    if (!(await hasRules(join(folder, `${group}_${plural}.yaml`)))) continue;
    const name = `${plural}.${group}`;
    try {
      const { spec } = await client.get(CustomResourceDefinitionKind, { name }, signal);
      if (!JSON.stringify(spec).includes(rules)) lacking.push(name);
    } catch (error) {
      if (!isNotFound(error) && !isForbidden(error)) throw error;
    }
  }
  return lacking.toSorted();
}

/** Whether the definition that would be installed has any; of what is no kind of ours there is none. */
const hasRules = async (file: string): Promise<boolean> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.includes(rules);
};
