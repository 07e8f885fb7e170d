/**
 * Tables that the engine declares, such as sessions: a declaration, and a mark that gives each of
 * its fields a meaning. An application gets these tables from `accounts`, and may extend them. It
 * writes no such mark.
 */

import { type DeclaredResource, engineMark, engineTraits } from '../define.ts'
import { noTraits, type ResourceTraits } from '../traits.ts'
import { tenantEventNames, webhookEventNames } from './audit-events.ts'
import { traitsOfUsers } from './credentials.ts'
import type { IdentityMark } from './identity-mark.ts'

/** The declaration as a table of the engine. */
export function engineTable<D extends DeclaredResource>(
  declared: D,
  mark: IdentityMark<Extract<keyof D['fields'], string>>,
  traits: Partial<ResourceTraits> = {},
): D {
  return { ...declared, [engineMark]: mark, [engineTraits]: { ...noTraits, ...traits } }
}

/**
 * The meaning of a resource to identity: the mark of users, which the application writes, or the
 * engine's own.
 */
export function markOf(declared: Pick<DeclaredResource, 'identity' | typeof engineMark>): IdentityMark | undefined {
  return declared[engineMark] ?? declared.identity
}

/** The traits that a feature gives the resource. For users, the mark gives them. */
export function traitsOf(declared: DeclaredResource): ResourceTraits {
  const { [engineTraits]: traits, identity } = declared
  return traits ?? (identity?.kind === 'login' ? traitsOfUsers(identity) : noTraits)
}

/** Whether the engine declares it, and not the application. */
export function isByEngine(declared: Pick<DeclaredResource, typeof engineMark>): boolean {
  return declared[engineMark] !== undefined
}

/**
 * The application's own resources in their order, and the engine's tables after them, as documents
 * show them.
 */
export function ownFirst(declarations: readonly DeclaredResource[]): readonly DeclaredResource[] {
  return [...declarations.filter((one) => !isByEngine(one)), ...declarations.filter(isByEngine)]
}

/**
 * The declarations. Their audit takes the events of tenants too, where a tenancy has an operator,
 * and those of webhooks, where there are any.
 */
export function withMoreEvents(
  declarations: readonly DeclaredResource[],
  tenancies: readonly { readonly declaration: { readonly operator?: unknown } }[],
): readonly DeclaredResource[] {
  const more = [
    ...(tenancies.some(({ declaration }) => declaration.operator) ? tenantEventNames : []),
    ...(declarations.some((one) => one[engineTraits]?.webhooks) ? webhookEventNames : []),
  ]
  if (more.length === 0) return declarations
  return declarations.map((one) => {
    const mark = markOf(one)
    const field = mark?.kind === 'audit' ? one.fields[mark.event] : undefined
    if (mark?.kind !== 'audit' || !field) return one
    const values = [...(field.values ?? []), ...more]
    return { ...one, fields: { ...one.fields, [mark.event]: { ...field, values } } }
  })
}
