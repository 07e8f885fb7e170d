/**
 * Compile-time tests: none of the lines below may compile (`npm run check` fails when one does).
 * `right.types.ts` has the counterparts that must compile.
 */
import {
  anyOf,
  anyone,
  apiKey,
  boolean,
  caller,
  choice,
  defineResource,
  derived,
  either,
  embedded,
  equals,
  field,
  id,
  integer,
  isTrue,
  lookup,
  money,
  not,
  onlyWhen,
  owner,
  password,
  reference,
  role,
  runCommandLine,
  runService,
  state,
  text,
  textList,
  through,
  timestamp,
  token,
  user,
  where,
} from '../../src/index.ts'
import { fields, loans, members } from './right.types.ts'

const admin = role('ADMIN')
const base = { name: 'loan', fields } as const
const timed = {
  name: 'talk',
  fields: {
    id: id(),
    heldAt: timestamp(),
    shutAt: timestamp({ setOn: 'transition' }),
    madeAt: timestamp({ setOn: 'create' }),
    changedAt: timestamp({ setOn: 'write' }),
  },
} as const

export const options = [
  // @ts-expect-error a misspelt rule of a choice: everybody could become an ADMIN
  choice(['USER', 'ADMIN'], { default: 'USER', wirte: admin }),
  // @ts-expect-error a misspelt option
  text({ maxLenght: 5 }),
  // @ts-expect-error an option of another type
  text({ min: 3 }),
  // @ts-expect-error a misspelt option
  integer({ requierd: true }),
  // @ts-expect-error a misspelt option
  money({ mim: 0 }),
  // @ts-expect-error a misspelt option
  boolean({ defualt: true }),
  // @ts-expect-error a misspelt option
  timestamp({ seton: 'create' }),
  // @ts-expect-error a misspelt option
  textList({ maxlength: 3 }),
  // @ts-expect-error a misspelt option
  reference('user', { ondelete: 'clear' }),
  // @ts-expect-error a misspelt option
  password({ require: true }),
  // @ts-expect-error nobody sees a password, so nobody reads it
  password({ read: admin }),
  // @ts-expect-error a misspelt option
  token({ prefx: 'bk_' }),
  // @ts-expect-error a misspelt option
  embedded('loanLine', 'loanId', { maximum: 3 }),
  // @ts-expect-error a misspelt option
  lookup(text(), { via: 'bookId', feild: 'title' }),
  // @ts-expect-error a misspelt option
  anyOf([owner('memberId'), admin], { mesage: 'No' }),
]

export const values = [
  // @ts-expect-error a default of another type
  integer({ default: '5' }),
  // @ts-expect-error a computed default of another type
  integer({ default: ({ now }) => now }),
  // @ts-expect-error a computed default is never null
  text({ default: () => null }),
  // @ts-expect-error a default that is no word of the choice
  choice(['A', 'B'], { default: 'C' }),
  // @ts-expect-error a default of other items
  textList({ default: [1] }),
  // @ts-expect-error a limit that is no number
  integer({ max: '5' }),
  // @ts-expect-error no such format
  text({ format: 'e-mail' }),
  // @ts-expect-error no such time
  timestamp({ setOn: 'update' }),
  // @ts-expect-error no such end
  reference('user', { onDelete: 'cascade' }),
  // @ts-expect-error no such origin
  reference('user', { setBy: 'user' }),
  // @ts-expect-error a rule that is a word
  text({ write: 'ADMIN' }),
  // @ts-expect-error a state without moves
  state(['OPEN'], { default: 'OPEN' }),
  // @ts-expect-error no such state
  state(['OPEN', 'DONE'], { default: 'OPEN', transitions: { close: { from: ['OPEN'], to: 'DOEN' } } }),
  // @ts-expect-error a misspelt member of a move
  state(['OPEN', 'DONE'], { default: 'OPEN', transitions: { close: { from: ['OPEN'], to: 'DONE', stmap: 'at' } } }),
  // @ts-expect-error a value of another type
  derived(text(), () => 5),
  // @ts-expect-error the time is given to those that say that they depend on it
  derived(boolean(), ({ dueAt }, { now }) => dueAt < now),
  // @ts-expect-error a misspelt option
  derived(boolean(), ({ dueAt }, { now }) => dueAt < now, { clok: true }),
]

