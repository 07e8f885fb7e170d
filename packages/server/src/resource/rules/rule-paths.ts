/**
 * How the type of a rule names what it mentions in other places. `orderId.userId`: a field of the
 * record that a reference names. `/members.userId`: a field of the records below. `caller:email`:
 * a field of users, which means the same wherever it stands.
 */

/** The fields and paths `X` of a rule, seen from the record whose `K` leads there. */
export type BelowPath<K extends string, X extends string> = X extends `${'caller' | 'member'}:${string}`
  ? X
  : `${K}.${X}`
