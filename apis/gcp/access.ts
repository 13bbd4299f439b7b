import { z } from 'zod';
import { optional, text } from '../core/schema.ts';

const url = (description: string) =>
  z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/)
    .describe(description);

/** What a provider of Google Cloud says beside its credentials. */
export const access = {
  projectID: text(
    'The id of the Google Cloud project in which everything is made and looked for, as redpepper-1290.',
  ),
  endpoint: optional(
    url(
      "Where all APIs are reached instead of at Google's own addresses, as http://127.0.0.1:18085: a stand-in, or a private endpoint. It wins over the endpoint in the key.",
    ),
  ),
  tokenURI: optional(
    url(
      'Where the key is exchanged for access tokens. Without it: the token_uri in the key. The key signs for that address.',
    ),
  ),
};

/** What its secret holds, for descriptions. */
export const credentialsHint =
  "Its secret's entry holds the JSON key of a service account, as the console of Google Cloud hands it out.";
