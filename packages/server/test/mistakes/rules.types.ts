/**
 * Compile-time tests of rules: a misspelt field, relation, role or operator anywhere in a rule does
 * not compile.
 */
import {
  accounts,
  allOf,
  anyOf,
  caller,
  can,
  defineResource,
  defineResources,
  every,
  field,
  id,
  integer,
  none,
  not,
  now,
  owner,
  previous,
  reference,
  role,
  roleField,
  some,
  text,
  through,
  timestamp,
  user,
  where,
} from '../../src/index.ts'

const fields = {
  id: id(),
  teamId: reference('team'),
  ownerId: reference('member'),
  title: text({ required: true }),
  price: integer(),
  startsAt: timestamp(),
  endsAt: timestamp(),
}
const base = {
  name: 'event',
  path: '/events',
  fields,
  children: { seats: { resource: 'seat', by: 'eventId' } },
} as const

/** All of it must compile. */
export const events = defineResource({
  ...base,
  access: {
    read: anyOf([role('ADMIN'), allOf([user, where({ title: 'Open', endsAt: { gt: now() } })])]),
    write: some('seats', where({ userId: caller('id') })),
    delete: through('teamId', not(where({ level: { lt: 2 } }))),
    update: {
      before: can('teamId'),
      after: where({ price: { lte: previous('price') }, endsAt: { gt: field('startsAt') } }),
    },
    forbid: { write: where({ endsAt: { lt: now() } }), delete: every('seats', where({ userId: { null: true } })) },
  },
})
export const seats = defineResource({
  name: 'seat',
  fields: { id: id(), eventId: reference('event'), userId: reference('member'), row: integer() },
  access: { create: where({ row: { in: [1, 2] } }) },
})
const teams = defineResource({
  name: 'team',
  fields: { id: id(), level: integer() },
  access: { get: where({ level: caller('level') }) },
})
const members = defineResource({
  name: 'member',
  fields: { id: id(), email: text(), role: roleField(), level: integer() },
  identity: { kind: 'login', login: 'email', password: 'email', role: 'role' } as never,
  access: { get: owner('id') },
})
const people = accounts({ roles: ['USER', 'ADMIN'], users: members })
export const right = defineResources([events, seats, teams, ...people])

export const within = [
  // @ts-expect-error a misspelt field of a condition
  defineResource({ ...base, access: { get: where({ titel: 'Open' }) } }),
  // @ts-expect-error a misspelt operator
  defineResource({ ...base, access: { get: where({ price: { gtt: 5 } }) } }),
  // @ts-expect-error a misspelt operator beside a right one
  defineResource({ ...base, access: { get: where({ price: { gt: 5, ltt: 9 } }) } }),
  // @ts-expect-error a misspelt field as a value
  defineResource({ ...base, access: { get: where({ endsAt: { gt: field('startAt') } }) } }),
  // @ts-expect-error a misspelt field of the record before
  defineResource({ ...base, access: { update: { before: user, after: where({ price: previous('prise') }) } } }),
  // @ts-expect-error a misspelt field in a rule of several
  defineResource({ ...base, access: { get: allOf([user, where({ titel: 'Open' })]) } }),
  // @ts-expect-error a misspelt field in a negated rule
  defineResource({ ...base, access: { get: not(where({ titel: 'Open' })) } }),
  // @ts-expect-error a misspelt relation
  defineResource({ ...base, access: { get: some('seat', where({ userId: caller('id') })) } }),
  // @ts-expect-error a misspelt relation
  defineResource({ ...base, access: { get: none('seets', user) } }),
  // @ts-expect-error a misspelt reference
  defineResource({ ...base, access: { get: can('teemId') } }),
  // @ts-expect-error a misspelt reference
  defineResource({ ...base, access: { get: can('update', 'team') } }),
  // @ts-expect-error a misspelt field in a shorthand
  defineResource({ ...base, access: { read: where({ titel: 'Open' }) } }),
  // @ts-expect-error a misspelt shorthand
  defineResource({ ...base, access: { raed: user } }),
  // @ts-expect-error a misspelt field in a forbidden rule
  defineResource({ ...base, access: { read: user, forbid: { write: where({ titel: 'Open' }) } } }),
  // @ts-expect-error a misspelt operation that is forbidden
  defineResource({ ...base, access: { read: user, forbid: { wirte: user } } }),
]

const others = [seats, teams, ...people] as const
const listed = {
  ofBelow: defineResource({ ...base, access: { get: some('seats', where({ usreId: caller('id') })) } }),
  ofAbove: defineResource({ ...base, access: { get: through('teamId', where({ levle: 2 })) } }),
  ofCaller: defineResource({ ...base, access: { get: where({ price: caller('levle') }) } }),
  ofRole: defineResource({ ...base, access: { get: not(role('ADMNI')) } }),
  ofForbidden: defineResource({ ...base, access: { get: user, forbid: { get: role('ADMNI') } } }),
}
export const together = [
  // @ts-expect-error a misspelt field of the records below
  defineResources([listed.ofBelow, ...others]),
  // @ts-expect-error a misspelt field of the record above
  defineResources([listed.ofAbove, ...others]),
  // @ts-expect-error a misspelt field of the caller
  defineResources([listed.ofCaller, ...others]),
  // @ts-expect-error a misspelt role in a negated rule
  defineResources([listed.ofRole, ...others]),
  // @ts-expect-error a misspelt role in a forbidden rule
  defineResources([listed.ofForbidden, ...others]),
]
