/**
 * Each kind of mistake in a declaration stops the start, with its file and its place in the
 * declaration. A correct declaration starts.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StartError } from '../../src/errors.ts'
import {
  anyOf,
  anyone,
  apiKey,
  atLeast,
  boolean,
  choice,
  defineAction,
  defineResource,
  derived,
  embedded,
  equals,
  id,
  includes,
  integer,
  integerId,
  isTrue,
  lookup,
  money,
  onlyWhen,
  owner,
  password,
  reference,
  role,
  state,
  text,
  textList,
  through,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'

type Change = { readonly [part: string]: unknown; readonly fields?: Fields }

/** Bypasses the compiler, which would refuse most of these. */
function declare(declaration: object): DeclaredResource {
  return defineResource<Fields, string>(declaration as never)
}

const idField = { id: id() }
const used = (use: string) => `the engine uses this name for ${use}; choose another`

/** A resource without mistakes, with a change that may make one. */
function thing({ fields, ...change }: Change = {}): DeclaredResource {
  const base = { name: 'thing', path: '/things', list: { style: 'page' }, access: { list: user, get: user } }
  return declare({ ...base, fields: { ...idField, name: text(), ...fields }, ...change })
}

/** A child of that resource. */
function part(change: Change = {}): DeclaredResource {
  const { fields, ...rest } = change
  const base = { name: 'part', path: '/parts', list: { style: 'page' }, access: { list: user, get: user } }
  return declare({ ...base, fields: { ...idField, thingId: reference('thing'), ...fields }, ...rest })
}

function messageOf(declarations: readonly DeclaredResource[]): string {
  try {
    makeCatalog(declarations)
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    return error.message
  }
  return ''
}

function mistakesOf(declarations: readonly DeclaredResource[]): string[] {
  return messageOf(declarations)
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
}

const action = defineAction({ run: async () => undefined })
const status = (transitions: object, options: object = {}) =>
  state(['OPEN', 'DONE'], {
    default: 'OPEN',
    transitions: transitions as Record<string, { from: ['OPEN']; to: 'DONE' }>,
    ...options,
  })

type Mistake = { readonly of: readonly DeclaredResource[]; readonly says: string }

const inFields: readonly Mistake[] = [
  {
    of: [thing({ fields: { id: text() } })],
    says: 'thing: fields: exactly one field must be id() or integerId(), here are 0',
  },
  {
    of: [thing({ fields: { no: integerId() } })],
    says: 'thing: fields: exactly one field must be id() or integerId(), here are 2',
  },
  { of: [thing({ fields: { Size: text() } })], says: 'thing: field "Size": a name is camelCase letters and digits' },
  {
    of: [thing({ fields: { full_name: text() } })],
    says: 'thing: field "full_name": a name is camelCase letters and digits',
  },
  {
    of: [thing({ fields: { version: integer() } })],
    says: `thing: field "version": ${used('the version of a record')}`,
  },
  {
    of: [thing({ fields: { page: integer() } })],
    says: `thing: field "page": ${used('a query parameter of every list')}`,
  },
  ...['filter', 'expand'].map((name) => ({
    of: [thing({ fields: { [name]: integer() } })],
    says: `thing: field "${name}": ${used('a query parameter of every list')}`,
  })),
  ...['and', 'or', 'not'].map((name) => ({
    of: [thing({ fields: { [name]: integer() } })],
    says: `thing: field "${name}": ${used('a word that joins filters')}`,
  })),
  {
    of: [thing({ fields: { userId: reference('user') } })],
    says: 'thing: field "userId": refers to "user", which is not in the list of resources',
  },
  {
    of: [thing({ fields: { size: integer({ min: 1, default: 0 }) } })],
    says: 'thing: field "size": its default must be at least 1',
  },
  {
    of: [thing({ fields: { kind: choice(['A'], { default: 'B' as 'A' }) } })],
    says: 'thing: field "kind": its default must be one of A',
  },
]

