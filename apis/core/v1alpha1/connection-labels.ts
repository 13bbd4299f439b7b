import { hash } from 'node:crypto';
import omit from 'lodash/omit.js';
import type { Managed } from './managed.ts';

/** Labels of a connection Secret that name its owners: `kubectl get secrets -l crossplane.io/claim-name=cart`. */
const connectionLabels = {
  resourceKind: 'crossplane.io/resource-kind',
  resourceName: 'crossplane.io/resource-name',
  claimKind: 'crossplane.io/claim-kind',
  claimNamespace: 'crossplane.io/claim-namespace',
  claimName: 'crossplane.io/claim-name',
} as const;

/** Whether a label can hold the name: names of objects may be longer, and a claim reference may hold any text. */
const isLabelValue = (name: string): boolean =>
  name.length <= 63 && /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name);
const prefixLength = 46;

/** The label value for a name. If a label cannot hold the name: its valid characters and a digest of the whole name. */
export function labelValue(name: string): string {
  if (isLabelValue(name)) return name;
  const prefix = name
    .replaceAll(/[^\w.-]/g, '')
    .replaceAll(/^[^A-Za-z0-9]+/g, '')
    .slice(0, prefixLength);
  return [prefix, hash('sha256', name, 'hex').slice(0, 16)].filter((part) => part !== '').join('-');
}

/** The labels with the publishing managed resource and its claim, if it has one. Other labels stay. */
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
  const present = Object.entries(about).flatMap(([key, name]) => (name ? [[key, labelValue(name)]] : []));
  return { ...omit(labels, Object.keys(about)), ...Object.fromEntries(present) };
}
