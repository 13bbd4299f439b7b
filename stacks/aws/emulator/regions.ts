/** The regions that every account has without asking for them. */
export const regions: ReadonlySet<string> = new Set([
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-central-1', 'eu-north-1', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
]);
