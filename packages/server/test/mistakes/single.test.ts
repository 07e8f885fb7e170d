/** Mistakes in `single: true`: what one record does not have, each with its reason. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { id, integer, manualOrder, manyToMany, reference, text, user } from '../../src/index.ts'
import { declare, mistakesOf, thing } from './declaring.ts'

type Loose = Readonly<Record<string, unknown>>
const one = ({ fields, ...change }: Loose = {}) =>
  declare({
    name: 'settings',
    path: '/settings',
    single: true,
    fields: { id: id(), title: text(), ...(fields as Loose) },
    access: { read: user, write: user },
    ...change,
  })

const rows: readonly (readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]])[] = [
  ['nothing', [one()]],
  ['a link from it', [one({ fields: { things: manyToMany('thing') }, history: { keep: 2 } }), thing()]],
  ['no path', [one({ path: undefined })], 'settings: single: needs a path'],
  [
    'a list and its operations',
    [one({ list: { style: 'page' }, access: { get: user, list: user, create: user, delete: user, import: user } })],
    'settings: access.list: there is one record, which `get` reads',
    'settings: access.create: the record exists from its defaults',
    'settings: access.delete: there is one record, which always exists; a `replace` with {} sets the defaults',
    'settings: access.import: an update sends its values; the command line imports it',
    'settings: list: there is one record, and no list',
  ],
  [
    'unique values',
    [one({ fields: { code: text({ unique: true }), no: integer() }, unique: [['no', 'title']] })],
    'settings: unique: there is one record, so every value is unique',
    'settings: field "code": unique: there is one record, so every value is unique',
  ],
  [
    'a value that it cannot have at first',
    [one({ fields: { size: integer({ required: true }), width: integer({ required: true, default: 1 }) } })],
    'settings: field "size": required: the record exists before a value is sent, so it needs a default',
  ],
  [
    'an upsert and a trash',
    [one({ upsert: ['_single'], trash: { days: 3 } })],
    'settings: upsert: there is one record, which a `replace` writes',
    'settings: trash: the record is never deleted',
  ],
  [
    'a manual order',
    [one({ fields: { rank: manualOrder() } })],
    'settings: field "rank": there is one record, which needs no place in an order',
  ],
  [
    'references to it',
    [one(), thing({ fields: { settingsId: reference('settings'), many: manyToMany('settings') } })],
    'settings: single: "settingsId" of "thing" refers to it: there is one record, so a reference says nothing',
    'settings: single: "many" of "thing" refers to it: there is one record, so a reference says nothing',
  ],
  [
    'a field of the engine in a list',
    [thing({ fields: { _single: integer() } })],
    'thing: field "_single": names that begin with _ are the engine\'s; only "_id" may be declared',
  ],
]

describe('start refuses, in a resource with one record:', () => {
  for (const [mistake, of, ...says] of rows)
    it(mistake, () => {
      const found = mistakesOf(of)
      for (const line of says) assert.ok(found.includes(line), `${line}\n---\n${found.join('\n')}`)
      if (says.length === 0) assert.deepEqual(found, [])
    })
})
