/**
 * Limits the roles that a caller may give, whichever rule lets it write users: none above its own,
 * and a limited key gives none. Without an order, a role is above that has an ability which the
 * caller lacks. No caller changes the role, status, log-in, password or account of a user above it.
 * It checks sent values only. The application decides about defaults, its own code and cascades.
 */
import { forbidden } from '../../policy/judge.ts'
import type { StageInput } from '../../record/requested-write.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable } from '../../resource/catalog.ts'
import { always, any, equal, not } from '../../resource/condition.ts'
import { isAtConsole } from '../../resource/principal.ts'
import { rolesFrom } from '../../resource/rules/role-order.ts'

type RoleDeps = Pick<Catalog, 'roles'> & { readonly login: MarkedTable<LoginMark> }

/** Callers without a role, as at a sign-up, may give the lowest. */
export function checkGrantedRoles({ login: { resource, mark }, roles }: RoleDeps): WriteStep {
  const mayGive = (caller: StageInput['caller'], role: unknown) =>
    roles.reaches(roles.lowest, String(role)) || (caller.kind === 'user' && roles.reaches(caller.role, String(role)))
  const guarded = [mark.role, ...(mark.status === undefined ? [] : [mark.status]), ...resource.traits.credentials]
  /** A caller may change its own account, and the operator at the console is above all. */
  function isAbove({ caller, before }: Pick<StageInput, 'caller' | 'before'>): boolean {
    if (!before || caller.kind !== 'user' || caller.via === 'console') return false
    const held = String(before[mark.role])
    return before[resource.idField] !== caller.userId && roles.names.includes(held) && !roles.reaches(caller.role, held)
  }
  /** Whether the caller changes the role, the status or the credentials of a user above them. */
  function reachesUp({ caller, values, before }: StageInput): boolean {
    return (
      isAbove({ caller, before }) &&
      guarded.some((name) => Object.hasOwn(values, name) && values[name] !== before?.[name])
    )
  }
  const refused = (before: StageInput['before']) => forbidden(undefined, rolesFrom(roles, String(before?.[mark.role])))
  function checkRoles(sent: StageInput): void {
    const { caller, values, before } = sent
    if (isAtConsole(caller)) return
    if (reachesUp(sent)) throw refused(before)
    if (!Object.hasOwn(values, mark.role)) return
    if (caller.kind === 'user' && caller.via === 'key' && caller.scopes !== null) throw forbidden()
    const role = values[mark.role]
    if (typeof role !== 'string' || role === before?.[mark.role] || mayGive(caller, role)) return
    throw forbidden(undefined, rolesFrom(roles, role))
  }
  return {
    name: 'granted roles',
    resources: [resource],
    allows({ caller, operation }) {
      if (operation !== 'delete' || caller.kind !== 'user' || caller.via === 'console') return always
      const above = roles.names.filter((one) => !roles.reaches(caller.role, one))
      return any(equal(resource.idField, caller.userId), not({ kind: 'in', field: mark.role, values: above }))
    },
    check: checkRoles,
    mayRemove(sent) {
      if (isAbove(sent)) throw refused(sent.before)
    },
    limit: {
      at: 'limits.grantedRoles',
      words: 'no role above its own, and no user above it',
      kinds: ['create', 'replace', 'update', 'delete'],
      check(sent) {
        if (sent.kind !== 'delete') checkRoles(sent)
        else if (isAbove(sent)) throw refused(sent.before)
      },
    },
  }
}
