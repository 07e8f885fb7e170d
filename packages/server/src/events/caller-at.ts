/**
 * The caller as it was at each moment of a part of the log. Memberships are records, so the log
 * tells when they came and went. All other rights are those of the present.
 */
import { limits } from '../limits.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Principal, UserPrincipal } from '../resource/principal.ts'
import type { ReadStorage, Row, Values } from '../storage/storage.ts'
import { callerMemberships } from '../tenancy/caller-memberships.ts'
import { type LogTransaction, movesOf } from './log-transactions.ts'
import { type MatchingParts, matchingAt } from './matching.ts'
import type { Moment } from './world.ts'

export type CallerAt = (moment: Moment) => Principal

/** The tables whose records decide the memberships of callers. */
export type MembershipTables = {
  readonly resources: readonly Resource[]
  /** Whether a transaction may have changed the memberships of this user. */
  isConcerned(transaction: LogTransaction, userId: string): boolean
  /** The same for a record before a later change; null for one that did not exist. */
  isAbout(resource: Resource, row: Values | null, userId: string): boolean
  read(storage: Pick<ReadStorage, 'list'>, principal: UserPrincipal): Promise<UserPrincipal['memberships']>
}

export function membershipTables(catalog: Catalog): MembershipTables {
  const sources = callerMemberships(catalog)
  const owners = new Map(
    sources.flatMap(({ tables }) => tables.map(({ resource, owner }) => [resource, owner] as const)),
  )
  const shared = sources.flatMap(({ shared: tables = [] }) => tables)
  const resources = [...new Set([...owners.keys(), ...shared.map(({ resource }) => resource)])]
  return {
    resources,
    isConcerned(transaction, userId) {
      for (const [resource, owner] of owners)
        for (const { before, after } of movesOf(transaction, resource).values())
          if (before?.[owner] === userId || after?.[owner] === userId) return true
      return shared.some(({ resource, fields }) =>
        [...movesOf(transaction, resource).values()].some(({ before, after }) =>
          fields.some((name) => before?.[name] !== after?.[name]),
        ),
      )
    },
    isAbout(resource, row, userId) {
      const owner = owners.get(resource)
      return row === null || owner === undefined || row[owner] === userId
    },
    async read({ list }, principal) {
      const lists = await Promise.all(
        sources.map((one) => one.read({ list, count: () => 0 }, { principal, user: undefined })),
      )
      return Object.assign({}, ...lists.map(({ memberships }) => memberships)) as UserPrincipal['memberships']
    },
  }
}

async function changedLater({ resources, isAbout }: MembershipTables, { world }: MatchingParts, userId: string) {
  for (const resource of resources) {
    const moved = await world.moved(resource, world.transactions.length)
    if ([...moved.values()].some((row) => isAbout(resource, row, userId))) return true
  }
  return false
}

function listAt(parts: MatchingParts, moment: Moment): Pick<ReadStorage, 'list'> {
  return {
    async list(resource, { where, limit }) {
      const most = Math.max(limit, limits.membershipsOfUserMax)
      const rows = await matchingAt(parts, { resource, where, most }, moment)
      return rows.slice(0, limit) as readonly Values[] as Row[]
    },
  }
}

/** Throws `LostPlace`. */
export async function callersOf(
  tables: MembershipTables,
  parts: MatchingParts,
  principal: Principal,
): Promise<CallerAt> {
  if (principal.kind === 'anonymous' || tables.resources.length === 0) return () => principal
  const { transactions } = parts.world
  const changes = transactions.map((one) => tables.isConcerned(one, principal.userId))
  const isOther = changes.includes(true) || (await changedLater(tables, parts, principal.userId))
  if (!isOther) return () => principal
  const callers: Principal[] = []
  for (let moment = 0; moment <= transactions.length; moment += 1) {
    const last = callers.at(-1)
    if (last && !changes[moment - 1]) callers.push(last)
    else callers.push({ ...principal, memberships: (await tables.read(listAt(parts, moment), principal)) ?? {} })
  }
  return (moment) => callers[moment] as Principal
}