export const rules = [
  // @ts-expect-error a word
  apiKey('role'),
  // @ts-expect-error one rule is no choice
  anyOf([admin]),
  // @ts-expect-error not a list
  anyOf(admin, user),
  // @ts-expect-error a word among rules
  anyOf(['anyone', admin]),
  // @ts-expect-error no function
  onlyWhen(true, anyone, admin),
]

export const misspelt = [
  // @ts-expect-error a misspelt member
  defineResource({ ...base, access: {}, addOnCraete: ['weeks'] }),
  // @ts-expect-error no access
  defineResource({ ...base }),
  // @ts-expect-error a rule that is a word
  defineResource({ ...base, access: { list: 'anyone' } }),
  // @ts-expect-error a rule that is not called
  defineResource({ ...base, access: { list: role } }),
  // @ts-expect-error a field that is not called
  defineResource({ name: 'loan', fields: { ...fields, note: text }, access: {} }),
  // @ts-expect-error a misspelt operation
  defineResource({ ...base, access: { lsit: anyone } }),
  // @ts-expect-error a misspelt owner
  defineResource({ ...base, access: { get: owner('memberID') } }),
  // @ts-expect-error a misspelt owner inside either
  defineResource({ ...base, access: { get: anyOf([owner('memberID'), admin]) } }),
  // @ts-expect-error a misspelt owner inside machine
  defineResource({ ...base, access: { get: apiKey(owner('memberID')) } }),
  // @ts-expect-error a misspelt owner inside onlyWhen
  defineResource({ ...base, access: { get: onlyWhen(() => true, anyone, owner('memberID')) } }),
  // @ts-expect-error a misspelt condition
  defineResource({ ...base, access: { get: where({ opne: true }) } }),
  // @ts-expect-error a misspelt reference
  defineResource({ ...base, access: { get: through('memberID', owner('id')) } }),
  // @ts-expect-error a misspelt owner of the result
  defineResource({ ...base, access: { update: { before: owner('memberId'), after: owner('memberID') } } }),
  // @ts-expect-error half a pair
  defineResource({ ...base, access: { update: { before: owner('memberId') } } }),
  // @ts-expect-error a create has no before
  defineResource({ ...base, access: { create: { before: anyone, after: anyone } } }),
  // @ts-expect-error a misspelt key
  defineResource({ ...base, access: {}, unique: [['memberID']] }),
  // @ts-expect-error a key of what is not stored
  defineResource({ ...base, access: {}, unique: [['lines']] }),
  // @ts-expect-error no number to add
  defineResource({ ...base, access: {}, addOnCreate: ['note'] }),
  // @ts-expect-error a following value of another type
  defineResource({ ...base, access: {}, onWrite: { weeks: ({ note }) => note } }),
  // @ts-expect-error a following value of what is not stored
  defineResource({ ...base, access: {}, onWrite: { note: ({ lines }) => String(lines) } }),
  // @ts-expect-error a misspelt hook
  defineResource({ ...base, access: {}, hooks: { beforeCraete: () => undefined } }),
  // @ts-expect-error a hook that sets what there is not
  defineResource({ ...base, access: {}, hooks: { beforeUpdate: () => ({ noet: 'x' }) } }),
  // @ts-expect-error a hook that gives another type
  defineResource({ ...base, access: {}, hooks: { beforeCreate: () => ({ weeks: 'two' }) } }),
  // @ts-expect-error a hook that sets the time of each write
  defineResource({ ...timed, access: {}, hooks: { beforeUpdate: () => ({ changedAt: '2020-01-01T00:00:00.000Z' }) } }),
  // @ts-expect-error a hook that sets the time of the creation
  defineResource({ ...timed, access: {}, hooks: { beforeCreate: () => ({ madeAt: '2020-01-01T00:00:00.000Z' }) } }),
  // @ts-expect-error a hook that sets the id
  defineResource({ ...timed, access: {}, hooks: { beforeCreate: () => ({ id: '01a21881-325a-7000-85bd-0' }) } }),
  defineResource({ ...timed, access: {}, hooks: { beforeUpdate: ({ now }) => ({ heldAt: now, shutAt: now }) } }),
  // @ts-expect-error a hook that reads what there is not
  defineResource({ ...base, access: {}, hooks: { beforeDelete: ({ previous }) => void previous.noet } }),
  // @ts-expect-error a refusal of a misspelt field
  defineResource({ ...base, access: {}, hooks: { beforeUpdate: ({ refuse }) => refuse('No', 'noet') } }),
  // @ts-expect-error a check that reads what there is not
  defineResource({ ...base, access: {}, checks: { right: { require: ({ noet }) => noet !== null, message: 'No' } } }),
  // @ts-expect-error a condition on what there is not
  defineResource({ ...base, access: {}, checks: { right: { require: { noet: 'a' }, message: 'No' } } }),
  // @ts-expect-error a misspelt operator
  defineResource({ ...base, access: {}, checks: { right: { require: { weeks: { gtt: 5 } }, message: 'No' } } }),
  // @ts-expect-error a value of another type
  defineResource({ ...base, access: {}, checks: { right: { require: { weeks: { gt: '5' } }, message: 'No' } } }),
  defineResource({
    ...base,
    access: {},
    // @ts-expect-error another field that there is not
    checks: { right: { require: { weeks: { gt: field('noet') } }, message: 'No' } },
  }),
  // @ts-expect-error a value of the caller
  defineResource({ ...base, access: {}, checks: { right: { require: { note: caller('id') }, message: 'No' } } }),
  // @ts-expect-error a rule on what there is not
  defineResource({ ...base, access: {}, checks: { right: { require: not(where({ noet: 'a' })), message: 'No' } } }),
  // @ts-expect-error a rule about the caller
  defineResource({ ...base, access: {}, checks: { right: { require: role('ADMIN'), message: 'No' } } }),
  // @ts-expect-error a check at a misspelt field
  defineResource({ ...base, access: {}, checks: { right: { require: () => true, at: 'noet', message: 'No' } } }),
  // @ts-expect-error a check that gives no verdict
  defineResource({ ...base, access: {}, checks: { right: { require: ({ note }) => note, message: 'No' } } }),
  // @ts-expect-error a check without its sentence
  defineResource({ ...base, access: {}, checks: { right: { require: () => true } } }),
  // @ts-expect-error a misspelt member of a check
  defineResource({ ...base, access: {}, checks: { right: { require: () => true, message: 'No', att: 'note' } } }),
  // @ts-expect-error a check that takes the time without saying so
  defineResource({ ...base, access: {}, checks: { right: { require: (_, { now }) => now > '2020', message: 'No' } } }),
  // @ts-expect-error a misspelt message
  defineResource({ ...base, access: {}, messages: { conflcit: 'No' } }),
  // @ts-expect-error a message of a misspelt operation
  defineResource({ ...base, access: {}, messages: { notFound: { delte: 'No' } } }),
  // @ts-expect-error a misspelt member of a child
  defineResource({ ...base, access: {}, children: { lines: { resource: 'loanLine', by: 'loanId', singel: true } } }),
  defineResource({
    ...base,
    access: {},
    // @ts-expect-error a misspelt operation of a child
    children: { lines: { resource: 'loanLine', by: 'loanId', operations: ['lst'] } },
  }),
  // @ts-expect-error a misspelt kind of identity
  defineResource({ ...base, access: {}, identity: { kind: 'logn' } }),
  defineResource({
    ...base,
    access: {},
    // @ts-expect-error a misspelt field of identity
    identity: { kind: 'login', login: 'id', secret: 'nte', role: 'id' },
  }),
]