const inMoves: readonly Mistake[] = [
  {
    of: [thing({ fields: { status: status({ delete: { from: ['OPEN'], to: 'DONE' } }) }, access: { delete: user } })],
    says: `thing: field "status": transition "delete": ${used('an operation of every resource')}`,
  },
  {
    of: [thing({ fields: { status: status({ import: { from: ['OPEN'], to: 'DONE' } }) }, access: { import: user } })],
    says: `thing: field "status": transition "import": ${used('an operation of every resource')}`,
  },
  {
    of: [
      thing({
        fields: {
          first: status({ close: { from: ['OPEN'], to: 'DONE' } }),
          second: status({ close: { from: ['OPEN'], to: 'DONE' } }),
        },
        access: { close: user },
      }),
    ],
    says: 'thing: field "second": transition "close" is also a transition of another field',
  },
  {
    of: [thing({ fields: { status: status({ close: { from: ['LOST'], to: 'DONE' } }) }, access: { close: user } })],
    says: 'thing: field "status": transition "close" names the state "LOST", which does not exist',
  },
  {
    of: [thing({ fields: { status: status({ close: { from: ['OPEN'], to: 'GONE' } }) }, access: { close: user } })],
    says: 'thing: field "status": transition "close" names the state "GONE", which does not exist; did you mean "DONE"?',
  },
  {
    of: [
      thing({
        fields: { status: status({ close: { from: ['OPEN'], to: 'DONE', stamp: 'name' } }) },
        access: { close: user },
      }),
    ],
    says: 'thing: field "status": transition "close" stamps "name", which is not a timestamp({ setOn: \'transition\' })',
  },
]

const inVirtualFields: readonly Mistake[] = [
  {
    of: [thing({ fields: { parts: embedded('part', 'nameId') } }), part()],
    says: 'thing: field "parts": embeds "part" by "nameId", which is no reference to "thing"',
  },
  {
    of: [thing({ fields: { price: lookup(money(), { via: 'name', field: 'price' }) } })],
    says: 'thing: field "price": is looked up via "name", which is no reference',
  },
  {
    of: [thing(), part({ fields: { title: lookup(text(), { via: 'thingId', field: 'title' }) } })],
    says: 'part: field "title": is looked up in "title", which "thing" does not have',
  },
  {
    of: [
      thing({ fields: { secret: password() } }),
      part({ fields: { title: lookup(text(), { via: 'thingId', field: 'secret' }) } }),
    ],
    says: 'part: field "title": is looked up in "secret", which some callers may not read',
  },
  {
    of: [
      thing({ fields: { note: text({ read: role('ADMIN') }) } }),
      part({ fields: { title: lookup(text(), { via: 'thingId', field: 'note' }) } }),
    ],
    says: 'part: field "title": is looked up in "note", which some callers may not read',
  },
  {
    of: [
      thing({ fields: { size: derived(text(), () => 'large') } }),
      part({ fields: { title: lookup(text(), { via: 'thingId', field: 'size' }) } }),
    ],
    says: 'part: field "title": is looked up in "size", which is not stored',
  },
]

