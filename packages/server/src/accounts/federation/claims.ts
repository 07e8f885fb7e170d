/** Reads claims of an issuer's token by name or path. */

export type ForeignClaims = Readonly<Record<string, unknown>>

/** `realm_access.roles` is a path, unless a claim has exactly that name. */
export function claimAt(claims: ForeignClaims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let found: unknown = claims
  for (const name of path.split('.')) {
    const table = found as ForeignClaims | null | undefined
    found = typeof table === 'object' && table !== null && Object.hasOwn(table, name) ? table[name] : undefined
  }
  return found
}

/** Whether the claim is that value, or has it among others. `*` for any. */
export function claimIs(claims: ForeignClaims, path: string, value: string): boolean {
  const found = claimAt(claims, path)
  if (value === '*') return found !== undefined && found !== null
  return [found].flat().some((one) => ['string', 'number', 'boolean'].includes(typeof one) && String(one) === value)
}