export const lists = [
  // @ts-expect-error no style
  defineResource({ ...base, access: {}, list: {} }),
  // @ts-expect-error a misspelt style
  defineResource({ ...base, access: {}, list: { style: 'pages' } }),
  // @ts-expect-error a misspelt member
  defineResource({ ...base, access: {}, list: { style: 'page', sortible: ['note'] } }),
  // @ts-expect-error a misspelt sort
  defineResource({ ...base, access: {}, list: { style: 'page', sortable: ['nte'] } }),
  // @ts-expect-error a sort by what is not stored
  defineResource({ ...base, access: {}, list: { style: 'page', sortable: ['lines'] } }),
  // @ts-expect-error a misspelt default sort
  defineResource({ ...base, access: {}, list: { style: 'page', defaultSort: '-nte' } }),
  // @ts-expect-error a misspelt filter
  defineResource({ ...base, access: {}, list: { style: 'page', filters: { note: equals('nte') } } }),
  // @ts-expect-error a filter that is a word
  defineResource({ ...base, access: {}, list: { style: 'page', filters: { note: 'note' } } }),
  // @ts-expect-error a search in what is no text
  defineResource({ ...base, access: {}, list: { style: 'page', search: ['weeks'] } }),
  defineResource({
    ...base,
    access: {},
    // @ts-expect-error a misspelt field without an index
    list: { style: 'page', filters: { open: isTrue('open') }, unindexed: ['opne'] },
  }),
]