const secret = { secret: password() }
const sum = { sum: derived(integer(), () => 0) }
const inLists: readonly Mistake[] = [
  { of: [thing({ list: undefined })], says: 'thing: access.list: needs a list: { style: … }' },
  { of: [thing({ list: { style: 'page', bulk: true } })], says: 'thing: list.bulk: needs a rule for update or delete' },
  {
    of: [thing({ list: { style: 'page', bulk: true }, access: { delete: user }, concurrency: 'required' })],
    says: 'thing: list.bulk: and concurrency: "required" exclude each other: a filter names no versions',
  },
  {
    of: [thing({ fields: secret, list: { style: 'page', bulk: true }, access: { delete: user } })],
    says: 'thing: list.bulk: is not for users, sessions and keys, which are written one by one',
  },
  { of: [thing({ list: { style: 'page', sortable: ['size'] } })], says: 'thing: list.sortable: no field "size"' },
  {
    of: [thing({ fields: sum, list: { style: 'page', sortable: ['sum'] } })],
    says: 'thing: list.sortable: "sum" is not stored',
  },
  {
    of: [thing({ fields: secret, list: { style: 'page', filterable: ['secret'] } })],
    says: 'thing: list.filterable: "secret" is never shown, so nothing may depend on it',
  },
  { of: [thing({ list: { style: 'page', defaultSort: '-size' } })], says: 'thing: list.defaultSort: no field "size"' },
  {
    of: [thing({ list: { style: 'cursor', sortable: ['name'] } })],
    says: 'thing: list: the style "cursor" is walked by the id alone: no sortable, no defaultSort',
  },
  {
    of: [thing({ list: { style: 'page', filters: { limit: equals('name') } } })],
    says: `thing: list.filters.limit: ${used('a query parameter of every list')}`,
  },
  {
    of: [thing({ list: { style: 'page', filters: { min: atLeast('size') } } })],
    says: 'thing: list.filters.min: no field "size"',
  },
  {
    of: [thing({ fields: { on: boolean() }, list: { style: 'page', filters: { part: includes('on') } } })],
    says: 'thing: list.filters.part: boolean fields have no "contains"',
  },
  {
    of: [thing({ list: { style: 'page', filters: { on: isTrue('name') } } })],
    says: 'thing: list.filters.on: "name" is no boolean',
  },
  {
    of: [thing({ fields: { size: integer() }, list: { style: 'page', search: ['size'] } })],
    says: 'thing: list.search: "size" is no text',
  },
  {
    of: [thing({ fields: { note: text({ read: role('ADMIN') }) }, list: { style: 'page', search: ['note'] } })],
    says: 'thing: list.search: "note" has a rule for reads, so it cannot be searched in',
  },
]

const unknownOwner = 'thing: access.get: owner("userId"): no such field'
const inRules: readonly Mistake[] = [
  { of: [thing({ access: { get: owner('userId') } })], says: unknownOwner },
  { of: [thing({ access: { get: anyOf([user, owner('userId')]) } })], says: unknownOwner },
  { of: [thing({ access: { get: apiKey(owner('userId')) } })], says: unknownOwner },
  { of: [thing({ access: { get: onlyWhen(() => true, owner('userId'), user) } })], says: unknownOwner },
  { of: [thing({ access: { get: onlyWhen(() => true, user, owner('userId')) } })], says: unknownOwner },
  { of: [thing({ access: { get: where({ open: true }) } })], says: 'thing: access.get: where: no field "open"' },
  {
    of: [thing({ access: { get: through('name', user) } })],
    says: 'thing: access.get: through("name"): no reference of that name',
  },
  {
    of: [thing(), part({ access: { get: through('thingId', owner('userId')) } })],
    says: 'part: access.get: owner("userId"): no such field',
  },
  {
    of: [thing({ access: { fly: user } })],
    says: 'thing: access.fly: no such operation; there are list, get, create, replace, update, delete, import, export, read, write',
  },
  { of: [thing({ actions: { wake: action } })], says: 'thing: actions.wake: has no rule under access' },
  {
    of: [thing({ path: undefined })],
    says: 'thing: path: is missing, and no other resource has this one as a child: its operations cannot be reached',
  },
]

