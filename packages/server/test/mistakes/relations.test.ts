/** Mistakes between resources, and circular ones: the start refuses each with a suggestion. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  boolean,
  count,
  embedded,
  id,
  integer,
  latest,
  lookup,
  money,
  now,
  reference,
  role,
  slug,
  sum,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { declare, loosely, mistakesOf, part, thing } from './declaring.ts'

type Row = readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]]

const inChild = (child: object) => [
  thing({ children: { parts: { resource: 'part', by: 'thingId', ...child } } }),
  part(),
]
/** Parts that are made under a thing alone. */
const made = part({
  fields: { thingId: reference('thing', { setBy: 'parent', onDelete: 'delete' }) },
  access: { list: user, create: user },
})
/** A thing that counts its parts so, and the parts. */
const counting = (field: ReturnType<typeof count>, parts: object = {}) => [
  thing({ fields: { parts: field } }),
  part({ fields: { thingId: reference('thing'), size: integer(), name: text(), at: timestamp(), ...parts } }),
]
/** A part of a thing with this field about it. */
const about = (field: object, thingId: object = reference('thing', { onDelete: 'clear' })) => [
  thing(),
  part({ fields: { thingId, size: integer(), note: field, at: timestamp() } }),
]
const rows: readonly Row[] = [
  [
    'a personal field that cannot be null',
    about(text({ required: true, personal: 'thingId' })),
    'part: field "note": personal: an erasure cannot empty it, because it is never null; leave required and default out',
  ],
  [
    'a personal field with a default',
    about(text({ default: 'x', personal: 'thingId' })),
    'part: field "note": personal: an erasure cannot empty it, because it is never null; leave required and default out',
  ],
  [
    'a personal field about no field',
    about(text({ personal: 'thingsId' })),
    'part: field "note": personal: no field "thingsId"; did you mean "thingId"?',
  ],
  [
    'a personal field about no reference',
    about(text({ personal: 'size' })),
    'part: field "note": personal: "size" is no reference',
  ],
  [
    'a personal field of a record that goes, too',
    about(text({ personal: 'thingId' }), reference('thing', { onDelete: 'delete' })),
    'part: field "note": personal: the record goes with the thing of "thingId", so nothing is left',
  ],
  [
    'a personal field of a record that refuses',
    about(text({ personal: 'thingId' }), reference('thing', { onDelete: 'refuse' })),
    'part: field "note": personal: "thingId" refuses the erasure of its thing',
  ],
  [
    'a slug of a personal field',
    [
      thing(),
      part({
        fields: {
          thingId: reference('thing', { onDelete: 'clear' }),
          note: text({ personal: 'thingId' }),
          word: slug({ from: 'note' }),
        },
      }),
    ],
    'part: field "word": from: an erasure empties "note", and the value that is made from it would stay',
  ],
  [
    'a count over no relation',
    counting(count('prats')),
    'thing: field "parts": no relation "prats": name one of children, or the plural of a resource that refers to this one',
  ],
  [
    'a count by one of two references',
    counting(count('parts'), { other: reference('thing') }),
    'thing: field "parts": "part" has the references thingId and other to "thing": name one of them under children',
  ],
  [
    'a sum of texts',
    counting(sum('parts', 'name')),
    'thing: field "parts": "name" of "part" is no integer(), bigint(), decimal() or money(), which can be summed',
  ],
  ['a sum of no field', counting(sum('parts', 'sise')), 'thing: field "parts": no field "sise"; did you mean "size"?'],
  [
    'the latest of numbers',
    counting(latest('parts', 'size') as never),
    'thing: field "parts": "size" of "part" is no date or time',
  ],
  [
    'a count where no field is',
    counting(count('parts', { where: { sise: 1 } })),
    'thing: field "parts": where: no field "sise"; did you mean "size"?',
  ],
  [
    'a count that changes with time',
    counting(count('parts', { where: { at: { lt: now() } } })),
    'thing: field "parts": where: now() is another value for each request or record: compare with values alone',
  ],
  [
    'an option that a count does not have',
    counting(loosely(count, 'parts', { were: {} }) as never),
    'thing: field "parts": no option "were"; did you mean "where"?',
  ],
  [
    'a path that tells a reference with a rule about the record',
    [
      thing({ children: { parts: { resource: 'part', by: 'thingId' } } }),
      part({ fields: { open: boolean(), thingId: reference('thing', { read: where({ open: true }) }) } }),
    ],
    'thing: children.parts: "thingId" of "part" is read by a rule about the record, and records below another one tell it',
  ],
  [
    'embedded records that tell one',
    [
      thing({ fields: { parts: embedded('part', 'thingId') } }),
      part({ fields: { open: boolean(), thingId: reference('thing', { read: where({ open: true }) }) } }),
    ],
    'thing: field "parts": "thingId" of "part" is read by a rule about the record, and records below another one tell it',
  ],
  [
    'a misspelt resource',
    [thing(), part({ fields: { other: loosely(reference, 'thnig') } })],
    'part: field "other": refers to "thnig", which is not in the list of resources; did you mean "thing"?',
  ],
  [
    'a resource in place of its name',
    [thing({ fields: { other: loosely(reference, part()) } })],
    'thing: field "other": refers to a resource by its name, and is given an object',
  ],
  [
    'a misspelt field of a match',
    [
      thing({ fields: { size: integer() } }),
      part({ fields: { size: integer(), on: reference('thing', { match: 'sise' }) } }),
    ],
    'part: field "on": match: no field "sise" in "part"; did you mean "size"?',
  ],
  [
    'a match of no field',
    [thing(), part({ fields: { on: reference('thing', { match: [] }) } })],
    'part: field "on": match: names no field: leave it out, or name one that both records have',
  ],
  [
    'a match that tells what some callers may not read',
    [
      thing({ fields: { code: text({ read: role('ADMIN') }), name: text({ hidden: true }) } }),
      part({ fields: { code: text(), name: text(), on: reference('thing', { match: ['code', 'name'] }) } }),
    ],
    'part: field "on": match: "code" of "thing" is read by some callers only, and a match would tell its value to others',
    'part: field "on": match: "name" of "thing" is read by no caller, and a match would tell its value to others',
  ],
  [
    'one that the other record does not have',
    [
      thing({ fields: { sise: integer() } }),
      part({ fields: { size: integer(), on: reference('thing', { match: 'size' }) } }),
    ],
    'part: field "on": match: no field "size" in "thing"; did you mean "sise"?',
  ],
  [
    'one of another type',
    [
      thing({ fields: { size: text() } }),
      part({ fields: { size: integer(), on: reference('thing', { match: 'size' }) } }),
    ],
    'part: field "on": match: "size" is integer() here, and text() there',
  ],
  [
    'one that refers to another resource',
    [
      thing({ fields: { toId: reference('thing') } }),
      part({ fields: { toId: reference('part'), on: reference('thing', { match: ['toId'] }) } }),
    ],
    'part: field "on": match: "toId" refers to "part" here, and to "thing" there',
  ],
  [
    'the id, which no two records share',
    [thing(), part({ fields: { on: reference('thing', { match: 'id' }) } })],
    'part: field "on": match: "id" of "part" is its id, which no other record has',
  ],
  [
    'the reference itself',
    [thing(), part({ fields: { on: reference('part', { match: 'on' }) } })],
    'part: field "on": match: "on" is the reference itself',
  ],
  [
    'a match of no text',
    [thing(), part({ fields: { on: reference('thing', loosely(Object, { match: 5 }) as object) } })],
    'part: field "on": match: must be a text, and is 5',
  ],
  [
    'a condition of a deletion',
    [
      thing(),
      part({ fields: { on: boolean(), thingId: reference('thing', { onDelete: { deleteWhere: { no: true } } }) } }),
    ],
    'part: field "thingId": onDelete.deleteWhere: no field "no"; did you mean "on"?',
  ],
  [
    'its value',
    [
      thing(),
      part({ fields: { on: boolean(), thingId: reference('thing', { onDelete: { deleteWhere: { on: 'yes' } } }) } }),
    ],
    'part: field "thingId": onDelete.deleteWhere: on must be a boolean',
  ],
  [
    'a misspelt member of a child',
    inChild({ singel: true }),
    'thing: children.parts: no member "singel"; did you mean "single"?',
  ],
  [
    'a misspelt child',
    inChild({ resource: 'prat' }),
    'thing: children.parts: "prat" is not in the list of resources; did you mean "part"?',
  ],
  [
    'a misspelt reference of a child',
    inChild({ by: 'thingID' }),
    'thing: children.parts: "part" has no reference "thingID" to "thing"; did you mean "thingId"?',
  ],
  [
    'a record that is made under a parent, without a path there',
    [thing(), made],
    `part: access.create: "thingId" is set by the record above in the path, and there is no such path: "thing" needs children: { parts: { resource: 'part', by: 'thingId' } }`,
  ],
  [
    'the same, with a path that does not create',
    [thing({ children: { parts: { resource: 'part', by: 'thingId', operations: ['list'] } } }), made],
    `part: access.create: "thingId" is set by the record above in the path, and there is no such path: "thing" needs children: { parts: { resource: 'part', by: 'thingId' } }`,
  ],
  ['the same, with its path', [thing({ children: { parts: { resource: 'part', by: 'thingId' } } }), made]],
  [
    'an operation that the child does not have',
    inChild({ operations: ['delete'] }),
    'thing: children.parts: "part" has no rule for "delete" under access',
  ],
  [
    'a misspelt operation of a child',
    inChild({ operations: ['lst'] }),
    'thing: children.parts.operations: cannot be "lst"; did you mean "list"?',
  ],
  [
    'embedded records that there are not',
    [thing({ fields: { parts: embedded('prat', 'thingId') } }), part()],
    'thing: field "parts": embeds "prat", which is not in the list of resources; did you mean "part"?',
  ],
  [
    'embedded by a misspelt reference',
    [thing({ fields: { parts: embedded('part', 'thingID') } }), part()],
    'thing: field "parts": embeds "part" by "thingID", which is no reference to "thing"; did you mean "thingId"?',
  ],
  [
    'looked up via a misspelt reference',
    [thing(), part({ fields: { title: lookup(text(), { via: 'thngId', field: 'name' }) } })],
    'part: field "title": is looked up via "thngId", which is no reference; did you mean "thingId"?',
  ],
  [
    'a misspelt value that is looked up',
    [thing(), part({ fields: { title: lookup(text(), { via: 'thingId', field: 'nmae' }) } })],
    'part: field "title": is looked up in "nmae", which "thing" does not have; did you mean "name"?',
  ],
  [
    'a value looked up as another type',
    [
      thing({ fields: { price: money() } }),
      part({ fields: { price: lookup(integer(), { via: 'thingId', field: 'price' }) } }),
    ],
    'part: field "price": is like integer(), and "price" of "thing" is money()',
  ],
  [
    'a value looked up via one that is looked up',
    [
      declare({ name: 'shelf', fields: { id: id(), no: text() }, access: {} }),
      thing({ fields: { shelfId: reference('shelf') } }),
      part({
        fields: {
          shelfId: lookup(reference('shelf'), { via: 'thingId', field: 'shelfId' }),
          no: lookup(text(), { via: 'shelfId', field: 'no' }),
        },
      }),
    ],
    'part: field "no": is looked up via "shelfId", which is looked up itself: no query finds records by it',
  ],
  [
    'a value looked up that is looked up',
    [
      thing({ fields: { partId: reference('part'), title: lookup(text(), { via: 'partId', field: 'title' }) } }),
      part({ fields: { title: lookup(text(), { via: 'thingId', field: 'title' }) } }),
    ],
    'thing: field "title": is looked up in "title", which is not stored',
    'part: field "title": is looked up in "title", which is not stored',
  ],
  [
    'required references in a circle',
    [
      thing({ fields: { partId: reference('part', { required: true }) } }),
      part({ fields: { thingId: reference('thing', { onDelete: 'delete' }) } }),
    ],
    'thing: field "partId": is part of a circle in which no record can be the first (thing.partId → part.thingId → thing); make one of them optional',
    'part: field "thingId": is part of a circle in which no record can be the first (part.thingId → thing.partId → part); make one of them optional',
  ],
  [
    'a required reference to the resource itself',
    [thing({ fields: { above: reference('thing', { onDelete: 'delete' }) } })],
    'thing: field "above": is part of a circle in which no record can be the first (thing.above → thing); make one of them optional',
  ],
  [
    'records that embed each other',
    [
      thing({ fields: { partId: reference('part'), parts: embedded('part', 'thingId') } }),
      part({ fields: { things: embedded('thing', 'partId') } }),
    ],
    'thing: field "parts": is part of a circle that embeds without end (thing.parts → part.things → thing)',
    'part: field "things": is part of a circle that embeds without end (part.things → thing.parts → part)',
  ],
]

