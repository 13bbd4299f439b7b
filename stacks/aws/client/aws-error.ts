import { CloudError, classOfStatus, stable, transportFailure } from '../../../package/http.ts';
import type { Advice, ExternalErrorClass } from '../../../package/stack.ts';
import { clientAdvice } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { SdkFailure } from './sdk-failures.ts';
import { NoAnswer } from './sdk-request-handler.ts';

/** A failed call. */
export interface AwsErrorContext {
  /** `ec2`. */
  readonly service: string;
  readonly region: string;
  /** The action's name in IAM, where it is known: `ec2:RunInstances`. */
  readonly action?: string | undefined;
  /** For messages: `get VPC "vpc-1"`. */
  readonly what: string;
  /** The address of the request, if it is not AWS's own. */
  readonly url?: string | undefined;
  /** Secrets that no message may contain. */
  readonly secrets: readonly string[];
  /** Fields of `forProvider`, by the patterns that find them in AWS's messages and codes. */
  readonly fields?: Readonly<Record<string, RegExp>> | undefined;
  /** The region that requests are signed for, if the provider names it. */
  readonly signingRegion?: string | undefined;
  /** Another region accepts the same credentials, so the region is wrong. */
  readonly areTakenElsewhere?: boolean;
  /** The official client's classification of the error. */
  readonly failure?: SdkFailure | undefined;
  readonly nowMs: number;
}

/** An error answer, as the official client throws it. */
interface ServiceException {
  /** AWS's own code. */
  readonly name: string;
  /** AWS's own code, where the protocol distinguishes it from the official client's name of the error. */
  readonly Code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $fault?: string;
  /** The answer as received, also if the official client cannot parse it. */
  readonly $response?: { readonly statusCode?: number };
}

/**
 * AWS's codes for credentials that it refuses. AWS also uses them where only the region does not know the credentials.
 */
const untaken =
  /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|InvalidAccessKeyId|MissingAuthenticationToken|IncompleteSignature|OptInRequired)$/;

/**
 * Whether AWS refused the credentials, or the region that the request was signed for. AWS uses the same codes for both.
 */
export const isUntaken = ({ code }: CloudError): boolean => untaken.test(code);

/** The codes for temporary credentials after their end. EC2 has its own. No region accepts them. */
const expired = /^(ExpiredToken(Exception)?|RequestExpired)$/;

/** The code for a region that the account has not enabled. The credentials are valid. */
const regionRefused = 'RegionRefused';

const forbidden =
  /^(UnauthorizedOperation|AccessDenied(Exception)?|Client\.UnauthorizedOperation|NotAuthorized)$/;
const quota =
  /(Limit|Quota)Exceeded(Fault|Exception)?$|^(InsufficientFreeAddressesInSubnet|MaxSpotInstanceCountExceeded|Insufficient\w*Capacity)/;

/** The code for more tags than AWS takes. No quota can be raised. */
const tooManyTags = /^(TagLimitExceeded|TooManyTags)(Fault|Exception)?$/;

/** The classes of AWS's codes. The first line that matches counts. The HTTP status decides for all other codes. */
const classes: readonly (readonly [code: RegExp, errorClass: ExternalErrorClass])[] = [
  [untaken, 'CredentialsRefused'],
  [expired, 'CredentialsRefused'],
  [forbidden, 'Forbidden'],
  [tooManyTags, 'Invalid'],
  [quota, 'QuotaExceeded'],
  [
    /(AlreadyExists(Fault|Exception)?|\.(Conflict|Duplicate|InUse))$|^(ResourceInUseException|QueueNameExists)$/,
    'Conflict',
  ],
  [
    /^(DependencyViolation|Incorrect(Instance)?State|InvalidDB(Instance|SubnetGroup)State(Fault)?|(AWS\.SimpleQueueService\.)?QueueDeletedRecently|OperationAborted)$/,
    'NotReady',
  ],
];

/**
 * The path of a field. The region that requests are signed for is a field of the provider, if the provider names one.
 */
const adviceTo = (field: string, { signingRegion }: AwsErrorContext): Advice =>
  field === 'region' && signingRegion !== undefined
    ? { kinds: ['ChangeProvider'], fields: ['spec.endpoint.signingRegion'] }
    : { kinds: ['ChangeFields'], fields: [`spec.forProvider.${field}`] };

const textOf = ({ kinds, fields = [] }: Advice): string =>
  `${clientAdvice.change(fields)}${kinds.includes('ChangeProvider') ? ' of the provider' : ''}`;

/** The advice to a user about a refusal, by AWS's code. */
const hints: readonly (readonly [code: RegExp, hint: (action: string) => string])[] = [
  [untaken, () => advice.correctAccessKey],
  [expired, () => advice.renewCredentials],
  [forbidden, advice.allowAction],
  [tooManyTags, () => clientAdvice.change(['spec.forProvider.tags'])],
  [quota, () => advice.raiseQuota],
];

/**
 * A CloudError with one sentence: the call, AWS's own code and reason, and the advice where there is one. The id of the
 * request is a separate field and never part of the sentence.
 */
