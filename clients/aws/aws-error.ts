import { CloudError } from '../cloud-error.ts';
import type { Advice, ExternalErrorClass } from '../external-error.ts';
import { classOfStatus } from '../external-error.ts';
import { stable, transportFailure } from '../http-failure.ts';
import type { SdkFailure } from './sdk-failures.ts';
import { NoAnswer } from './sdk-request-handler.ts';

/** What a failed call was about. */
export interface AwsErrorContext {
  /** `ec2`. */
  readonly service: string;
  readonly region: string;
  /** What IAM calls it, where it is known: `ec2:RunInstances`. */
  readonly action?: string | undefined;
  /** For messages: `get VPC "vpc-1"`. */
  readonly what: string;
  /** Where it was sent, if not to AWS's own address. */
  readonly url?: string | undefined;
  /** Never to appear in a message. */
  readonly secrets: readonly string[];
  /** Fields of `forProvider`, by what AWS calls them in its messages and codes. */
  readonly fields?: Readonly<Record<string, RegExp>> | undefined;
  /** What requests are signed for, where the provider says so. */
  readonly signingRegion?: string | undefined;
  /** The same credentials are taken elsewhere, so that it is the region. */
  readonly areTakenElsewhere?: boolean;
  /** What the official client makes of the error. */
  readonly failure?: SdkFailure | undefined;
  readonly nowMs: number;
}

/** An answer that says no, as the official client throws it. */
interface ServiceException {
  /** AWS's own code. */
  readonly name: string;
  /** The same, where the protocol tells it apart from what the client calls the error. */
  readonly Code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $fault?: string;
  /** As it came, also where the official client can make nothing of it. */
  readonly $response?: { readonly statusCode?: number };
}

/** What AWS says of credentials that it does not take: also where only the region does not know them. */
const untaken =
  /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|InvalidAccessKeyId|ExpiredToken(Exception)?|MissingAuthenticationToken|IncompleteSignature|OptInRequired)$/;

/** Whether it was refused because of the credentials, or of the region that it was signed for: AWS says the same of both. */
export const isUntaken = ({ code }: CloudError): boolean => untaken.test(code);

/** The code of a refusal by a region that the account does not have: the credentials are good. */
const regionRefused = 'RegionRefused';

const otherRegion =
  'the credentials are good elsewhere: change spec.forProvider.region, or enable that region for the account';

const forbidden =
  /^(UnauthorizedOperation|AccessDenied(Exception)?|Client\.UnauthorizedOperation|NotAuthorized)$/;
const quota =
  /(LimitExceeded|QuotaExceeded|QuotaExceededFault|LimitExceededException|InsufficientFreeAddressesInSubnet)$|^(MaxSpotInstanceCountExceeded|SubnetLimitExceeded|Insufficient\w*Capacity)/;

/** The classes of AWS's codes. The first line that matches counts; the HTTP status decides about all other codes. */
const classes: readonly (readonly [code: RegExp, errorClass: ExternalErrorClass])[] = [
  [untaken, 'CredentialsRefused'],
  [forbidden, 'Forbidden'],
  [quota, 'QuotaExceeded'],
  [/(AlreadyExists(Fault|Exception)?|\.Duplicate)$|^(ResourceInUseException|QueueNameExists)$/, 'Conflict'],
  [
    /^(DependencyViolation|Incorrect(Instance)?State|InvalidDB(Instance|SubnetGroup)State(Fault)?|QueueDeletedRecently|OperationAborted)$/,
    'NotReady',
  ],
];

/** Where a field stands; that of the region that requests are signed for is the provider's, if it says one. */
const adviceTo = (field: string, { signingRegion }: AwsErrorContext): Advice =>
  field === 'region' && signingRegion !== undefined
    ? { kinds: ['ChangeProvider'], fields: ['spec.endpoint.signingRegion'] }
    : { kinds: ['ChangeFields'], fields: [`spec.forProvider.${field}`] };

