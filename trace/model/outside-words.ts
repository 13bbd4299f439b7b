import type { LinkName } from './trace.ts';

/** What kind of trouble with an external system a message tells of. */
export interface OutsideTrouble {
  readonly name:
    | 'wrong credentials'
    | 'not allowed'
    | 'provider down'
    | 'rate limited'
    | 'quota'
    | 'name taken'
    | 'refused';
  readonly link: LinkName;
}

/**
 * The messages of our clients begin with words of ours, and end in those of a vendor, of which only its codes are stable.
 * The first line that fits holds: what comes first is what has to be mended first. Nobody acts on it but a reader.
 */
const table: readonly (readonly [words: RegExp, trouble: OutsideTrouble['name'], link: LinkName])[] = [
  // In the words for credentials or rights, where both are good.
  [
    /; (?:the credentials are good elsewhere: )?change spec\.forProvider\.region(?:$|, or enable)/,
    'refused',
    'external',
  ],
  [/\((?:HTTP )?401\b/, 'wrong credentials', 'credentials'],
  [
    /\brefused (?:the )?(?:token|credentials|username|header|access key|key)\b/,
    'wrong credentials',
    'credentials',
  ],
  [/\bthere is no token for\b|\bcannot do without\b/, 'wrong credentials', 'credentials'],
  [
    /\b(?:AuthFailure|InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClient\w*|InvalidAccessKeyId|ExpiredToken\w*|MissingAuthenticationToken|invalid_grant|invalid_client|UNAUTHENTICATED|Unauthenticated)\b/,
    'wrong credentials',
    'credentials',
  ],
  [
    /^connect failed: .*\b(?:the credentials|credentials (?:lack|key|of the source)|secret \S+|file \S+|environment variable \S+)/,
    'wrong credentials',
    'credentials',
  ],
  [
    /\bholds no JSON\b|\bis no (?:key|URL|JSON)\b|\bdid not prove that it knows user\b/,
    'wrong credentials',
    'credentials',
  ],
  [
    /\bis limiting requests\b|\(429\b|\bThrottling\w*|\bRequestLimitExceeded\b|\bRateLimited\b/,
    'rate limited',
    'server',
  ],
  [
    /quota|limit ?exceeded|\bRESOURCE_EXHAUSTED\b|\bInsufficient\w*Capacity\b|\bexceed(?:s|ed)\b.*\b(?:limit|maximum)\b|has no connection left/i,
    'quota',
    'server',
  ],
  [
    /\bis unreachable\b|\bdid not answer within\b|\bclosed the connection before it answered\b|\bconnection (?:lost|refused|reset)\b/,
    'provider down',
    'server',
  ],
  [
    /\bdoes not answer in TLS\b|\bhas no certificate that is trusted\b|\bTLS with server\b|\bdoes not offer TLS\b/,
    'provider down',
    'server',
  ],
  [
    /\(50[0234]\b|\btook too long\b|\bor a gateway before it, answered\b|\bsomething that is not JSON\b/,
    'provider down',
    'server',
  ],
  [
    /\(403\b|\bdoes not allow it\b|\bpermission denied\b|\bAccessDenied\w*|\bPERMISSION_DENIED\b|\bmust be (?:owner|superuser)\b/,
    'not allowed',
    'credentials',
  ],
  [
    /\balready exists\b|\bAlreadyExists\b|\bnot ours\b|\bbelongs to\b|\bcarries no tag of an owner\b|\bis managed by another resource\b|\bexists and is not managed by\b/,
    'name taken',
    'external',
  ],
];

/** The steps of a run in which the external system is spoken to, as the messages of failures begin. */
const spokenTo = /\b(?:connect|observe|create|update|delete|poll) failed: /;

/** It answered, and said that there is none. */
const nothingThere = /(?:^|: )external resource does not exist\b/;
export const tellsOfNothingThere = (words: string | undefined): boolean =>
  words !== undefined && nothingThere.test(words);

/** What trouble a message tells of; undefined: none with an external system. */
export function outsideTrouble(words: string | undefined): OutsideTrouble | undefined {
  if (words === undefined || !spokenTo.test(words) || tellsOfNothingThere(words)) return undefined;
  // Names are anybody's words: a database may be called "quota".
  const said = words.slice(words.search(spokenTo)).replaceAll(/"[^"]*"/g, '""');
  const found = table.find(([pattern]) => pattern.test(said));
  return found === undefined ? { name: 'refused', link: 'external' } : { name: found[1], link: found[2] };
}
