/** The advice in errors of Google Cloud. A test does what each piece says (docs/decisions/0059). */
export const advice = {
  replaceKey: "put a valid key of that service account into the provider's secret",
  correctProject: 'check spec.projectID of the ProviderConfig',
} as const;