export function awsError(error: unknown, context: AwsErrorContext): CloudError {
  if (error instanceof CloudError) return error;
  const { service, region, what, url, secrets, failure, nowMs } = context;
  const cloud = `AWS ${service.toUpperCase()}`;
  const where = `${cloud} (${region}${url === undefined ? '' : `, ${new URL(url).origin}`})`;
  if (error instanceof NoAnswer) {
    if (error.timeoutMs !== undefined) {
      return new CloudError(`cannot ${what}: ${where} did not answer within ${error.timeoutMs} ms`, {
        status: 0,
        code: 'TimedOut',
        isRetryable: true,
      });
    }
    const origin = url === undefined ? region : `${region}, ${new URL(url).origin}`;
    const failed = transportFailure(error.cause, { cloud, what, origin, proof: 'the credentials', secrets });
    // AWS's own addresses contain the name of the region. The address of a region that does not exist does not resolve.
    if (url !== undefined || !/name not found$/.test(failed.message)) return failed;
    const { status, code, isRetryable } = failed;
    return new CloudError(`${failed.message}; ${advice.correctRegion}`, {
      status,
      code,
      isRetryable,
      isNowhere: true,
    });
  }
  const { name, Code, message, $metadata, $fault, $response } = (error ?? {}) as Partial<ServiceException>;
  if ($fault === undefined || $metadata?.httpStatusCode === undefined) {
    const answered = $response?.statusCode ?? 0;
    if (answered < 300) return unanswered(error, context, where);
    return new CloudError(`cannot ${what}: ${where}, or a gateway before it, answered (${answered})`, {
      status: answered,
      code: `Http${answered}`,
      isRetryable: answered === 408 || answered === 429 || answered >= 500,
    });
  }
  const { httpStatusCode: status, requestId } = $metadata;
  const code = [Code, name].find((word) => word !== undefined && /^\w[\w.-]{0,99}$/.test(word));
  // An answer that is not in AWS's format may come from a gateway.
  const isAws = code !== undefined && code !== 'UnknownError' && code !== 'Unknown' && code !== 'Error';
  const reported = isAws && message ? stable(plainWords(message), secrets) : '';
  const field = isAws ? fieldIn(`${code} ${reported}`, context.fields) : undefined;
  // A rate limit is no quota: it ends without a change by a user.
  const isThrottled = failure?.type === 'THROTTLING';
  const hint = isAws && !isThrottled ? hints.find(([codes]) => codes.test(code))?.[1] : undefined;
  const action = context.action === undefined || reported.includes(context.action) ? 'it' : context.action;
  const { areTakenElsewhere: isRegion = false } = context;
  const fieldAdvice = field === undefined ? undefined : adviceTo(field, context);
  const todo = isRegion
    ? [advice.changeRegion]
    : [fieldAdvice && textOf(fieldAdvice), hint?.(action)].filter((one) => one !== undefined);
  const reason = isThrottled
    ? 'is limiting requests'
    : isAws
      ? 'refused'
      : ', or a gateway before it, answered';
  const sentence = [
    `cannot ${what}: ${where}${reason.startsWith(',') ? '' : ' '}${reason} (${status}${isAws ? ` ${code}` : ''})`,
    reported === '' ? '' : `: ${reported.replace(/\.$/, '')}`,
    todo.length === 0 ? '' : `; ${todo.join(', and ')}`,
  ].join('');
  const retryAfterMs = failure?.retryAfter && Math.max(0, failure.retryAfter.getTime() - nowMs);
  return new CloudError(sentence, {
    // EC2 answers 401 if it refuses the credentials.
    status: isRegion ? 403 : status,
    code: isRegion ? regionRefused : isAws ? code : `Http${status}`,
    isRetryable: isThrottled || failure?.type === 'TRANSIENT' || status >= 500,
    retryAfterMs,
    requestId,
    isNowhere: isRegion,
    errorClass: isRegion ? 'Invalid' : isThrottled ? 'Throttled' : classOf(isAws ? code : '', status),
    advice: isRegion ? adviceTo('region', { ...context, signingRegion: undefined }) : fieldAdvice,
  });
}

const classOf = (code: string, status: number): ExternalErrorClass =>
  classes.find(([codes]) => codes.test(code))?.[1] ?? classOfStatus(status);

/** A CloudError for an error that is no answer: there were no credentials, or the answer cannot be parsed. */
function unanswered(error: unknown, context: AwsErrorContext, where: string): CloudError {
  const { what, secrets } = context;
  const { name = '', message = String(error) } = error instanceof Error ? error : {};
  const reported = stable(message, secrets);
  if (/CredentialsProviderError|TokenProviderError/.test(name)) {
    return new CloudError(`cannot ${what}: there are no credentials for ${where}: ${reported}`, {
      status: 0,
      code: 'NoCredentials',
      isRetryable: true,
    });
  }
  if ((error as Partial<ServiceException>).$response !== undefined) {
    return new CloudError(`cannot ${what}: ${where} answered with something that makes no sense`, {
      status: 200,
      code: 'InvalidAnswer',
      isRetryable: false,
    });
  }
  return new CloudError(`cannot ${what}: the request to ${where} could not be made: ${reported}`, {
    status: 0,
    code: 'InvalidRequest',
    isRetryable: false,
  });
}

/** Removes parts that only AWS can read, and parts that differ each time. */
const plainWords = (message: string): string =>
  message.replace(/\s*Encoded authorization failure message:.*$/s, '').trim();

/** The field of `forProvider` that a refusal names, if any. */
function fieldIn(reported: string, fields: Readonly<Record<string, RegExp>> = {}): string | undefined {
  return Object.entries(fields).find(([, names]) => names.test(reported))?.[0];
}
