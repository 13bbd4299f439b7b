import uniqBy from 'lodash/uniqBy.js';
import { apiVersionOf, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { FaultRow } from './fault-row.ts';
import { commandsIn } from './fault-row.ts';
import { faultTable } from './fault-table.ts';
import { credentialsKeyOf } from './findings.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';
import { describeObject, describeSubject, sentence } from './words.ts';

/** Every fault that the view shows, the cause first. Pure. */
export const faultsIn = (view: View): readonly Fault[] =>
  uniqBy(
    faultTable.flatMap((row) => faultIn(row, view)),
    'name',
  );

function faultIn({ name, link = 'resource', sign, ...row }: FaultRow, view: View): readonly Fault[] {
  const message = sign(view);
  if (message === undefined) return [];
  const words = { ...wordsOf(view), message };
  const { cause = '{message}.', advice, commands = [], details } = row;
  const fault: Fault = {
    name,
    link,
    cause: sentence(filled(cause, words)),
    ...(advice !== undefined && { advice: filled(advice, words) }),
    commands: commandsIn(view, ...commands),
    ...details?.(view, message),
  };
  const known = fault.commands.length > 0 ? fault.advice : fault.advice?.replace(announcement, '');
  return [{ ...fault, cause: fault.cause.replace(/\.\.$/, '.'), ...(known && { advice: known }) }];
}

/** The last sentence of an advice, if it announces commands. Their object may not be known here. */
const announcement = /(?<=\.) [^.]+:$/;

/** The text with a word for each `{name}`. */
const filled = (text: string, words: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => words[name] ?? '');

const wordsOf = (view: View): Readonly<Record<string, string | undefined>> => {
  const { theClaim, theManaged, providerName, provider, credentials, source, target } = view;
  return {
    namespace: theClaim?.metadata.namespace,
    resource: theManaged && describeObject(theManaged),
    provider: providerName === undefined ? 'the provider' : `${providerName.kind} ${providerName.name}`,
    providerVersion: providerName && apiVersionOf(providerName.kindOf),
    secret: credentials && objectKeyText(credentials.key),
    sourceSecret: source && objectKeyText(source.key),
    targetSecret: target && objectKeyText(target.key),
    key: credentialsKeyOf({ provider })?.key,
    subject: describeSubject(view),
  };
};
