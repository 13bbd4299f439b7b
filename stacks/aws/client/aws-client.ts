/*
 *   stacks/aws ──▶ call({ service: 'ec2', region, … }) ──▶ the official client, loaded when the first such call is made
 *                                 │                                     │
 *          tried again here, by our clock ◀── sdk-failures.ts ◀─────────┤
 *                                                                       ▼
 *                               the connections of the process ◀── sdk-request-handler.ts
 */

import type { EC2 } from '@aws-sdk/client-ec2';
import type { EKS } from '@aws-sdk/client-eks';
import type { RDS } from '@aws-sdk/client-rds';
import type { SQS } from '@aws-sdk/client-sqs';
import type { STS, STSClientConfig } from '@aws-sdk/client-sts';
import type { Carrier, ClientClock } from '../../../package/http.ts';
import { CloudError, HaltedError, invalidAnswer, keepAliveConnections } from '../../../package/http.ts';
import type { AwsCredentials } from './aws-credentials.ts';
import type { AwsEndpoint } from './aws-endpoint.ts';
import { endpointUrl } from './aws-endpoint.ts';
import { awsError, isUntaken } from './aws-error.ts';
import { sdkFailures } from './sdk-failures.ts';
import { sdkRequestHandler } from './sdk-request-handler.ts';

/** The official clients, by the names of their services in the scope of a signature. */
interface Sdks {
  readonly ec2: EC2;
  readonly eks: EKS;
  readonly rds: RDS;
  readonly sqs: SQS;
  readonly sts: STS;
}
type AwsService = keyof Sdks;

/** The options of every official client. */
type SdkConfig = Pick<
  STSClientConfig,
  | 'region'
  | 'endpoint'
  | 'credentials'
  | 'requestHandler'
  | 'retryStrategy'
  | 'maxAttempts'
  | 'customUserAgent'
>;
type Construct<T> = new (config: SdkConfig) => T;

/**
 * Loads a service's client at its first call. A process that does not use AWS loads no client. The clients are CommonJS: in
 * the bundle such a module has its default export only.
 */
const load: { readonly [S in AwsService]: () => Promise<Construct<Sdks[S]>> } = {
  ec2: async () => (await import('@aws-sdk/client-ec2')).default.EC2,
  eks: async () => (await import('@aws-sdk/client-eks')).default.EKS,
  rds: async () => (await import('@aws-sdk/client-rds')).default.RDS,
  sqs: async () => (await import('@aws-sdk/client-sqs')).default.SQS,
  sts: async () => (await import('@aws-sdk/client-sts')).default.STS,
};

export interface AwsClientOptions extends AwsCredentials {
  readonly parameters: {
    /** The region of resources that name none. */
    readonly region?: string;
    readonly endpoint?: AwsEndpoint;
  };
  /** Default: a pool of its own. */
  readonly dispatcher?: Carrier;
  readonly clock: ClientClock;
  /** Uniform in [0, 1): spreads attempts. */
  readonly random: () => number;
  /** Timeout of one attempt in milliseconds; default 10 000. */
  readonly timeoutMs?: number;
  /** Default 4. */
  readonly maxAttempts?: number;
}

/** One call of one service. */
interface AwsCall<S extends AwsService, O> {
  readonly service: S;
  /** Default: the provider's region. */
  readonly region?: string | undefined;
  /** For messages: `create VPC`. */
  readonly what: string;
  /**
   * Whether the call may be repeated: it reads, deletes or sets something, or creates with an idempotency token. Other
   * calls are repeated only if it is certain that AWS did not carry them out.
   */
  readonly isRepeatable: boolean;
  /** Secrets besides the credentials that no message may contain: the passwords in the request. */
  readonly secrets?: readonly string[];
  /** Fields of `forProvider`, by the pattern that finds them in AWS's refusals: `{ cidrBlock: /cidr/i }`. */
  readonly fields?: Readonly<Record<string, RegExp>>;
  /** Codes of temporary refusals: a resource that was just created is not visible everywhere at once. */
  readonly notYet?: RegExp;
  /** Calls the official client once. */
  run(sdk: Sdks[S], options: { readonly abortSignal: AbortSignal }): Promise<O>;
}

