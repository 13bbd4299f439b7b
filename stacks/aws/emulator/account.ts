/** An account of the cloud, and its access key. */
export interface Account {
  /** Twelve digits. */
  readonly id: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Present with temporary credentials. */
  readonly sessionToken?: string;
  /** Actions that the policies of the account deny, for example `ec2:CreateVpc`; `ec2:*` is all of a service. */
  readonly denied?: readonly string[];
}

/** The key of AWS's own examples. */
export const exampleAccount: Account = {
  id: '123456789012',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

/** The access key as `~/.aws/credentials` has it. */
export const credentialsFile = ({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: Pick<Account, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>): string =>
  [
    '[default]',
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
    ...(sessionToken === undefined ? [] : [`aws_session_token = ${sessionToken}`]),
    '',
  ].join('\n');

export const arnOf = ({ id }: Account): string => `arn:aws:iam::${id}:user/crossplane`;

export const isDenied = ({ denied = [] }: Account, action: string): boolean =>
  denied.includes(action) || denied.includes(`${action.split(':')[0]}:*`);