const textOf = ({ kinds, fields = [] }: Advice): string =>
  `change ${fields.join(' and ')}${kinds.includes('ChangeProvider') ? ' of the provider' : ''}`;

/** What somebody can do about a refusal, by AWS's code for it. */
const hints: readonly (readonly [code: RegExp, what: string])[] = [
  [
    untaken,
    'check the access key that the credentials of the provider hold, and the region (spec.forProvider.region, or that of the provider): its account must have it',
  ],
  [forbidden, 'the IAM policies of the credentials must allow ACTION'],
  [quota, 'delete what is not used, or ask AWS for a higher quota'],
];

/** Limits of requests, which pass, are no quotas, which stay. */
const throttling =
  /^(RequestLimitExceeded|Throttling|ThrottlingException|RequestThrottled|TooManyRequestsException)$/;

/**
 * A CloudError with one clear sentence: what was tried, AWS's own code and reason, and what to do about it where that is
 * known. The id of the request is beside it, and never within.
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
    // AWS's own addresses are made of the names of regions: there is none of one that there is not.
    if (url !== undefined || !/name not found$/.test(failed.message)) return failed;
    const { status, code, isRetryable } = failed;
    return new CloudError(`${failed.message}; check spec.forProvider.region`, {
      ...{ status, code, isRetryable },
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
  // What does not answer in AWS's words may be a gateway before it.
  const isAws = code !== undefined && code !== 'UnknownError' && code !== 'Unknown' && code !== 'Error';
  const said = isAws && message ? stable(plainWords(message), secrets) : '';
  const field = isAws ? fieldIn(`${code} ${said}`, context.fields) : undefined;
  const isThrottled = failure?.type === 'THROTTLING' || (isAws && throttling.test(code));
  const hint = isAws && !isThrottled ? hints.find(([codes]) => codes.test(code))?.[1] : undefined;
  const action = context.action === undefined || said.includes(context.action) ? 'it' : context.action;
  const { areTakenElsewhere: isRegion = false } = context;
  const fieldAdvice = field === undefined ? undefined : adviceTo(field, context);
  const todo = isRegion
    ? [otherRegion]
    : [fieldAdvice && textOf(fieldAdvice), hint?.replace('ACTION', action)].filter(
        (one) => one !== undefined,
      );
  const reason = isThrottled
    ? 'is limiting requests'
    : isAws
      ? 'refused'
      : ', or a gateway before it, answered';
  const sentence = [
    `cannot ${what}: ${where}${reason.startsWith(',') ? '' : ' '}${reason} (${status}${isAws ? ` ${code}` : ''})`,
    said === '' ? '' : `: ${said.replace(/\.$/, '')}`,
    todo.length === 0 ? '' : `; ${todo.join(', and ')}`,
  ].join('');
  const retryAfterMs = failure?.retryAfter && Math.max(0, failure.retryAfter.getTime() - nowMs);
  return new CloudError(sentence, {
    // EC2 refuses with 401, which is about credentials.
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

/** An error that is no answer: there were no credentials, or the answer made no sense. */
function unanswered(error: unknown, context: AwsErrorContext, where: string): CloudError {
  const { what, secrets } = context;
  const { name = '', message = String(error) } = error instanceof Error ? error : {};
  const said = stable(message, secrets);
  if (/CredentialsProviderError|TokenProviderError/.test(name)) {
    return new CloudError(`cannot ${what}: there are no credentials for ${where}: ${said}`, {
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
  return new CloudError(`cannot ${what}: the request to ${where} could not be made: ${said}`, {
    status: 0,
    code: 'InvalidRequest',
    isRetryable: false,
  });
}

/** Without what only AWS can read, and what differs each time. */
const plainWords = (message: string): string =>
  message.replace(/\s*Encoded authorization failure message:.*$/s, '').trim();

/** The field of `forProvider` that a refusal is about, if it names one. */
function fieldIn(said: string, fields: Readonly<Record<string, RegExp>> = {}): string | undefined {
  return Object.entries(fields).find(([, names]) => names.test(said))?.[0];
}