/** A client of AWS with one access key. */
export interface AwsClient {
  /** The region of a resource: its own, or else the provider's. Throws CloudError if both are absent. */
  regionOf(region: string | undefined): string;
  /**
   * The region that requests about this resource reach. An endpoint without a region serves the region that requests
   * are signed for.
   */
  regionLedTo(region: string | undefined): string;
  /**
   * The account of the credentials. STS is asked in the provider's region and in a region that every account has.
   * Undefined: no region accepts the credentials, or none answers. Throws the signal's reason.
   */
  accountAtHome(region: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Makes one call. Tries again where that is safe and may help: while AWS throttles, and after temporary failures.
   * Throws CloudError, or the signal's reason.
   */
  call<S extends AwsService, O>(call: AwsCall<S, O>, signal: AbortSignal): Promise<O>;
  /** Makes one request to STS, in the provider's region if it has one. Throws CloudError if it refuses the credentials. */
  checkCredentials(signal: AbortSignal): Promise<void>;
  /** The number of the account that owns the credentials, from one request to the region's own STS. */
  account(region: string | undefined, signal: AbortSignal): Promise<string>;
}

/** The longest wait before another attempt. If a service asks for a longer wait, there is no other attempt. */
const maxWaitMs = 5_000;
const firstWaitMs = 100;
/** AWS refills its rate limits every second, and shows new resources about as fast. */
const firstSlowWaitMs = 500;

export function awsClient(options: AwsClientOptions): AwsClient {
  const { accessKey, parameters, clock, random, timeoutMs = 10_000, maxAttempts = 4 } = options;
  const { dispatcher = keepAliveConnections() } = options;
  const { endpoint } = parameters;
  const requestHandler = sdkRequestHandler({ dispatcher, clock, timeoutMs });
  const failures = sdkFailures();
  const known = accessKey === undefined ? [] : [accessKey.secretAccessKey, accessKey.sessionToken ?? ''];
  const sdks = new Map<string, Promise<unknown>>();
  let account: string | undefined;
  const signedFor = (region: string): string => endpoint?.signingRegion || region;

  function sdkOf<S extends AwsService>(service: S, region: string): Promise<Sdks[S]> {
    const key = `${service} ${region}`;
    const held = sdks.get(key) as Promise<Sdks[S]> | undefined;
    if (held !== undefined) return held;
    const made = (async () => {
      const url = endpointUrl(endpoint, { service, region });
      const Sdk = await load[service]();
      const sdk = new Sdk({
        region: signedFor(region),
        ...(url !== undefined && { endpoint: url }),
        // A copy, because the SDK writes into it.
        ...(accessKey !== undefined && { credentials: { ...accessKey } }),
        requestHandler,
        retryStrategy: failures.strategy,
        maxAttempts: 1,
        customUserAgent: 'services-stack',
      });
      failures.watch(sdk as unknown as Sdks['sts']);
      return sdk;
    })();
    sdks.set(key, made);
    made.catch(() => sdks.delete(key));
    return made;
  }

  const client: AwsClient = {
    regionOf(given) {
      const region = given ?? parameters.region;
      if (region !== undefined) return region;
      throw new CloudError('spec.forProvider.region is needed: the provider names no region', {
        status: 0,
        code: 'NoRegion',
        isRetryable: false,
      });
    },

    regionLedTo(given) {
      const signed = endpoint?.url.type === 'Static' && endpoint.signingRegion;
      return signed || client.regionOf(given);
    },

    async accountAtHome(given, signal) {
      const region = client.regionOf(given);
      const homes = parameters.region === undefined ? homesOf(region) : [parameters.region];
      for (const home of homes.filter((each) => each !== region)) {
        try {
          const sts = await sdkOf('sts', home);
          const { Account } = await sts.getCallerIdentity({}, { abortSignal: signal });
          if (Account === undefined) continue;
          account = Account;
          return Account;
        } catch {
          signal.throwIfAborted();
        }
      }
      return undefined;
    },

    async call({ service, what, isRepeatable, run, fields, notYet, secrets = [], region: given }, signal) {
      const region = client.regionOf(given);
      let before: CloudError | undefined;
      for (let attempt = 1; ; attempt += 1) {
        signal.throwIfAborted();
        try {
          return await run(await sdkOf(service, region), { abortSignal: signal });
        } catch (error) {
          // An abort ends the call, whatever error the official client reports for it.
          signal.throwIfAborted();
          const failure = failures.of(error);
          const action = failures.actionOf(error);
          const context = {
            ...(action !== undefined && { action: `${service}:${action}` }),
            service,
            what,
            fields,
            failure,
            region: signedFor(region),
            secrets: [...known, ...secrets],
            url: endpointUrl(endpoint, { service, region }),
            signingRegion: endpoint?.signingRegion,
            nowMs: clock.now().getTime(),
          };
          const translated = awsError(error, context);
          // If an account has not enabled a region, AWS refuses it with the code for wrong credentials.
          const areTakenElsewhere =
            isUntaken(translated) &&
            endpoint?.signingRegion === undefined &&
            (await client.accountAtHome(region, signal)) !== undefined;
          const refusal = areTakenElsewhere ? awsError(error, { ...context, areTakenElsewhere }) : translated;
          // guard: otherwise an uncertain creation counts as not sent
          if (refusal instanceof HaltedError) throw new HaltedError(refusal.cause, before);
          before = refusal;
          const isThrottled = failure?.type === 'THROTTLING';
          const isUndone = isThrottled || refusal.code === 'Unreachable';
          // guard: otherwise it gives up while a new resource is not shown everywhere
          const isEarly = notYet?.test(refusal.code) === true;
          // guard: otherwise it creates a second one after a lost answer
          const mayRepeat = isUndone || isEarly || (isRepeatable && refusal.isRetryable);
          if (!mayRepeat || attempt >= maxAttempts) throw refusal; // guard: otherwise it repeats without end
          const firstMs = isThrottled || isEarly ? firstSlowWaitMs : firstWaitMs;
          // guard: otherwise it repeats before AWS permits it
          const waitMs = refusal.retryAfterMs ?? firstMs * 2 ** (attempt - 1) * (1 + random());
          if (waitMs > maxWaitMs) throw refusal; // guard: otherwise a run waits for long
          await clock.sleep(waitMs, signal); // guard: otherwise it repeats without a wait
        }
      }
    },

    async checkCredentials(signal) {
      account = await requestAccount(undefined, signal);
    },

    async account(region, signal) {
      account ??= await requestAccount(region, signal);
      return account;
    },
  };
  return client;

  /** Asks STS for the account, with one request in the given region, or else in the provider's. */
  async function requestAccount(region: string | undefined, signal: AbortSignal): Promise<string> {
    const what = 'find out the account of the credentials';
    const { Account } = await client.call(
      {
        service: 'sts',
        region: region ?? parameters.region ?? 'us-east-1',
        what,
        isRepeatable: true,
        ...(region !== undefined && { fields: { region: /valid region/i } }),
        run: (sts, http) => sts.getCallerIdentity({}, http),
      },
      signal,
    );
    if (Account === undefined) throw invalidAnswer(`cannot ${what}: the answer names none`);
    return Account;
  }
}

/**
 * Regions that every account has. One is in the same partition of AWS as the given region, because accounts belong to
 * one partition. The other is in the largest partition, because a user may have named a wrong partition.
 */
function homesOf(region: string): readonly string[] {
  if (region.startsWith('cn-')) return ['cn-north-1', 'us-east-1'];
  return region.startsWith('us-gov-') ? ['us-gov-west-1', 'us-east-1'] : ['us-east-1'];
}
