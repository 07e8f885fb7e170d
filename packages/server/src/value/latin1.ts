/**
 * Bytes kept as a text of one character each (ISO 8859-1). V8 keeps such texts among its own
 * objects: thousands of them cost little, and the garbage collector moves them together.
 */
export type Latin1 = { readonly latin1: string }

/**
 * Copies a text of characters below U+0100 into one flat string. V8 joins a concatenated string
 * again each time it is sent, and a substring keeps the whole text in memory.
 */
export const inOnePiece = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
