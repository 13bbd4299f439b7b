/** How many there may be of something in an account and region: AWS's own limits, where nobody says otherwise. */
export const defaultQuotas = { vpc: 5, subnet: 200, instance: 32, 'db-instance': 40, nodegroup: 30 } as const;

export type QuotaName = keyof typeof defaultQuotas;