export const graphql = [
  // @ts-expect-error a misspelt side
  defineResource({ ...base, access: {}, graphql: { mutations: {} } }),
  // @ts-expect-error a misspelt operation
  defineResource({ ...base, access: { list: user }, graphql: { query: { all: 'lsit' } } }),
  // @ts-expect-error a misspelt member
  defineResource({ ...base, access: { list: user }, graphql: { query: { all: { operation: 'list', limt: 3 } } } }),
  defineResource({
    ...base,
    access: { list: user },
    // @ts-expect-error a misspelt result
    graphql: { query: { all: { operation: 'list', returns: 'slef' } } },
  }),
  defineResource({
    ...base,
    access: { list: user },
    // @ts-expect-error a misspelt condition
    graphql: { query: { all: { operation: 'list', where: { nte: '' } } } },
  }),
  defineResource({
    ...base,
    access: { list: user },
    // @ts-expect-error a condition of another type
    graphql: { query: { all: { operation: 'list', where: { open: 'yes' } } } },
  }),
]

const strayLine = defineResource({
  name: 'loanLine',
  fields: { ...fields, loanId: reference('laon') },
  access: {},
})
const strayRule = defineResource({
  name: 'loanLine',
  fields: { ...fields, loanId: reference('loan') },
  access: {
    get: through('loanId', anyOf([owner('membrId'), admin])),
    list: through('loanId', through('memberId', owner('ident'))),
  },
})
const strayResult = defineResource({
  name: 'loanLine',
  fields: { ...fields, loanId: reference('loan') },
  access: { update: { before: anyone, after: through('loanId', owner('wekes')) } },
})
const strayLook = defineResource({
  name: 'loanLine',
  fields: { ...fields, loanId: reference('loan'), weeksOfLoan: lookup(integer(), { via: 'loanId', field: 'wekes' }) },
  access: {},
})
const strayParts = defineResource({
  name: 'loanLine',
  fields: { ...fields, loanId: reference('loan'), parts: embedded('member', 'lineId') },
  access: {},
})

export async function between(): Promise<void> {
  // @ts-expect-error "loanLine: field "loanId": no resource "laon""
  await runService([loans, members, strayLine])
  // @ts-expect-error "loanLine: access: no field "membrId" in "loan""
  await runService([loans, members, strayRule])
  // @ts-expect-error "loanLine: access: no field "wekes" in "loan""
  await runService([loans, members, strayResult])
  // @ts-expect-error "loanLine: field "weeksOfLoan": no field "wekes" in "loan""
  await runService([loans, members, strayLook])
  // @ts-expect-error "loanLine: field "parts": no field "lineId" in "member""
  await runCommandLine(async () => [loans, members, strayParts])
  // @ts-expect-error a reference to a resource that is not in the list
  await runService([loans])
}

// @ts-expect-error either is called anyOf now
export const renamedRule = either([user, admin])
// @ts-expect-error follow is called onWrite now
export const renamedMember = defineResource({ ...base, access: {}, follow: { name: () => 'x' } })
