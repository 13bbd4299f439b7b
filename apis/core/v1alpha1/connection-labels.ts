import { hash } from 'node:crypto';
import omit from 'lodash/omit.js';
import type { Managed } from './managed.ts';

/** Labels of a connection secret that say whose it is: `kubectl get secrets -l crossplane.io/claim-name=cart`. */
export const connectionLabels = {
  resourceKind: 'crossplane.io/resource-kind',
  resourceName: 'crossplane.io/resource-name',
  claimKind: 'crossplane.io/claim-kind',
  claimNamespace: 'crossplane.io/claim-namespace',
  claimName: 'crossplane.io/claim-name',
} as const;

/** What a label may hold: names of objects may be longer, and a reference to a claim holds whatever somebody wrote. */
const isLabelValue = (name: string): boolean =>
  name.length <= 63 && /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name);
const keptLength = 46;

/** A name as a label holds it: of one that it cannot hold what it can, and a digest of the whole behind it. */
export function labelValue(name: string): string {
  if (isLabelValue(name)) return name;
  const kept = name
    .replaceAll(/[^\w.-]/g, '')
    .replaceAll(/^[^A-Za-z0-9]+/g, '')
    .slice(0, keptLength);
  return [kept, hash('sha256', name, 'hex').slice(0, 16)].filter((part) => part !== '').join('-');
}

/** Labels as they are to be: with the managed resource that publishes there, and its claim, if it has one. Others stay. */
export function labelledFor(
  labels: Readonly<Record<string, string>> | undefined,
  { kind, metadata, spec: { claimRef } }: Managed,
): Readonly<Record<string, string>> {
  const about = {
    [connectionLabels.resourceKind]: kind,
    [connectionLabels.resourceName]: metadata.name,
    [connectionLabels.claimKind]: claimRef?.kind,
    [connectionLabels.claimNamespace]: claimRef?.namespace,
    [connectionLabels.claimName]: claimRef?.name,
  };
  const said = Object.entries(about).flatMap(([key, name]) => (name ? [[key, labelValue(name)]] : []));
  return { ...omit(labels, Object.keys(about)), ...Object.fromEntries(said) };
}
