/**
 * Bytes, each as a character of a text (ISO 8859-1). Such a text lies among JavaScript's own objects: thousands of them are cheap to keep, and are
 * moved together when others go.
 */
export type Latin1 = { readonly latin1: string }
