/**
 * Which roles a caller may give, by whatever rule they write users: none above their own, and a key that is cut down gives none. It looks at
 * what was sent; defaults and the application's own code are the application's to decide.
 */
import { forbidden } from '../../policy/judge.ts'
import type { Sent } from '../../record/asked.ts'
import type { Step } from '../../record/stages.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import { rolesFrom } from '../../resource/accounts/roles.ts'
import type { Catalog, Marked } from '../../resource/catalog.ts'

type Known = Pick<Catalog, 'roles'> & { readonly login: Marked<LoginMark> }

/** Callers without a role, as at a sign-up, may give the lowest. */
export function givenRoles({ login: { resource, mark }, roles }: Known): Step {
  const mayGive = (caller: Sent['caller'], role: unknown) =>
    role === roles.lowest || (caller.kind === 'user' && roles.reaches(caller.role, String(role)))
  return {
    name: 'given roles',
    resources: [resource],
    check({ caller, values, before }) {
      if (!Object.hasOwn(values, mark.role) || (caller.kind === 'user' && caller.via === 'console')) return
      if (caller.kind === 'user' && caller.via === 'key' && caller.scopes !== null) throw forbidden()
      const role = values[mark.role]
      if (typeof role !== 'string' || role === before?.[mark.role] || mayGive(caller, role)) return
      throw forbidden(undefined, rolesFrom(roles, role))
    },
  }
}
