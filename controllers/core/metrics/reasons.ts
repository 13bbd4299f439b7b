/**
 * What conditions may say as their reason in a label. Everybody who may write a status, and every author of a stack, may
 * give a reason of his own, and each would be a time series for good: theirs are counted together.
 */
const reasons: ReadonlySet<string> = new Set([
  ...[
    'Available',
    'AvailableWithTrouble',
    'Binding',
    'Creating',
    'Deleting',
    'InvalidClassSelector',
    'NoDefaultClass',
  ],
  ...['NoMatchingClass', 'Pending', 'Unavailable', 'UnknownKind'],
  ...['ReconcileError', 'ReconcilePaused', 'ReconcileSuccess'],
  // Of ProviderConfigs and Providers.
  ...['CannotReadCredentials', 'CredentialsAccepted', 'CredentialsRefused', 'NoAnswer', 'Unused'],
]);

const statuses: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);
const phases: ReadonlySet<string> = new Set(['Unbound', 'Bound', 'Released']);

/** The value of a label; `None` for what is not said, `Other` for what is not ours. */
const among =
  (known: ReadonlySet<string>, otherwise: string) =>
  (value: string | undefined): string => {
    if (value === undefined || value === '') return otherwise;
    return known.has(value) ? value : 'Other';
  };

export const reasonLabel = among(reasons, 'None');
/** An absent condition reads as Unknown. */
export const statusLabel = among(statuses, 'Unknown');
export const phaseLabel = among(phases, 'None');

/** The reasons that have a label of their own. */
export const knownReasons: readonly string[] = [...reasons];
