/** Mistakes in fields that hold files: their limits, their addresses, and uses that need values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { file, files, id, image, list, reference, text, user, where } from '../../src/index.ts'
import { declare, mistakesOf } from './declaring.ts'

type Loose = Readonly<Record<string, unknown>>
const thing = ({ fields, ...change }: Loose = {}) =>
  declare({
    name: 'thing',
    path: '/things',
    fields: { id: id(), title: text(), ...(fields as Loose) },
    list: { style: 'page' },
    access: { read: user, write: user },
    ...change,
  })
const loose = (make: (options: never) => unknown, options: object) => make(options as never)

const rows: readonly (readonly [mistake: string, of: readonly unknown[], ...says: readonly string[]])[] = [
  [
    'nothing',
    [thing({ fields: { photo: image(), manual: file({ types: ['image/*'], maxBytes: 5 }), papers: files() } })],
  ],
  [
    'limits',
    [
      thing({
        fields: {
          one: loose(file, { types: ['pdf'] }),
          two: loose(file, { maxBytes: 'much' }),
          three: loose(files, { max: 101 }),
          four: loose(image, { types: [] }),
          five: loose(file, { unique: true }),
        },
      }),
    ],
    'thing: field "one": types: must be a media type such as application/pdf or image/*, and is "pdf"',
    'thing: field "two": maxBytes: must be a size such as \'20 MB\', or a number of bytes, and is "much"',
    'thing: field "three": max (101) is above 100: more are records of their own',
    'thing: field "four": types is empty: no file has one of no types; leave it out for every type',
    'thing: field "five": no option "unique"; there are required, immutable',
  ],
  [
    'scans',
    [
      thing({
        fields: {
          one: loose(file, { scan: {} }),
          two: loose(image, { scan: { run: 'clamav', tries: 2 } }),
          three: file({ scan: { run: () => 'passed', retries: { firstSeconds: 5, mostSeconds: 1 } } }),
        },
        actions: { take: { input: { it: file({ scan: { run: () => 'passed' } }) }, run: () => undefined } },
        access: { read: user, write: user, take: user },
      }),
    ],
    'thing: field "one": scan: needs run',
    'thing: field "two": scan.run: must be a function, and is "clamav"',
    'thing: field "two": scan: no option "tries"; did you mean "retries"?',
    'thing: field "three": scan.retries waits 5 s first and 1 s at most: give a longer mostSeconds',
    'thing: actions.take.input.it: scan: the field of the record that takes the file scans it',
  ],
  [
    'no path',
    [thing({ path: undefined, fields: { photo: image() } })],
    'thing: field "photo": holds files, which have an address below the record: it needs a path',
  ],
  [
    'an address that is taken',
    [
      thing({
        fields: { print: file(), parts: files(), aboveId: reference('thing') },
        children: { parts: { resource: 'thing', by: 'aboveId' } },
        actions: { print: { run: () => undefined } },
        access: { read: user, write: user, print: user },
      }),
    ],
    'thing: field "print": has the address of the action "print": choose another name',
    'thing: field "parts": has the address of the children "parts": choose another name',
  ],
  [
    'uses of values',
    [
      thing({
        fields: { photo: image(), all: loose(list as never, file() as never) },
        list: { style: 'page', sortable: ['photo'] },
        unique: [['photo']],
        access: { read: where({ photo: 'x' } as never), write: user },
      }),
    ],
    'thing: list.sortable: "photo" is a file, which has no order',
    'thing: unique: "photo" is a file',
    'thing: access.read: where: "photo" is a file: a rule can only ask whether there is one',
  ],
]

describe('mistakes in files', () => {
  for (const [mistake, of, ...says] of rows)
    it(mistake, () => {
      const found = mistakesOf(of as never).join('\n')
      if (says.length === 0) assert.equal(found, '')
      for (const one of says) assert.ok(found.includes(one), `${one}\n${found}`)
    })
})
