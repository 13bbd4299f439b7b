import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { LocalAwsOptions } from '../../../../stacks/aws/emulator/server.ts';
import { startAws } from '../../../../stacks/aws/emulator/server.ts';

/** The configuration of every official client. */
export interface ClientConfig {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts: number;
}

/** The reply of a new emulator to an official client, or its error. Rejects with any other error. */
export async function answerOf<C extends { destroy(): void }, T>(
  clientOf: (config: ClientConfig) => C,
  ask: (client: C) => Promise<T>,
  options: LocalAwsOptions = {},
): Promise<unknown> {
  await using aws = await startAws(options);
  const client = clientOf({
    region: 'us-west-1',
    endpoint: aws.url,
    credentials: { ...exampleAccount },
    maxAttempts: 1,
  });
  try {
    return await ask(client);
  } catch (error) {
    const { name, message, $metadata } = error as {
      readonly name: string;
      readonly message: string;
      readonly $metadata?: { readonly httpStatusCode?: number };
    };
    if ($metadata === undefined) throw error;
    return { name, message, status: $metadata.httpStatusCode };
  } finally {
    client.destroy();
  }
}
