/** A time as Kubernetes writes it (metav1.Time): RFC 3339 in whole seconds; the API server refuses fractions in places. */
export const timestamp = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');
