import uniq from 'lodash/uniq.js';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { EventKind } from '../../../runtime/events/event-kind.ts';
import { objectsOf } from '../../../trace/catalogue.ts';
import { eventually } from '../stack-harness.ts';
import type { Place } from './player.ts';
import { catalogue } from './watched-reader.ts';

/** A command for a shell, or statements for a server, and the place that prints them. */
export interface Printed {
  /** For example `Synced of FavouriteDBInstance`, `Event of FancySQLInstance` or `trace`. */
  readonly place: string;
  readonly command: string;
}

type Conditioned = KubernetesObject & {
  readonly spec?: { readonly claimRef?: { readonly namespace?: string } };
  readonly status?: { readonly conditions?: readonly Condition[] };
};

/** Whether an object is in the namespace of the row, has a name of the row, or is the resource of its claim. */
const isOfRow = ({ metadata, spec }: Conditioned, { namespace }: Place): boolean =>
  metadata.namespace === namespace ||
  metadata.name.startsWith(`${namespace}-`) ||
  spec?.claimRef?.namespace === namespace;

/** A command or a statement ends at a semicolon without another statement behind it, at a full stop, or with the line. */
const command = /kubectl (?!delete of )(?:(?!\. [A-Z])[^;\n])*/;
const statement = /(?:[A-Z]{4,} (?:(?!\. [A-Z])[^;\n])*|BEGIN|COMMIT)/;
const statements = new RegExp(`(?<=: )${statement.source}(?:; ${statement.source})*`);
const either = new RegExp(`${command.source}|${statements.source}`, 'g');

const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(either)].map(([found]) => found.trim());

/** The claims, resources and providers of a row. */
async function objectsIn(at: Place): Promise<readonly Conditioned[]> {
  const kinds = catalogue.kinds.filter(({ sort }) => ['claim', 'managed', 'provider'].includes(sort));
  const lists = await Promise.all(kinds.map((kind) => at.reader.list(objectsOf<Conditioned>(kind), {})));
  return lists.flatMap(({ items }) => items).filter((one) => isOfRow(one, at));
}

/** All commands that the product prints in the situation of a row: on claims, resources and providers, and by trace. */
export async function printedIn(at: Place): Promise<readonly Printed[]> {
  const objects = await objectsIn(at);
  const conditionTexts = objects.flatMap(({ kind, status }) =>
    (status?.conditions ?? []).map(({ type, message = '' }) => [`${type} of ${kind}`, message] as const),
  );
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  // Events about objects without a namespace are in `default`.
  const events = await Promise.all(
    [at.namespace, 'default'].map((namespace) => at.reader.list(EventKind, { namespace })),
  );
  const eventTexts = events
    .flatMap(({ items }) => items)
    .filter(({ involvedObject: { uid } }) => uids.has(uid))
    .map(({ involvedObject: { kind }, message }) => [`Event of ${kind}`, message] as const);
  const fault = (await at.trace().catch(() => undefined))?.fault;
  const traceTexts = [fault?.advice ?? '', ...(fault?.commands ?? [])].map(
    (text) => ['trace', text] as const,
  );
  return [...conditionTexts, ...eventTexts, ...traceTexts].flatMap(([place, text]) =>
    commandsIn(text).map((found) => ({ place, command: found })),
  );
}

/** A command that the product prints in the situation of a row. Waits for it. */
export const commandIn = (at: Place, isMeant: (command: string) => boolean): Promise<string> =>
  eventually('the command is printed', async () =>
    (await printedIn(at)).map(({ command }) => command).find(isMeant),
  );

/** A command without the names of its row and with the singular of its kind: the same in the next play of the row. */
export const formOf = (text: string, { namespace }: Place): string =>
  text
    .replaceAll(new RegExp(`\\b${namespace}(-[a-z]+)+-[a-z0-9]{5}\\b`, 'g'), 'RESOURCE')
    .replaceAll(namespace, 'ROW')
    .replaceAll(/\b([a-z]+)s(\.[a-z.]+ )/g, '$1$2')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32}\b/g, 'ID');

/** The reader writes something of his own, or only reads. */
const needsReader = /^kubectl (?:-n \S+ |-A )?(?:edit|get|apply|services-stack) |FILE|NAME|CLASS/;

/** The forms that a place prints and a reader can run as they are, beside those that ran. */
export const leftOf = (printed: readonly Printed[], at: Place): readonly string[] => {
  const ran = new Set(at.ran.map((one) => formOf(one, at)));
  const forms = uniq(
    printed.filter(({ command }) => !needsReader.test(command)).map((one) => formOf(one.command, at)),
  );
  return forms.filter((form) => !ran.has(form));
};
