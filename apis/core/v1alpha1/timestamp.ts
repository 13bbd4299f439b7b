/** A time in metav1.Time's format: RFC 3339 in whole seconds. The API server refuses fractions in some fields. */
export const timestamp = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');
