/**
 * Misspelt and wrong options of fields, as plain JavaScript passes them: the start refuses each
 * with a suggestion.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  anyone,
  autoNumber,
  boolean,
  choice,
  derived,
  embedded,
  id,
  integer,
  lookup,
  money,
  owner,
  password,
  reference,
  role,
  state,
  text,
  textList,
  timestamp,
  token,
  user,
} from '../../src/index.ts'
import { loosely, mistakesOf, notOne, part, thing } from './declaring.ts'

const admin = role('ADMIN')
const transitions = { close: { from: ['OPEN'], to: 'DONE' } }
const close = { list: user, get: user, close: user }
const inField = (field: unknown) => [thing({ fields: { size: field } })]
const stateOf = (options: object) => loosely(state, ['OPEN', 'DONE'], { default: 'OPEN', transitions, ...options })
const inState = (options: object) => [thing({ fields: { size: stateOf(options) }, access: close })]
const inMove = (move: object) => inState({ transitions: { close: { ...transitions.close, ...move } } })

type Row = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

const ofFields: readonly Row[] = [
  [
    'a misspelt rule of a choice',
    inField(loosely(choice, ['USER', 'ADMIN'], { default: 'USER', wirte: admin })),
    'thing: field "size": no option "wirte"; did you mean "write"?',
  ],
  [
    'of text',
    inField(loosely(text, { maxLenght: 5 })),
    'thing: field "size": no option "maxLenght"; did you mean "maxLength"?',
  ],
  [
    'of integer',
    inField(loosely(integer, { requierd: true })),
    'thing: field "size": no option "requierd"; did you mean "required"?',
  ],
  ['of money', inField(loosely(money, { mim: 0 })), 'thing: field "size": no option "mim"; did you mean "min"?'],
  [
    'of boolean',
    inField(loosely(boolean, { defualt: true })),
    'thing: field "size": no option "defualt"; did you mean "default"?',
  ],
  [
    'of timestamp',
    inField(loosely(timestamp, { seton: 'create' })),
    'thing: field "size": no option "seton"; did you mean "setOn"?',
  ],
  [
    'of textList',
    inField(loosely(textList, { maxlength: 3 })),
    'thing: field "size": no option "maxlength"; did you mean "maxLength"?',
  ],
  [
    'of reference',
    inField(loosely(reference, 'thing', { ondelete: 'clear' })),
    'thing: field "size": no option "ondelete"; did you mean "onDelete"?',
  ],
  ['of state', inState({ readonly: true }), 'thing: field "size": no option "readonly"; did you mean "readOnly"?'],
  [
    'of an expiry',
    inState({ expires: { transition: 'close', from: ['OPEN'], since: 'at', aftr: () => 1 } }),
    'thing: field "size": expires: no member "aftr"; did you mean "after"?',
    'thing: field "size": expires: needs after',
  ],
  [
    'a move',
    inMove({ stmap: 'at' }),
    'thing: field "size": transitions.close: no member "stmap"; did you mean "stamp"?',
  ],
  [
    'of password',
    inField(loosely(password, { require: true })),
    'thing: field "size": no option "require"; did you mean "required"?',
  ],
  [
    'of token',
    inField(loosely(token, { prefix: 'a_', prefx: 'b_' })),
    'thing: field "size": no option "prefx"; did you mean "prefix"?',
  ],
  [
    'of embedded',
    [thing({ fields: { parts: loosely(embedded, 'part', 'thingId', { maximum: 3 }) } }), part()],
    'thing: field "parts": no option "maximum"; there are description, max',
  ],
  [
    'of lookedUp',
    [thing(), part({ fields: { title: loosely(lookup, text(), { via: 'thingId', feild: 'name' }) } })],
    'part: field "title": no option "feild"; did you mean "field"?',
    'part: field "title": needs field',
  ],
  ['no object', inField(loosely(text, 200)), 'thing: field "size": must be an object, and is 200'],
  [
    'a limit that is no number',
    inField(loosely(integer, { max: '5' })),
    'thing: field "size": max: must be a number, and is "5"',
  ],
  [
    'a flag that is none',
    inField(loosely(text, { unique: 'yes' })),
    'thing: field "size": unique: must be true or false, and is "yes"',
  ],
  [
    'a word that there is not',
    inField(loosely(text, { format: 'e-mail' })),
    'thing: field "size": format: cannot be "e-mail"; did you mean "email"?',
  ],
  [
    'another word',
    inField(loosely(reference, 'thing', { onDelete: 'cascade' })),
    'thing: field "size": onDelete: cannot be "cascade"; there are delete, clear, keep, refuse',
  ],
  [
    'a time that is never',
    inField(loosely(timestamp, { setOn: 'update' })),
    'thing: field "size": setOn: cannot be "update"; there are create, write, transition',
  ],
  [
    'of a number that is counted',
    inField(loosely(autoNumber, { prefix: 'a,', per: ['years'], required: true, digits: 0 })),
    'thing: field "size": per: cannot be "years"; did you mean "year"?',
    'thing: field "size": no option "required"; there are prefix, per, digits, zone, renamedFrom, convert, read, description, deprecated',
    'thing: field "size": digits: must be a whole number from 1, and is 0',
    'thing: field "size": prefix "a," must be letters, digits, spaces and . / _ # -, and begin with a letter, a digit or #',
  ],
  [
    'an increment that no update may send',
    inField(integer({ increment: true, readOnly: true })),
    'thing: field "size": increment: no update may change the field',
  ],
  [
    'an increment of a field whose 0 is its default',
    inField(integer({ increment: true, falsyIsDefault: true, default: 3 })),
    'thing: field "size": increment: a value of 0 means the default, so an increment may not reach it',
  ],
  [
    'an increment with the name of another field',
    [thing({ fields: { size: integer({ increment: true }), sizeIncrement: integer() } })],
    'thing: field "size": increment: GraphQL calls it sizeIncrement, which is another field',
  ],
  ['too many digits', inField(autoNumber({ digits: 10 })), 'thing: field "size": digits (10) is above 9'],
  [
    'a zone without a year',
    inField(autoNumber({ zone: 'Europe/Berlin' })),
    'thing: field "size": zone means nothing without per: \'year\'',
  ],
  [
    'a zone that is none',
    inField(autoNumber({ per: 'year', zone: 'Berlin' })),
    'thing: field "size": zone "Berlin" is no time zone, such as Europe/Berlin',
  ],
  [
    'a number of no tenant',
    inField(autoNumber({ per: ['year', 'tenant'] })),
    `thing: field "size": per: 'tenant' counts in each tenant, and the resource belongs to none`,
  ],
  [
    'a number that other code would set',
    [
      thing({
        fields: { size: autoNumber() },
        upsert: ['size'],
        onWrite: { size: () => 1 },
        access: {
          list: user,
          get: user,
          create: user,
          replace: user,
        },
      }),
    ],
    'thing: onWrite: "size" is counted by the engine',
    'thing: upsert: "size" is counted by the engine, so no caller sends it for a new record',
  ],
  [
    'a derived field like a number',
    inField(derived(autoNumber() as never, () => 1 as never)),
    'thing: field "size": cannot be like autoNumber()',
  ],
  ['min above max', inField(integer({ min: 5, max: 1 })), 'thing: field "size": min (5) is above max (1)'],
  ['min above max of money', inField(money({ min: 5, max: 1 })), 'thing: field "size": min (5) is above max (1)'],
  [
    'a limit beyond what is stored',
    inField(integer({ max: 3e9 })),
    'thing: field "size": max must be a whole number of 32 bits, and is 3000000000',
  ],
  [
    'a length of nothing',
    inField(text({ maxLength: 0 })),
    'thing: field "size": maxLength: must be a whole number from 1, and is 0',
  ],
  [
    'a default of another type',
    inField(loosely(integer, { default: '5' })),
    'thing: field "size": its default must be an integer',
  ],
  [
    'a default above the limit',
    inField(integer({ max: 5, default: 6 })),
    'thing: field "size": its default must be from -2147483648 to 5',
  ],
  [
    'a default that is no word of the choice',
    inField(loosely(choice, ['A', 'B'], { default: 'C' })),
    'thing: field "size": its default must be one of A, B',
  ],
  [
    'a computed default of another type',
    inField(loosely(integer, { default: () => 'now' })),
    'thing: field "size": its default must be an integer',
  ],
  [
    'a default that fails',
    inField(loosely(integer, { default: (c: { noo: string }) => c.noo.length })),
    'thing: field "size": its default cannot be computed: Cannot read properties of undefined (reading \'length\')',
  ],
  [
    'a default of a time that is set',
    inField(timestamp({ setOn: 'create', default: '2026-01-01' })),
    'thing: field "size": has setOn, so its default is never used',
  ],
  ['a choice of no words', inField(choice([])), 'thing: field "size": values: there must be one word at least'],
  ['a choice with a word twice', inField(choice(['A', 'A'])), 'thing: field "size": values: "A" is there twice'],
  ['a choice of a number', inField(loosely(choice, [1])), 'thing: field "size": values: must be a text, and is 1'],
  [
    'an expiry that nothing fits',
    inState({ expires: { transition: 'clse', from: ['DONE'], since: 'size', after: () => undefined } }),
    'thing: field "size": expires: no transition "clse"; did you mean "close"?',
    'thing: field "size": expires: since: "size" must be a timestamp',
  ],
  [
    'an expiry of a state where its move does not begin',
    inState({ expires: { transition: 'close', from: ['DONE'], since: 'sice', after: () => undefined } }),
    'thing: field "size": expires: the transition "close" does not begin in "DONE"',
    'thing: field "size": expires: since: no field "sice"; did you mean "size"?',
  ],
  [
    'a state without moves',
    inField(loosely(state, ['OPEN'], { default: 'OPEN' })),
    'thing: field "size": a state needs transitions; without them it is a choice',
  ],
  ['from nowhere', inMove({ from: [] }), 'thing: field "size": transition "close" begins nowhere: from is empty'],
  [
    'a move to a misspelt state',
    inMove({ to: 'DOEN' }),
    'thing: field "size": transition "close" names the state "DOEN", which does not exist; did you mean "DONE"?',
  ],
  [
    'a field that is not called',
    [thing({ fields: { size: text } })],
    'thing: field "size": must be a field, such as text(), and is the function text; call it: text()',
  ],
  [
    'a field that is a word',
    [thing({ fields: { size: 'text' } })],
    'thing: field "size": must be a field, such as text(), and is "text"',
  ],
  [
    'a field that is a rule',
    [thing({ fields: { size: anyone } })],
    'thing: field "size": must be a field, such as text(), and is an object',
  ],
  [
    'a rule that is a word',
    inField(loosely(text, { write: 'ADMIN' })),
    `thing: field "size": write: ${notOne} "ADMIN"; did you mean role('ADMIN')?`,
  ],
  [
    'a rule of a field about a record that has no such field',
    inField(loosely(text, { read: owner('idd') })),
    'thing: field "size": read: owner("idd"): no such field; did you mean "id"?',
  ],
  [
    'a default sort by a field with a rule for reads',
    [
      thing({
        fields: { size: text({ read: owner('id') }) },
        list: { style: 'page', sortable: ['size'], defaultSort: 'size' },
      }),
    ],
    'thing: list.defaultSort: "size" has a rule for reads, and the order would tell its values',
  ],
  [
    'a computed field that tells a field with a rule about the record',
    [thing({ fields: { size: text({ read: owner('id') }), twice: derived(text(), ({ size }) => `${size}${size}`) } })],
    'thing: field "twice": is computed from "size", which only some callers may read: give it a rule of its own, such as derived(text({ read: anyone }), …)',
  ],
  [
    'a value that nobody can set',
    [thing({ fields: { size: integer({ required: true, readOnly: true }) }, access: { get: user, create: user } })],
    'thing: field "size": is read-only, never null and has no default, so no record can be created',
  ],
  [
    'a field that no answer has, returned on request',
    inField(text({ hidden: true, returned: 'request' })),
    'thing: field "size": returned: means nothing for a field that no answer has',
  ],
  [
    'a misspelt word of returned',
    inField(loosely(text, { returned: 'asked' })),
    'thing: field "size": returned: must be \'request\', and is "asked"',
  ],
  [
    'a field of a part that is returned on request',
    [
      thing({ fields: { parts: embedded('part', 'thingId') } }),
      part({ fields: { thingId: reference('thing', { required: true }), size: text({ returned: 'request' }) } }),
    ],
    'thing: field "parts": embeds records whose "size" is returned on request, and no request names it in a part',
  ],
  [
    'a derived field that is unique',
    inField(derived(integer({ unique: true }), () => 1)),
    'thing: field "size": unique means nothing for a field that is not stored',
  ],
  [
    'values in the change log of a hidden field',
    [thing({ fields: { size: text({ hidden: true }) }, changes: { fields: ['size'] } })],
    'thing: changes.fields: "size" is hidden or secret: no log has its values',
  ],
  [
    'values in the change log of a field that is not stored',
    [thing({ fields: { size: derived(integer(), () => 1) }, changes: { fields: ['size'] } })],
    'thing: changes.fields: "size" is not stored',
  ],
  [
    'a derived field like another derived one',
    inField(
      derived(
        derived(integer(), () => 1),
        () => 1,
      ),
    ),
    'thing: field "size": is like a field that is not stored itself',
  ],
  ['a derived field like an id', inField(derived(id(), () => 'x')), 'thing: field "size": cannot be like id()'],
  [
    'a derived field without a function',
    inField(loosely(derived, money(), 5)),
    'thing: field "size": its computation: must be a function, and is 5',
  ],
  [
    'a derived field of a misspelt name',
    inField(derived(integer(), ({ widht }) => widht)),
    'thing: field "size": reads "widht": no field "widht"',
  ],
  [
    'a derived field of itself',
    inField(derived(integer(), ({ size }) => size)),
    'thing: field "size": is computed from itself',
  ],
  [
    'derived fields in a circle',
    [thing({ fields: { a: derived(integer(), ({ b }) => b), b: derived(integer(), ({ a }) => a) } })],
    'thing: field "a": is computed from "b", which is computed after it: declare that one first',
  ],
]

describe('a mistake in a field', () => {
  for (const [mistake, list, ...says] of ofFields) it(mistake, () => assert.deepEqual(mistakesOf(list), says))
})
