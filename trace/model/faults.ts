import uniqBy from 'lodash/uniqBy.js';
import { apiVersionOf, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { describeObject, kubectl, observeAgain } from './commands.ts';
import { credentialsKeyOf } from './credentials-key.ts';
import { claimKindOf, keyOf, sentence } from './fault-parts.ts';
import type { CommandName, FaultRow } from './fault-row.ts';
import { faultTable } from './fault-table.ts';
import { thereOf } from './findings.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';

/** Every fault that the view shows, the cause first. Pure. */
export const faultsIn = (view: View): readonly Fault[] =>
  uniqBy(
    faultTable.flatMap((row) => faultIn(row, view)),
    'name',
  );

function faultIn(row: FaultRow, view: View): readonly Fault[] {
  const message = row.sign(view);
  if (message === undefined) return [];
  const words = { ...wordsOf(view), message };
  const { name, link, cause, advice, commands = [], details } = row;
  const fault: Fault = {
    name,
    link,
    cause: sentence(filled(cause, words)),
    ...(advice !== undefined && { advice: filled(advice, words) }),
    commands: commands.flatMap((command) => commandOf(command, view) ?? []),
    ...details?.(view, message),
  };
  return [{ ...fault, cause: fault.cause.replace(/\.\.$/, '.') }];
}

/** The text with a word for each `{name}`. */
const filled = (text: string, words: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => words[name] ?? '');

const wordsOf = (view: View): Readonly<Record<string, string | undefined>> => {
  const { theClaim, theManaged, providerName, provider, credentials, choice, source, subject } = view;
  const credentialsKey = credentialsKeyOf(thereOf(provider));
  const classes = choice?.all?.length;
  return {
    namespace: theClaim?.metadata.namespace,
    classRef: describeReference(theClaim?.spec.classRef ?? {}),
    resourceRef: describeReference(theClaim?.spec.resourceRef ?? {}),
    owner: describeReference(theManaged?.spec.claimRef ?? {}),
    resource: theManaged && describeObject(theManaged),
    provider: providerName === undefined ? 'the provider' : `${providerName.kind} ${providerName.name}`,
    secret: credentials && objectKeyText(credentials.key),
    sourceSecret: source && objectKeyText(source.key),
    key: credentialsKey?.key,
    providerVersion: providerName && apiVersionOf(providerName.kindOf),
    subject: `${subject.known.kind.kind} ${objectKeyText(subject.key)}`,
    selector: choice?.sought ?? 'the selector',
    count: classes === undefined ? '' : ` (${classes === 0 ? 'there are none' : `of ${classes} there are`})`,
  };
};

/** Undefined: the command's object is not known here. */
function commandOf(name: CommandName, view: View): string | undefined {
  const { theClaim, theManaged, theClass, managedService, providerName, services } = view;
  const classKind = services.find(
    ({ class: { kind, group } }) => theClass?.kind === kind && theClass.apiVersion.startsWith(`${group}/`),
  )?.class;
  switch (name) {
    case 'edit claim':
      return theClaim && kubectl('edit', claimKindOf(view), keyOf(theClaim));
    case 'edit resource':
      return theManaged && managedService && kubectl('edit', managedService.kind, keyOf(theManaged));
    case 'retry resource':
      return theManaged && managedService && observeAgain(managedService.kind, keyOf(theManaged));
    case 'edit class':
      return theClass && classKind && kubectl('edit', classKind, keyOf(theClass));
    case 'edit provider':
      return providerName && kubectl('edit', providerName.kindOf, providerName);
    case 'read provider':
      return providerName && kubectl('get', providerName.kindOf, providerName, '-o', 'yaml');
  }
}
