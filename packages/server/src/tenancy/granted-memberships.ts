/**
 * Limits the roles that a member may give, whichever rule lets it write memberships: none above its
 * own. No member changes or removes a membership above it. A caller from outside gives the lowest
 * role alone, as someone who joins does. Callers above tenants have no limit.
 */
import { forbidden } from '../policy/judge.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import { always, equal, type Scalar } from '../resource/condition.ts'
import type { Principal, UserPrincipal } from '../resource/principal.ts'
import type { MemberTable, Tenancy } from '../resource/tenancy/tenancies.ts'
import type { Values } from '../storage/storage.ts'
import type { IsAboveTenants } from './above-tenants.ts'
import { grantable } from './grantable-memberships.ts'

/** The role of the caller in this tenant or group; undefined where it is no member. */
function heldIn({ of }: MemberTable, caller: Principal, id: unknown): string | undefined {
  const held = caller.kind === 'user' ? caller.memberships?.[of.name] : undefined
  return held?.find((one) => String(one.id) === String(id))?.role
}

/** The tenant that a membership of a group leads to. */
async function tenantOf(
  tx: Pick<RecordTransaction, 'find' | 'catalog'>,
  { resource }: MemberTable,
  row: Values,
): Promise<unknown> {
  let at = resource
  let values: Values | undefined = row
  for (const field of resource.tenant?.path ?? []) {
    const id: unknown = values?.[field]
    const target = tx.catalog.get(at.fields[field]?.reference?.resource ?? '')
    if (tx.catalog.tenancies.has(target.name)) return id
    values = id === null ? undefined : (await tx.find(target, equal(target.idField, id as Scalar)))?.row
    at = target
  }
  return undefined
}

/** Whether a caller may give or take a role in one place. */
type MayGive = (role: unknown) => boolean
type MembershipReader = Pick<RecordTransaction, 'find' | 'catalog'>
type Grants = (tx: MembershipReader, caller: UserPrincipal, row: Values) => MayGive | Promise<MayGive>

function grantsInTenant(members: MemberTable, caller: UserPrincipal, row: Values): MayGive {
  const { by, roles } = members
  const held = heldIn(members, caller, row[by])
  if (held === undefined) return (role) => role === roles.lowest
  return (role) => roles.reaches(held, String(role))
}

/**
 * In a group a member gives no role above its own, unless it has the highest role of the tenant.
 * Callers who are no member of the group do what the rules of memberships allow.
 */
function grantsInGroup(group: MemberTable, { members }: Tenancy): Grants {
  const { by, roles } = group
  return async (tx, caller, row) => {
    const held = heldIn(group, caller, row[by])
    if (held === undefined) return () => true
    const isHighest = heldIn(members, caller, await tenantOf(tx, group, row)) === members.roles.highest
    return (role) => isHighest || roles.reaches(held, String(role))
  }
}

/** The operations that a membership above the caller refuses. */
const guarded: readonly string[] = ['replace', 'update', 'delete']

type ChangedMembership = { readonly caller: Principal; readonly values: Values; readonly before: Values }

type GrantDeps = { readonly catalog: Catalog; readonly tenancy: Tenancy; readonly isAbove: IsAboveTenants }

export function checkGrantedMemberships(table: MemberTable, { catalog, tenancy, isAbove }: GrantDeps): WriteStep {
  const { resource, by, role, user } = table
  const isOfTenant = table === tenancy.members
  const grantsOf: Grants = isOfTenant
    ? (_tx, caller, row) => grantsInTenant(table, caller, row)
    : grantsInGroup(table, tenancy)

  /** Throws `forbidden` where the caller may not give or take the role of this membership. */
  async function checkGrant(tx: MembershipReader, caller: Principal, row: Values): Promise<void> {
    if (isAbove(caller)) return
    if (caller.kind !== 'user') throw forbidden()
    const mayGive = await grantsOf(tx, caller, row)
    if (!mayGive(row[role])) throw forbidden()
  }
  async function checkChange(tx: MembershipReader, { caller, values, before }: ChangedMembership): Promise<void> {
    if (!isOwn(caller, before)) await checkGrant(tx, caller, before)
    const isGiven = [role, by].some((name) => values[name] !== undefined && values[name] !== before[name])
    if (isGiven) await checkGrant(tx, caller, { ...before, ...values })
  }
  const isOwn = (caller: Principal, row: Values) => caller.kind === 'user' && row[user] === caller.userId
  return {
    name: 'granted memberships',
    resources: [resource],
    allows: ({ caller, operation }) =>
      isAbove(caller) || !guarded.includes(operation) ? always : grantable({ catalog, tenancy, table }, caller),
    async created(tx, { caller, row }) {
      await checkGrant(tx, caller, row)
    },
    locked: checkChange,
    /** Before the last holder is looked at, which would tell of the others. */
    mayRemove({ caller, before }) {
      if (!isOfTenant || isAbove(caller) || isOwn(caller, before)) return
      if (caller.kind !== 'user' || !grantsInTenant(table, caller, before)(before[role])) throw forbidden()
    },
    async removed(tx, { caller, before }) {
      if (!isOfTenant && !isOwn(caller, before)) await checkGrant(tx, caller, before)
    },
    limit: {
      at: 'limits.grantedMemberships',
      words: 'a member gives and takes no role above its own',
      kinds: ['create', 'replace', 'update', 'delete'],
      asksStored: ['create'],
      async check({ reader, caller, kind, values, before, row }) {
        if (kind === 'create' && row) return checkGrant(reader, caller, row)
        if (!before) return
        if (kind !== 'delete') return checkChange(reader, { caller, values, before })
        if (!isOwn(caller, before)) await checkGrant(reader, caller, before)
      },
    },
  }
}
