/**
 * The rule of shared views: users pass for views of resources that they may list, as far as that is
 * known without a record. Where views belong to tenants, a role in one tenant opens no view of
 * another. `sharedViews` alone makes it.
 */

import { type CallerFacts, uniteFacts } from '../caller-facts.ts'
import { all, any, type Condition, matchesNothing, never, not } from '../condition.ts'
import { isTrash } from '../made/shown-resources.ts'
import type { JudgedCatalog, JudgedResource, Rule, RuleInput, RulePart, RuleScope, RuleType } from '../rule.ts'
import { simpleRule } from '../rule.ts'

type ListedResource = { readonly resource: JudgedResource; readonly rule: Rule }
type AskedByUser = RuleInput & { readonly principal: RuleInput['principal'] & { readonly kind: 'user' } }

/** Whether the rule is this one, or asks it by the rules of other resources. */
function asksViews({ rule, resource }: RulePart, catalog: JudgedCatalog): boolean {
  return (
    rule.type === listableType || rule.type.parts(rule, { catalog, resource }).some((one) => asksViews(one, catalog))
  )
}

/** The resources that have lists, but for those whose rule asks for views: it would never end. */
function listedResources({ catalog }: Pick<RuleScope, 'catalog'>): readonly ListedResource[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const rule = resource.access.list
    return rule && !isTrash(resource) && !asksViews({ rule, resource }, catalog) ? [{ resource, rule }] : []
  })
}

function viewsOf(asked: RuleInput): Condition {
  const values = listedResources(asked)
    .filter(({ rule, resource }) => !matchesNothing(rule.type.where(rule, { ...asked, resource })))
    .map(({ resource }) => resource.slug)
  return { kind: 'in', field: 'resource', values }
}

type Memberships = NonNullable<AskedByUser['principal']['memberships']>

/** The memberships in tenants by tenant, and the others. */
function splitMemberships({ principal, catalog }: AskedByUser, tenancy: string) {
  const byTenant = new Map<string, Record<string, Memberships[string]>>()
  const others: Record<string, Memberships[string]> = {}
  for (const [of, held] of Object.entries(principal.memberships ?? {})) {
    if (catalog.get(of).tenant?.tenancy !== tenancy) others[of] = held
    else
      for (const one of held) {
        const { id, tenant = id } = one
        const own = byTenant.get(String(tenant)) ?? {}
        byTenant.set(String(tenant), { ...own, [of]: [...(own[of] ?? []), one] })
      }
  }
  return { byTenant, others }
}

/** Members with the same roles in several tenants may list the same resources there. */
function rolesIn(held: Memberships): string {
  const said = Object.entries(held).map(([of, list]) => [of, list.map(({ role }) => role).sort()])
  return JSON.stringify(said.sort())
}

/** The views of each tenant by the caller's roles there, and those that no membership is for. */
function viewsInTenants(asked: AskedByUser, { tenancy, field }: { readonly tenancy: string; readonly field: string }) {
  const { principal } = asked
  const { byTenant, others } = splitMemberships(asked, tenancy)
  const tenants = [...byTenant.keys()].filter((id) => principal.tenant?.name !== tenancy || principal.tenant.id === id)
  const alike = Map.groupBy(tenants, (id) => rolesIn(byTenant.get(id) as Memberships))
  const own = [...alike.values()].map((ids) => {
    const [id = ''] = ids
    const memberships = { ...others, ...byTenant.get(id) }
    const inside: RuleInput = { ...asked, principal: { ...principal, memberships, tenant: { name: tenancy, id } } }
    return all({ kind: 'in', field, values: ids }, viewsOf(inside))
  })
  return any(viewsOf({ ...asked, principal: { ...principal, memberships: others } }), ...own)
}

function isByUser(asked: RuleInput): asked is AskedByUser {
  return asked.principal.kind === 'user'
}

function viewsFor(asked: RuleInput): Condition {
  if (!isByUser(asked)) return never
  const { tenant } = asked.resource
  const field = tenant?.path[0]
  return tenant && field !== undefined ? viewsInTenants(asked, { tenancy: tenant.tenancy, field }) : viewsOf(asked)
}

const listableType: RuleType = {
  ...simpleRule,
  where: (_rule, asked) => viewsFor(asked),
  whereNot: (_rule, asked) => (isByUser(asked) ? not(viewsFor(asked)) : never),
  judgesBy(_rule, scope): CallerFacts {
    const told = listedResources(scope).map(({ rule, resource }) => rule.type.judgesBy(rule, { ...scope, resource }))
    return uniteFacts([['user'], ...told])
  },
  inDocument: () => 'users who may list the resource of the view',
  inTable: () => 'may list its resource',
  check: () => undefined,
}

/** Views of resources that the caller may list. */
export const listable: Rule<never, never, never> = { type: listableType }
