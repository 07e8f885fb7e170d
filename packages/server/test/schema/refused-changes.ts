/** The schema changes that are refused, each with its message. */
import {
  autoNumber,
  choice,
  computed,
  date,
  decimal,
  float,
  integer,
  integerId,
  money,
  oneToOne,
  reference,
  text,
  url,
  uuid,
} from '../../src/index.ts'
import { noteless, owner, plain, type SchemaChange, thing, withStatus, wordOf, words } from './changes.ts'

export type RefusedChange = Omit<SchemaChange, 'becomes' | 'name'> & {
  /** The message of the refusal. */
  readonly message: RegExp
}

export const refusedChanges: readonly RefusedChange[] = [
  {
    what: 'an integer becomes money without a word about its values',
    before: [thing()],
    after: [thing({ ...plain, size: money({ default: 0 }) })],
    message:
      /thing: field "size": things\.size changes from integer to money: a stored 1999 would be read as 19\.99; write .*convert: \(value\) =>/,
  },
  {
    what: 'money becomes an integer without a word about its values',
    before: [thing({ ...plain, size: money({ default: 0 }) })],
    after: [thing()],
    message:
      /things\.size changes from money to integer: 19\.99, stored as 1999 in minor units, would be read as 1999; write .*convert: \(value\) =>/,
  },
  {
    what: 'a conversion that some values do not survive',
    before: [thing()],
    after: [thing({ ...plain, note: integer({ convert: (note) => Number.parseInt(note, 10) }) })],
    message: /note must be an integer: 6 records \(.*0002, .*0004/,
  },
  {
    what: 'a decimal with fewer decimals, where records have them',
    before: [thing({ ...plain, part: decimal({ precision: 10, scale: 3 }) })],
    after: [thing({ ...plain, part: decimal({ precision: 10, scale: 1 }) })],
    stored: (n) => ({ part: BigInt(n) * 50n }),
    message: /the new values of things: part must have at most 1 decimal: 6 records \(.*0001, .*0003/,
  },
  {
    what: 'money becomes a decimal that is too small',
    before: [thing({ ...plain, size: money({ default: 0 }) })],
    after: [thing({ ...plain, size: decimal({ precision: 2, scale: 2 }) })],
    stored: (n) => ({ size: n < 3 ? 100 : 99 }),
    message: /size must be from -0.99 to 0.99: 2 records \(.*0001, .*0002\)/,
  },
  {
    what: 'a decimal becomes money without a word about its values',
    before: [thing({ ...plain, size: decimal({ precision: 10, scale: 2, default: 0 }) })],
    after: [thing({ ...plain, size: money({ default: 0 }) })],
    stored: (n) => ({ size: BigInt(n) }),
    message: /things\.size changes from decimal with scale 2 to money; write .*convert: \(value\) =>/,
  },
  {
    what: 'a text becomes a float without a word about its values',
    before: [thing()],
    after: [thing({ ...plain, note: float() })],
    message: /things\.note changes from text to float; write .*convert: \(value\) =>/,
  },
  {
    what: 'texts that are no numbers become floats',
    before: [thing()],
    after: [thing({ ...plain, note: float({ convert: Number }) })],
    message: /note must be a finite number: 6 records \(.*0002, .*0004/,
  },
  {
    what: 'a text becomes a date without a word about its values',
    before: [thing()],
    after: [thing({ ...plain, note: date() })],
    message: /things\.note changes from text to date; write .*convert: \(value\) =>/,
  },
  {
    what: 'texts that are no dates become dates',
    before: [thing()],
    after: [thing({ ...plain, note: date({ convert: (note) => note }) })],
    message: /note must be a date such as 2026-01-31: 6 records \(.*0002, .*0004/,
  },
  {
    what: 'a text becomes a UUID or a URL, and some are none',
    before: [thing()],
    after: [thing({ ...plain, note: uuid({ convert: (note) => note }) })],
    message: /note must be a UUID such as .*: 6 records \(.*0002, .*0004/,
  },
  {
    what: 'a text becomes a URL without a word about its values',
    before: [thing()],
    after: [thing({ ...plain, note: url() })],
    message: /things\.note changes from text to url; write what becomes of each stored value: convert: \(value\) =>/,
  },
  {
    what: 'a word that records have goes',
    before: [withStatus(choice(words))],
    after: [withStatus(choice(['OUT', 'RETURNED']))],
    stored: (n) => ({ status: wordOf(n) }),
    message: /things\.status no longer has the word "BACK": 4 records \(.*0003, .*renamedFrom: \{ BACK: 'OUT' \}/,
  },
  {
    what: 'an optional field becomes required against stored records',
    before: [thing()],
    after: [thing({ ...plain, note: text({ required: true }) })],
    message: /things\.note changes from text to text not null.*: 6 records \(.*0001, .*backfill: \(row\)/,
  },
  {
    what: 'a key becomes unique against stored records',
    before: [thing({ ...plain, kind: text() })],
    after: [thing({ ...plain, kind: text({ unique: true }) })],
    stored: (n) => ({ kind: n < 4 ? ['Été', 'ÉTÉ', 'été'][n - 1] : `Kind ${n}` }),
    message: /things\.kind_folded must be unique.*été: 3 records \(.*0001, .*0002, .*0003\)/,
  },
  {
    what: 'a new required field without a value for stored records',
    before: [thing()],
    after: [thing({ ...plain, extra: integer({ required: true }) })],
    message:
      /things\.extra is new and required.*backfill.*12 records|things\.extra is new and required.*12 records .*backfill/,
  },
  {
    what: 'a backfill that throws',
    before: [thing()],
    after: [thing({ ...plain, extra: integer({ required: true, backfill: (row) => row.note.length }) })],
    message: /the new values of things: Cannot read properties of null.*: 6 records \(/,
  },
  {
    what: 'a field goes that has values',
    before: [thing()],
    after: [thing(noteless)],
    message: /things\.note \(text\) is no longer declared.*6 records.*renamedFrom: 'note'.*--allow-loss thing\.note/,
  },
  {
    what: 'a resource goes that has records',
    before: [thing(), owner],
    after: [owner],
    message: /table things is no longer declared.*12 records.*--allow-loss thing/,
  },
  {
    what: 'numbers of the table become those of each year',
    before: [thing({ ...plain, number: autoNumber({ digits: 1 }) })],
    after: [thing({ ...plain, number: autoNumber({ per: 'year' }) })],
    stored: (n) => ({ number: n }),
    message:
      /things\.number changes from autoNumber to autoNumber by year: a stored 1999 would be read as 0000-1999; write .*convert: \(value\) =>/,
  },
  {
    what: 'a reference that several records share becomes one-to-one',
    before: [owner, thing({ ...plain, ownerId: reference('owner', { onDelete: 'keep' }) })],
    after: [owner, thing({ ...plain, ownerId: oneToOne('owner', { onDelete: 'keep' }) })],
    stored: (n) => ({ ownerId: n < 4 ? 1 : n }),
    message: /things\.owner_id must be unique.*: 3 records \(.*0001, .*0002, .*0003\)/,
  },
  {
    what: 'ids of another kind',
    before: [thing()],
    after: [thing({ ...plain, id: integerId() })],
    message: /things\.id changes from text to counted integer; an id keeps its kind/,
  },
  {
    what: 'a field whose values callers gave is computed from now on',
    before: [thing()],
    after: [thing({ ...plain, note: computed(text(), ({ name }) => name) })],
    message: /note.*--allow-loss thing\.note/,
  },
]
