/**
 * Misspelt and wrong members of a declaration, at every level, and circular values: the start
 * refuses each with a suggestion.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { equals, id, integer, role, textList, timestamp } from '../../src/index.ts'
import { declare, mistakesOf, notOne, part, thing } from './declaring.ts'
import { type MistakeRow, testMistakes } from './mistake-rows.ts'

type Loose = Readonly<Record<string, unknown>>

const inList = (list: object) => [thing({ list: { style: 'page', ...list } })]
const inEntry = (entry: unknown, side = 'query') => [thing({ graphql: { [side]: { things2: entry } } })]

const ofResources: readonly MistakeRow[] = [
  ['a misspelt member', [thing({ addOnCraete: [] })], 'thing: no member "addOnCraete"; did you mean "addOnCreate"?'],
  [
    'a member of another level',
    [thing({ sortable: ['name'] })],
    'thing: no member "sortable"; there are name, plural, description, example, renamedFrom, path, atRoot, fields, list, access, unique, concurrency, upsert, addOnCreate, onWrite, hooks, checks, children, actions, effects, history, changes, graphql, identity, messages, display, tenant, single, trash, explainAccess, deprecated, deprecatedOperations',
  ],
  ['no access', [declare({ name: 'thing', fields: { id: id() } })], 'thing: needs access'],
  ['no fields', [declare({ name: 'thing', access: {} })], 'thing: needs fields'],
  ['no name', [declare({ access: {}, fields: { id: id() } })], 'a resource without a name: needs name'],
  [
    'a plural that is no name',
    [thing({ plural: 'the things' })],
    'thing: plural: a name is camelCase letters and digits',
  ],
  [
    'a concurrency that there is not',
    [thing({ concurrency: 'optional' })],
    'thing: concurrency: cannot be "optional"; there are required',
  ],
  ['an upsert by what is not unique', [thing({ upsert: ['name'] })], 'thing: upsert: "name" is not unique'],
  [
    'an upsert by fields that are not unique together',
    [thing({ fields: { no: integer() }, unique: [['no']], upsert: ['no', ['no', 'name'], ['nmae']] })],
    'thing: upsert: needs a path, and rules for create and replace',
    'thing: upsert: [no, name] is not unique',
    'thing: upsert: no field "nmae"; did you mean "name"?',
  ],
  [
    'an upsert by a field that the engine sets, and one that is named twice',
    [
      thing({
        fields: { at: timestamp({ setOn: 'create' }), no: integer() },
        unique: [['at', 'no'], ['no']],
        upsert: [
          ['at', 'no'],
          ['no', 'at'],
        ],
      }),
    ],
    'thing: upsert: "at" is set by the engine, so no caller sends it',
    'thing: upsert: [no, at] is named twice',
  ],
  ['a flag that is none', [thing({ atRoot: 'yes' })], 'thing: atRoot: must be true or false, and is "yes"'],
  [
    'what was not made by defineResource',
    [{ name: 'thing', fields: {}, access: {} }],
    'the list of resources: number 1 is an object, and not made by defineResource',
  ],
  [
    'a hole in the list',
    [thing(), undefined],
    'the list of resources: number 2 is undefined, and not made by defineResource',
  ],
  [
    'a misspelt message',
    [thing({ messages: { conflcit: 'No' } })],
    'thing: messages: no member "conflcit"; did you mean "conflict"?',
  ],
  [
    'a message of a misspelt operation',
    [thing({ messages: { notFound: { delte: 'No' } } })],
    'thing: messages.notFound: no member "delte"; did you mean "delete"?',
  ],
  [
    'a message that is no text',
    [thing({ messages: { conflict: 409 } })],
    'thing: messages.conflict: must be a text, and is 409',
  ],
  ['a misspelt key', [thing({ unique: [['nmae']] })], 'thing: unique: no field "nmae"; did you mean "name"?'],
  ['a key that is no list', [thing({ unique: ['name'] })], 'thing: unique: must be a list, and is "name"'],
  [
    'a key with a field twice',
    [thing({ unique: [['name', 'name']] })],
    'thing: unique: [name, name] names a field twice',
  ],
  ['a key of a list', [thing({ fields: { tags: textList() }, unique: [['tags']] })], 'thing: unique: "tags" is a list'],
  [
    'a list that is unique',
    [thing({ fields: { tags: textList({ unique: true }) } })],
    'thing: field "tags": a list cannot be unique',
  ],
  [
    'a number to add that is a reference',
    [thing({ fields: { no: integer() }, unique: [['name']], addOnCreate: ['noo'] })],
    'thing: addOnCreate: no field "noo"; did you mean "no"?',
  ],
  [
    'a misspelt following value',
    [thing({ onWrite: { nmae: () => '' } })],
    'thing: onWrite: no field "nmae"; did you mean "name"?',
  ],
  [
    'a following value without a function',
    [thing({ onWrite: { name: 'x' } })],
    'thing: onWrite.name: must be a function, and is "x"',
  ],
  [
    'a following value of a misspelt one',
    [thing({ onWrite: { name: (record: Loose) => record.nmae } })],
    'thing: onWrite.name: reads "nmae": no field "nmae"; did you mean "name"?',
  ],
]

const ofLists: readonly MistakeRow[] = [
  ['a misspelt member', inList({ sortible: ['name'] }), 'thing: list: no member "sortible"; did you mean "sortable"?'],
  ['no style', [thing({ list: {} })], 'thing: list: needs style'],
  [
    'a misspelt style',
    [thing({ list: { style: 'pages' } })],
    'thing: list.style: cannot be "pages"; did you mean "page"?',
  ],
  ['a misspelt sort', inList({ sortable: ['nmae'] }), 'thing: list.sortable: no field "nmae"; did you mean "name"?'],
  ['a sort that is no list', inList({ sortable: 'name' }), 'thing: list.sortable: must be a list, and is "name"'],
  [
    'a misspelt default sort',
    inList({ defaultSort: '-nmae' }),
    'thing: list.defaultSort: no field "nmae"; did you mean "name"?',
  ],
  ['a misspelt search', inList({ search: ['nmae'] }), 'thing: list.search: no field "nmae"; did you mean "name"?'],
  [
    'a filter of a misspelt field',
    inList({ filters: { by: equals('nmae') } }),
    'thing: list.filters.by: no field "nmae"; did you mean "name"?',
  ],
  [
    'a filter that is a field',
    inList({ filters: { by: 'name' } }),
    'thing: list.filters.by: must be an object, and is "name"',
  ],
  [
    'a filter of its own making',
    inList({ filters: { by: { field: 'name', by: 'equals' } } }),
    'thing: list.filters.by.by: cannot be "equals"; there are eq, gte, lte, contains, true',
  ],
  [
    'a field without an index that there is not',
    inList({ sortable: ['name'], unindexed: ['nmae'] }),
    'thing: list.unindexed: no field "nmae"; did you mean "name"?',
  ],
]

const ofGraphql: readonly MistakeRow[] = [
  [
    'a misspelt side',
    [thing({ graphql: { mutations: {} } })],
    'thing: graphql: no member "mutations"; did you mean "mutation"?',
  ],
  [
    'a misspelt member',
    inEntry({ operation: 'list', limt: 3 }),
    'thing: graphql.query.things2: no member "limt"; did you mean "limit"?',
  ],
  ['no operation', inEntry({ limit: 3 }), 'thing: graphql.query.things2: needs operation'],
  ['a misspelt operation', inEntry('lsit'), 'thing: graphql.query.things2: no operation "lsit"; did you mean "list"?'],
  [
    'an operation of the other side',
    inEntry('list', 'mutation'),
    'thing: graphql.mutation.things2: "list" is no mutation; it belongs under query',
  ],
  [
    'a limit that is none',
    inEntry({ operation: 'list', limit: '3' }),
    'thing: graphql.query.things2.limit: must be a whole number from 1, and is "3"',
  ],
  [
    'a misspelt result',
    inEntry({ operation: 'list', returns: 'slef' }),
    'thing: graphql.query.things2.returns: cannot be "slef"; did you mean "self"?',
  ],
  [
    'a misspelt condition',
    inEntry({ operation: 'list', where: { nmae: 'x' } }),
    'thing: graphql.query.things2: where: no field "nmae"; did you mean "name"?',
  ],
  [
    'a rule that is a word',
    inEntry({ operation: 'list', access: 'user' }),
    `thing: graphql.query.things2.access: ${notOne} "user"; rules are written without quotes`,
  ],
]

testMistakes({ 'a resource': ofResources, 'a list': ofLists, GraphQL: ofGraphql })

describe('what is right', () => {
  it('has no mistakes', () => {
    assert.deepEqual(mistakesOf([thing({ children: { parts: { resource: 'part', by: 'thingId' } } }), part()]), [])
    const size = integer({ required: true, default: 1, read: role('ADMIN') })
    assert.deepEqual(mistakesOf([thing({ fields: { size } })]), [])
  })
})
