import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { InvariantOf } from '../invariant.ts';

export const deletionEnds: InvariantOf = ({ cluster }) => ({
  name: 'what is deleted goes',
  atRest: () =>
    cluster
      .objects()
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ kind, metadata }) => `${kind} ${objectKeyText(metadata)} is still being deleted`),
});
