/**
 * The fields of the caller's own user record that rules ask for (`caller('teamId')`). The log-in is
 * there only where its address is proven: a stranger may sign up with the address of another.
 */
import type { CallerSource } from '../caller-source.ts'
import type { IdentityTables } from '../identity-tables.ts'
import { isUnproven } from '../recovery/one-time-tokens.ts'

type OwnFactsDeps = Pick<IdentityTables, 'login' | 'oneTimeToken'> & {
  /** The fields that rules ask for. */
  readonly names: readonly string[]
}

/** None where no rule asks for one. */
export function ownFacts({ login: { mark, resource }, oneTimeToken, names }: OwnFactsDeps): readonly CallerSource[] {
  if (names.length === 0) return []
  const stored = names.filter((name) => resource.storedNames.includes(name))
  const asksForLogin = stored.includes(mark.login)
  const notes = asksForLogin ? oneTimeToken : undefined
  return [
    {
      tables: notes ? [{ resource: notes.resource, owner: notes.mark.owner, fields: [notes.mark.purpose] }] : [],
      async read(storage, { principal, user }) {
        // Where no mail can prove an address, none is proven.
        const isProven =
          notes !== undefined && (await storage.count(notes.resource, isUnproven(notes, principal.userId))) === 0
        const known = stored.filter((name) => (name !== mark.login || isProven) && (user?.[name] ?? null) !== null)
        return { user: Object.fromEntries(known.map((name) => [name, user?.[name]])) }
      },
    },
  ]
}
