/**
 * Invitations to a tenant: their mails, their acceptance, and the steps of their writes. The
 * acceptance makes the membership and removes the invitation.
 */
import type { Identity } from '../accounts/identity.ts'
import type { InvitationKeeper } from '../accounts/recovery/accept-invitation.ts'
import { queueMail } from '../accounts/recovery/owner-mails.ts'
import type { Clock } from '../base/clock.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { WriteStep } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import { invitationFields as names } from '../resource/tenancy/invitation-table.ts'
import type { InvitationTable, MemberTable, Tenancy } from '../resource/tenancy/tenancies.ts'
import { inSentence } from '../resource/words/names.ts'
import type { ReadStorage, Row } from '../storage/storage.ts'
import { type IsAboveTenants, makeIsAboveTenants } from './above-tenants.ts'
import { checkGrantedMemberships } from './granted-memberships.ts'
import { checkMayJoin } from './membership-limit.ts'

/** As much of the name of a tenant as a mail says. */
const nameLengthMax = 80

type InvitationReads = Pick<ReadStorage, 'find'>
type Inviting = { readonly tenancy: Tenancy; readonly invitations: InvitationTable }

function invitingOf({ tenancies }: Pick<Catalog, 'tenancies'>): readonly Inviting[] {
  return [...tenancies.values()].flatMap((tenancy) => {
    const { invitations } = tenancy
    return invitations ? [{ tenancy, invitations }] : []
  })
}

/** The first text of a tenant that everyone who sees it reads, or its kind: `the club`. */
function nameOf({ tenant }: Tenancy, row: Row | undefined): string {
  const shown = tenant.storedNames.find((name) => {
    const field = tenant.fields[name]
    return field?.type.isProse && field.required && !field.hidden && field.read === undefined
  })
  const name = shown === undefined ? undefined : row?.[shown]
  return typeof name === 'string' ? [...name].slice(0, nameLengthMax).join('') : `the ${inSentence(tenant.label)}`
}

function isWaiting(row: Row, nowMs: number): boolean {
  return Date.parse(row[names.expiresAt] as string) > nowMs
}

/** Makes the membership, unless the user is a member already. */
async function joinTenant(
  tx: RecordTransaction,
  { members }: Tenancy,
  { row, tenantId, userId }: { readonly row: Row; readonly tenantId: Scalar; readonly userId: Scalar },
): Promise<void> {
  const { resource, by, user, role, status, activeStatus } = members
  if ((await tx.count(resource, all(equal(by, tenantId), equal(user, userId)))) > 0) return
  await checkMayJoin(tx, members, userId)
  const values = {
    [by]: tenantId,
    [user]: userId,
    [role]: row[names.role],
    ...(status !== undefined && { [status]: activeStatus }),
  }
  await tx.insert(await tx.prepare(resource, values))
}

type InvitationDeps = { readonly catalog: Catalog; readonly clock: Clock; readonly settings: ServiceSettings }

/**
 * Tells whether the maker of an invitation may still give its role: by a membership, or above all
 * tenants. An invitation of the console has no maker.
 */
function makeIsStillGiven({ catalog, settings }: InvitationDeps) {
  const { login } = catalog
  return async (reads: InvitationReads, { tenancy, invitations }: Inviting, row: Row): Promise<boolean> => {
    const inviter = (row[names.inviter] ?? null) as Scalar | null
    if (inviter === null) return true
    const { resource, by, user, role, roles, status, activeStatus } = tenancy.members
    const held = all(equal(by, row[invitations.by] as Scalar), equal(user, inviter))
    const membership = (await reads.find(resource, held))?.row
    const isActive = membership !== undefined && (status === undefined || membership[status] === activeStatus)
    if (isActive && roles.reaches(membership[role], String(row[names.role]))) return true
    const own = login && (await reads.find(login.resource, equal(login.resource.idField, inviter)))?.row
    if (!login || !own) return false
    const isAbove = makeIsAboveTenants(tenancy, { catalog, settings })
    const userId = String(inviter)
    return isAbove({ kind: 'user', userId, role: String(own[login.mark.role]), via: 'token', scopes: null })
  }
}

/** Undefined in an application without invitations. */
export function makeInvitations(deps: InvitationDeps): InvitationKeeper | undefined {
  const { catalog, clock } = deps
  const known = invitingOf(catalog)
  if (known.length === 0) return undefined
  const isStillGiven = makeIsStillGiven(deps)

  async function find(reads: InvitationReads, hash: string) {
    for (const one of known) {
      const row = (await reads.find(one.invitations.resource, equal(names.hash, hash)))?.row
      if (row) return isWaiting(row, clock()) && (await isStillGiven(reads, one, row)) ? { ...one, row } : undefined
    }
    return undefined
  }

  return {
    async renew(tx, name, hash) {
      const [resourceName, id] = name.split(' ')
      const one = known.find(({ invitations }) => invitations.resource.name === resourceName)
      if (!one || id === undefined) return undefined
      const { resource, by } = one.invitations
      const row = (await tx.lock(resource, equal(resource.idField, id)))?.row
      if (!row || !isWaiting(row, clock())) return undefined
      await tx.change(resource, row, { [names.hash]: hash })
      const { tenant } = one.tenancy
      const found = (await tx.find(tenant, equal(tenant.idField, row[by] as Scalar)))?.row
      return { recipient: row[names.email] as string, about: nameOf(one.tenancy, found) }
    },

    findAddress: async (reads, hash) => (await find(reads, hash))?.row[names.email] as string | undefined,

    async accept(tx, hash, userId) {
      const found = await find(tx, hash)
      if (!found) return false
      const { resource, by } = found.invitations
      const row = (await tx.lock(resource, equal(names.hash, hash)))?.row
      if (!row) return false
      await joinTenant(tx, found.tenancy, { row, tenantId: row[by] as Scalar, userId })
      await tx.remove(resource, row)
      return true
    },
  }
}

type InvitationStepDeps = {
  readonly catalog: Catalog
  readonly isAbove: IsAboveTenants
  readonly identity: () => Identity
}

/** The mail of a new invitation, with its limits. */
function sendInvitation({ resource, by: tenantBy }: InvitationTable, { identity }: InvitationStepDeps): WriteStep {
  return {
    name: 'mails of invitations',
    resources: [resource],
    async check({ kind, address }) {
      if (kind === 'create' && address !== undefined) await identity().recovery?.checkRoom()
    },
    /** The rule has judged it: a refused one counts for none. */
    async created(tx, { caller, address, row }) {
      if (address === undefined) return
      const by = caller.kind === 'user' ? caller.userId : address
      const email = row[names.email] as string
      await identity().recovery?.countInvitation(tx, { by, email, tenant: String(row[tenantBy]) })
    },
    async afterCreate({ tx, rows }) {
      for (const row of rows) {
        const detail = `${resource.name} ${row[resource.idField]}`
        const { languages = null, address = null } = tx.author
        const recipient = row[names.email] as string
        await queueMail(tx, { letter: 'invite', recipient, owner: null, detail, languages, address })
      }
    },
  }
}

/** An invitation gives no role that its maker could not give. */
export function invitationSteps(tenancy: Tenancy, deps: InvitationStepDeps): readonly WriteStep[] {
  const { invitations, members } = tenancy
  if (!invitations) return []
  const { resource, by } = invitations
  const waiting: MemberTable = { ...members, resource, by, user: names.inviter, role: names.role }
  return [
    checkGrantedMemberships(waiting, {
      catalog: deps.catalog,
      tenancy: { ...tenancy, members: waiting },
      isAbove: deps.isAbove,
    }),
    sendInvitation(invitations, deps),
  ]
}
