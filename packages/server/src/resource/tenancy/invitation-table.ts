/**
 * The engine's table of invitations of a tenancy: memberships that wait for an address. The mail of
 * an invitation has a token, and the table has its hash.
 */
import type { DeclaredResource } from '../define.ts'
import { choice } from '../fields/choice.ts'
import type { Field } from '../fields/field.ts'
import { id } from '../fields/id.ts'
import { reference } from '../fields/reference.ts'
import { hash } from '../fields/secret.ts'
import { text } from '../fields/text.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import type { Rule } from '../rule.ts'
import { kebabOf, pluralOf } from '../words/names.ts'
import type { DeclaredTenancy } from './define-tenancy.ts'

export const invitationDays = 7
const dayMs = 24 * 60 * 60_000

/** The meaning of its fields. */
export const invitationFields = {
  email: 'email',
  role: 'role',
  inviter: 'inviterId',
  hash: 'hash',
  expiresAt: 'expiresAt',
} as const

export function invitationName(tenancyOf: string): string {
  return `${tenancyOf}Invitation`
}

/** The reference of an invitation to its tenant. */
export function invitationTenant(tenancyOf: string): string {
  return `${tenancyOf}Id`
}

function endOf(now: string): string {
  return new Date(Date.parse(now) + invitationDays * dayMs).toISOString()
}

/** `users`: the name of the resource of users. `rule`: the callers who invite. */
export function invitationTable(
  { tenancyOf, declaration, writtenIn, writtenAt }: DeclaredTenancy,
  { users, rule }: { readonly users: string; readonly rule: Rule },
): DeclaredResource {
  const { roles } = declaration
  const by = invitationTenant(tenancyOf)
  const name = invitationName(tenancyOf)
  const fields: Record<string, Field> = {
    id: id(),
    [by]: reference(tenancyOf, { required: true, onDelete: 'delete' }),
    email: text({ required: true, format: 'email', description: 'The address that the invitation is sent to.' }),
    role: choice(roles, { default: roles[0] as string, description: 'The role of the membership.' }),
    // At the console there is none.
    inviterId: reference(users, { setBy: 'principal', onDelete: 'delete' }),
    // Null until the mail is made.
    hash: { ...hash(), nullable: true },
    expiresAt: timestamp({ readOnly: true, default: ({ now }) => endOf(now) }),
    createdAt: timestamp({ setOn: 'create' }),
  }
  return {
    name,
    description: 'A membership that waits until the owner of an address accepts it.',
    path: `/${kebabOf(pluralOf(name))}`,
    tenant: by,
    fields,
    unique: [[by, 'email']],
    list: { style: 'page', sortable: ['createdAt', 'expiresAt'], defaultSort: '-createdAt', filterable: ['email', by] },
    access: { list: rule, get: rule, create: rule, delete: rule },
    writtenIn,
    writtenAt,
  }
}