describe('a mistake between resources', () => {
  for (const [mistake, list, ...says] of rows) it(mistake, () => assert.deepEqual(mistakesOf(list), says))

  it('is none of a field that is hidden, or half of it', () => {
    const half = thing({ fields: { size: loosely(text, { hidden: 'half' }) } })
    assert.deepEqual(mistakesOf([half]), ['thing: field "size": hidden: must be true or false, and is "half"'])
    const sorted = { style: 'page', sortable: ['size'] } as const
    const listed = thing({ fields: { size: text({ hidden: true }) }, list: sorted })
    assert.deepEqual(mistakesOf([listed]), ['thing: list.sortable: "size" is never shown, so nothing may depend on it'])
    const inField = (field: unknown) => mistakesOf([thing({ fields: { size: field } })])
    const write = 'thing: field "size": write: means nothing for a hidden field, which no caller reads or sets'
    assert.deepEqual(inField(text({ hidden: true, write: role('ADMIN') })), [write])
    const none = 'thing: field "size": is hidden, never null and has no default, so no record can be created'
    const access = { list: user, get: user, create: user }
    assert.deepEqual(mistakesOf([thing({ fields: { size: text({ hidden: true, required: true }) }, access })]), [none])
  })

  it('lets resources refer to each other in a circle as long as one reference is optional', () => {
    const parts = part({ fields: { thingId: reference('thing', { required: true }) } })
    assert.deepEqual(mistakesOf([thing({ fields: { partId: reference('part') } }), parts]), [])
  })
})
