/** A foreign text in which each of the secrets is replaced, if the text contains it. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '***')), text);
