import { z } from 'zod';
import { optional, tagsFromLabels, text } from '../../../package/schema.ts';

const url = (description: string) =>
  z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/)
    .describe(description);

/** The fields of a Google Cloud provider besides its credentials. */
export const access = {
  projectID: text('The id of the Google Cloud project of all resources, for example redpepper-1290.'),
  endpoint: optional(
    url(
      "The address of all APIs instead of Google's own, for an emulator or a private endpoint, for example http://127.0.0.1:18085. It takes precedence over the endpoint in the key.",
    ),
  ),
  tagsFromLabels,
  tokenURI: optional(
    url(
      'The address at which the key is exchanged for access tokens. Without it: the token_uri in the key. The signature is valid for that address only.',
    ),
  ),
};

/** The content of the Secret, for descriptions. */
export const credentialsHint =
  'The entry of its Secret holds the JSON key of a service account, as downloaded from the console of Google Cloud.';
