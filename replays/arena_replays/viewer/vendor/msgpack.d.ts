export function decode(data: Uint8Array, options?: Record<string, unknown>): any;
