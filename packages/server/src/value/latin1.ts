/**
 * Bytes, each as a character of a text (ISO 8859-1). Such a text lies among JavaScript's own
 * objects: thousands of them are cheap to keep, and are moved together when others go.
 */
export type Latin1 = { readonly latin1: string }

/**
 * The same text, of characters below U+0100, in one piece: one that was joined is joined again each
 * time it is sent, and one that was cut holds the whole.
 */
export const inOnePiece = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