const inRelations: readonly Mistake[] = [
  {
    of: [thing({ children: { parts: { resource: 'part', by: 'thingId' } } })],
    says: 'thing: children.parts: "part" is not in the list of resources',
  },
  {
    of: [thing({ children: { parts: { resource: 'part', by: 'id' } } }), part()],
    says: 'thing: children.parts: "part" has no reference "id" to "thing"',
  },
  {
    of: [thing({ children: { part: { resource: 'part', by: 'thingId', single: true } } }), part()],
    says: 'thing: children.part: "part" must have unique: [[\'thingId\']], so that there is one at most',
  },
  { of: [thing({ unique: [['size']] })], says: 'thing: unique: no field "size"' },
  { of: [thing({ unique: [['name']], addOnCreate: ['name'] })], says: 'thing: addOnCreate: "name" is no number' },
  {
    of: [thing({ fields: { size: integer() }, addOnCreate: ['size'] })],
    says: 'thing: addOnCreate: needs a unique key to meet an existing record by',
  },
  { of: [thing({ onWrite: { size: () => 1 } })], says: 'thing: onWrite: no field "size"' },
  {
    of: [thing({ access: { wake: user }, actions: { wake: { ...action, returns: 'order' } } })],
    says: 'thing: actions.wake: returns "order", which does not exist',
  },
  {
    of: [thing({ access: { export: user }, actions: { export: action } })],
    says: `thing: actions.export: ${used('an operation of every resource')}`,
  },
  {
    of: [thing({ access: { get: user }, actions: { get: action } })],
    says: `thing: actions.get: ${used('an operation of every resource')}`,
  },
  { of: [thing({ graphql: { query: { all: 'export' } } })], says: 'thing: graphql.query.all: no operation "export"' },
  {
    of: [thing({ graphql: { mutation: { go: { operation: 'fly' } } } })],
    says: 'thing: graphql.mutation.go: no operation "fly"',
  },
]

const inNames: readonly Mistake[] = [
  { of: [thing({ name: 'Thing' })], says: 'Thing: name: a name is camelCase letters and digits' },
  ...['things', '/Things', '/things/', '/my_things', '/a/b', '/a--b'].map((path) => ({
    of: [thing({ path })],
    says: `thing: path: "${path}" must be / and lower-case words with hyphens, without a slash at the end`,
  })),
]

const kinds = { inFields, inMoves, inVirtualFields, inLists, inRules, inRelations, inNames }
for (const [kind, mistakes] of Object.entries(kinds)) {
  describe(`mistakes ${kind.replace(/([A-Z])/g, ' $1').toLowerCase()}`, () => {
    for (const { of, says } of mistakes) {
      it(says, () => assert.deepEqual(mistakesOf(of), [`packages/server/test/resource/check.test.ts: ${says}`]))
    }
  })
}

describe('mistakes', () => {
  it('a missing rule is reported for the move and for its action', () => {
    const moves = { close: { from: ['OPEN'], to: 'DONE' } }
    assert.deepEqual(mistakesOf([thing({ fields: { status: status(moves) } })]), [
      'packages/server/test/resource/check.test.ts: thing: field "status": transition "close" has no rule under access',
      'packages/server/test/resource/check.test.ts: thing: actions.close: has no rule under access',
    ])
  })

  it('are reported all at once, one a line', () => {
    const message = messageOf([thing({ name: 'Thing', path: 'x', unique: [['size']] })])
    assert.match(message, /^The declarations have mistakes:\n/)
    assert.equal(message.split('\n').length, 4)
  })

  it('are not found where there are none', () => {
    const whole = thing({
      fields: {
        status: status({ close: { from: ['OPEN'], to: 'DONE', stamp: 'closedAt' } }),
        closedAt: timestamp({ setOn: 'transition' }),
        tags: textList(),
        price: money({ min: 0, default: 0 }),
        parts: embedded('part', 'thingId'),
      },
      list: {
        style: 'page',
        sortable: ['name'],
        defaultSort: '-price',
        filters: { min: atLeast('price') },
        search: ['name'],
      },
      access: { list: anyone, get: anyone, close: user, wake: user },
      actions: { wake: action },
      children: { parts: { resource: 'part', by: 'thingId' } },
    })
    assert.equal(messageOf([whole, part({ path: undefined })]), '')
  })
})
