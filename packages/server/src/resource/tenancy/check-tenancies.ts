/**
 * Finds the mistakes in `defineTenancy`, and in the `tenant` of resources. Only the whole list
 * shows missing resources and fields, and references that lead to no tenant.
 */

import { checkTenancyUsers } from '../accounts/check-tenancy-users.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { fieldOf, noField, notListed, unfilledFields } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import { wordsMistakes } from '../fields/choice.ts'
import { checkRule } from '../rule.ts'
import { findUsers } from '../rules/roles.ts'
import { withArticle } from '../words/names.ts'
import { didYouMean } from '../words/nearest.ts'
import { memberReference } from './apply-tenancies.ts'
import type { DeclaredTenancy } from './define-tenancy.ts'
import { referencesTo, tenantFieldOf, tenantPathOf } from './tenant-path.ts'
import { type DeclaredMembers, declaredMembers, tenantNames } from './tenant-words.ts'

type TenancyCheck = {
  readonly tenancies: readonly DeclaredTenancy[]
  readonly byName: ReadonlyMap<string, DeclaredResource>
  readonly report: (problem: string) => void
}

function checkUserField({ said: { user }, place }: DeclaredMembers, members: DeclaredResource, check: TenancyCheck) {
  const { byName, report } = check
  const people = findUsers(byName.values())
  if (!people) return // reported once
  const field = fieldOf(members, user)
  if (!field) return report(`${place}user: ${noField(members, user)}`)
  const references = referencesTo(members, people.name)
  if (!references.includes(user))
    report(`${place}user: "${user}" is no stored reference to "${people.name}"${didYouMean(user, references)}`)
}

function checkRoleField(
  { said: { role, roles }, place }: DeclaredMembers,
  members: DeclaredResource,
  check: TenancyCheck,
) {
  const { report } = check
  for (const { problem } of wordsMistakes(roles)) report(`${place}roles: ${problem}`)
  const field = fieldOf(members, role)
  if (!field) return report(`${place}role: ${noField(members, role)}`)
  if (!field.takesRoles) return report(`${place}role: "${role}" must be a roleField(), whose words are these roles`)
  const [lowest, highest] = [roles[0], roles.at(-1)]
  if (field.default === highest && lowest !== highest)
    report(
      `${place}role: "${role}" has default: '${highest}', the highest role, and every new member would get it: say default: '${lowest}'`,
    )
}

function checkStatus({ said, place }: DeclaredMembers, members: DeclaredResource, { report }: TenancyCheck) {
  const { status, activeStatus } = said
  if (status === undefined && activeStatus === undefined) return
  if (status === undefined) return report(`${place}activeStatus: needs status, the field that has this value`)
  const field = fieldOf(members, status)
  if (!field) return report(`${place}status: ${noField(members, status)}`)
  if (!field.values || field.takesRoles) return report(`${place}status: "${status}" must be a choice or a state`)
  if (activeStatus === undefined) return report(`${place}status: needs activeStatus, one of ${field.values.join(', ')}`)
  if (!field.values.includes(activeStatus))
    report(`${place}activeStatus: "${status}" is never "${activeStatus}"${didYouMean(activeStatus, field.values)}`)
}

function checkMembersTable(table: DeclaredMembers, check: TenancyCheck): DeclaredResource | undefined {
  const { of, said, place } = table
  const { byName, report } = check
  if (of !== '' && !byName.has(of))
    report(
      place === '' ? `there is no resource ${notListed(byName, of)}` : `groups: no resource ${notListed(byName, of)}`,
    )
  const members = byName.get(said.members)
  if (!members) {
    report(`${place}members: no resource ${notListed(byName, said.members)}`)
    return undefined
  }
  checkUserField(table, members, check)
  checkRoleField(table, members, check)
  checkStatus(table, members, check)
  const references = referencesTo(members, of)
  if (references.length === 0) report(`${place}members: "${members.name}" has no reference to "${of}"`)
  else if (memberReference(members, of) === undefined)
    report(
      `${place}members: "${members.name}" has several references to "${of}": ${references.join(', ')}; name one as its tenant`,
    )
  return members
}

function checkOwner(table: DeclaredMembers, members: DeclaredResource, { report }: TenancyCheck): void {
  const { user, role, status } = table.said
  const unfilled = unfilledFields(members, [memberReference(members, table.of), user, role, status])
  if (unfilled.length > 0)
    report(
      `members: "${members.name}" needs a default for ${unfilled.join(', ')}: creating ${withArticle(table.of)} makes the membership of its creator`,
    )
}

function checkGroup({ of, place }: DeclaredMembers, tenancyOf: string, { byName, tenancies, report }: TenancyCheck) {
  const group = byName.get(of)
  if (!group) return
  const tenants = tenantNames(tenancies)
  if (tenants.has(of)) return report(`${place.slice(0, -1)}: "${of}" is a resource of tenants, and no group in one`)
  const found = tenantPathOf(group, { byName, tenants })
  if (found && 'problem' in found) return // reported with that resource
  if (found?.tenancy !== tenancyOf)
    report(
      `${place.slice(0, -1)}: "${of}" belongs to no ${tenancyOf}: give it a tenant, such as tenant: '${tenancyOf}Id'`,
    )
}

/** The mistakes of one tenancy. */
export function checkTenancy(tenancy: DeclaredTenancy, check: TenancyCheck) {
  const { tenancyOf, declaration } = tenancy
  const { tenancies, byName, report } = check
  const earlier = tenancies.slice(0, tenancies.indexOf(tenancy))
  const twin = earlier.find((one) => one.tenancyOf === tenancyOf)
  checkTenancyUsers({ byName, hasInvitations: declaration.invitations !== undefined, report })
  if (twin) return report(`the tenancy of "${tenancyOf}" is also declared in ${twin.writtenIn}`)
  const taken = new Set(earlier.flatMap((one) => declaredMembers(one).map(({ said }) => said.members)))
  const [own, ...groups] = declaredMembers(tenancy) as [DeclaredMembers, ...DeclaredMembers[]]
  for (const table of [own, ...groups]) {
    const { members: name } = table.said
    if (taken.has(name)) report(`${table.place}members: "${name}" has the members of something else already`)
    taken.add(name)
    const members = checkMembersTable(table, check)
    if (members && table === own) checkOwner(table, members, check)
    if (table !== own) checkGroup(table, tenancyOf, check)
  }
  const declared = byName.get(tenancyOf)
  const idField = Object.entries(declared?.fields ?? {}).find(([, { type }]) => type.referredBy)
  if (idField?.[1].type.column === 'integer')
    report(
      `"${idField[0]}" of "${tenancyOf}" counts the tenants, and so tells each how many others there are: use id()`,
    )
  if (declared && declaration.operator)
    checkRule(declaration.operator, {
      ...check,
      declared,
      about: 'caller',
      report: (problem) => report(`operator: ${problem}`),
    })
}

/** The mistakes in the `tenant` of a resource. */
export function checkTenant({ declared, byName, tenancies, report }: DeclarationCheck): void {
  const by = tenantFieldOf(declared.tenant)
  if (by === undefined) return
  if (tenantNames(tenancies).has(declared.name)) {
    report('tenant', `${withArticle(declared.name)} is a tenant itself, and belongs to none: leave it out`)
    return
  }
  const table = tenancies.flatMap(declaredMembers).find(({ said }) => said.members === declared.name)
  // The rest of its way is that of the group, where a mistake is reported.
  if (table && by === memberReference(declared, table.of)) return
  const found = tenantPathOf(declared, { byName, tenants: tenantNames(tenancies) })
  if (found && 'problem' in found) report('tenant', found.problem)
}
