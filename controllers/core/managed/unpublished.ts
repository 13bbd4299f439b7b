import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails, ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { Published } from '../connection/published-details.ts';
import { present, removals, secretsAmong } from '../connection/published-details.ts';

/**
 * Credentials that the external system has by now and that could not be published, for what keeps them cannot be written.
 * The process remembers them and offers them again, so that not each attempt sets others; and what could not be removed.
 */
export interface UnpublishedDetails {
  /** What could not be published, over what was there before. Answers whether there is anything among it to remember. */
  keep(managed: Managed, details: ReportedDetails, before: Published): boolean;
  /** They are published, or nobody needs them any more. */
  forget(managed: Managed): void;
  /**
   * What is to be offered again beside what is published. `superseded`: somebody has published something else since, so
   * that nobody can tell which of the two the external system has; it is forgotten.
   */
  recall(managed: Managed, published: ConnectionDetails): ReportedDetails | 'superseded';
}

export function createUnpublishedDetails(): UnpublishedDetails {
  const all = new Map<
    string | undefined,
    { readonly secrets: ReportedDetails; readonly before: ConnectionDetails }
  >();
  return {
    keep({ metadata: { uid } }, details, before) {
      const secrets = secretsAmong(present(details));
      const isNews = !isMatch(before.details, secrets);
      const removed = removals(details, before);
      if (!isNews && removed.length === 0) return false;
      const none = Object.fromEntries(removed.map((key) => [key, null]));
      all.set(uid, { secrets: { ...secrets, ...none }, before: before.details });
      return isNews;
    },
    forget: ({ metadata: { uid } }) => void all.delete(uid),
    recall({ metadata: { uid } }, published) {
      const left = all.get(uid);
      if (left === undefined) return {};
      if (isEqual(published, left.before)) return left.secrets;
      all.delete(uid);
      return isMatch(published, present(left.secrets)) ? {} : 'superseded';
    },
  };
}
