/**
 * CSV as programs write it: every kind of line end, cells that contain them, and numbers that are
 * stored exactly or refused.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { csvLines, csvRows } from '../../src/cli/lines/csv.ts'
import { columnField } from '../../src/cli/lines/natural-keys.ts'
import { anyone, date, defineResource, id, integer, money, text, time } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { makeBindery } from './bindery.ts'

const tool = defineResource({
  name: 'tool',
  path: '/tools',
  fields: { id: id(), name: text(), price: money(), pieces: integer(), on: date(), at: time() },
  list: { style: 'page', sortable: ['id'], defaultSort: 'id' },
  access: { list: anyone, create: anyone },
})
const catalog = makeCatalog([tool])
const resource = catalog.get('tool')
const columns = { resource, fieldOf: (column: string) => columnField(catalog, resource, column) }

/** Each row as `[line, record]`, or with what is wrong with it. */
async function rowsOf(file: string, bytesEach = file.length): Promise<unknown[]> {
  async function* chunks() {
    const bytes = Buffer.from(file)
    for (let at = 0; at < bytes.length; at += bytesEach) yield bytes.subarray(at, at + bytesEach)
  }
  const rows: unknown[] = []
  for await (const { line, parse } of csvLines(columns, chunks())) {
    try {
      rows.push([line, parse()])
    } catch (error) {
      rows.push([line, (error as Error).message])
    }
  }
  return rows
}

const stray = 'name has a carriage return, and is not in quotes'
const saw = { name: 'Saw' }
const axe = { name: 'Axe' }
const files: readonly (readonly [what: string, file: string, rows: readonly unknown[]])[] = [
  [
    'days and times of day',
    'name,on,at\nSaw, 2024-02-29 , 9:30\nSaw, 2024-02-29 ,12:30\nSaw,2026-02-29,\n',
    [
      [2, 'at must be a time such as 12:30:00'],
      [3, { ...saw, on: '2024-02-29', at: '12:30:00' }],
      [4, 'on must be a date of the calendar: 2026-02 has 28 days'],
    ],
  ],
  [
    'the same line ends, LF',
    'name\nSaw\nAxe\n',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'the same line ends, CRLF',
    'name\r\nSaw\r\nAxe\r\n',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'the same line ends, CR',
    'name\rSaw\rAxe\r',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'a header with LF above rows with CRLF',
    'name\nSaw\r\nAxe\r\n',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'a header with CRLF above rows with LF',
    'name\r\nSaw\nAxe\n',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'a header with CR above rows with CRLF',
    'name\rSaw\r\nAxe\n',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'each row with another end',
    'name\nSaw\nAxe\r\nSaw\nAxe',
    [
      [2, saw],
      [3, axe],
      [4, saw],
      [5, axe],
    ],
  ],
  [
    'no end of the last line',
    'name\r\nSaw\r\nAxe',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  [
    'empty lines of both kinds',
    'name\n\r\n\nSaw\r\n\r\n\nAxe',
    [
      [4, saw],
      [7, axe],
    ],
  ],
  ['a byte-order mark', '\u{feff}name\nSaw\r\n', [[2, saw]]],
  [
    'a header in quotes',
    '"name"\n"Saw"\r\n"Axe"\r\n',
    [
      [2, saw],
      [3, axe],
    ],
  ],
  ['a header with line ends in quotes', '" name\r\n"\nSaw\r\n', [[3, saw]]],
  [
    'empty cells',
    'name,price\n,\r\n"",1\r\n',
    [
      [2, { name: null, price: null }],
      [3, { name: '', price: 1 }],
    ],
  ],
  [
    'line ends in quotes',
    'name\n"a\r\nb"\r\n"c\nd"\n"e\rf"\r\n"g\r"\n"""h""\r\n"\nSaw',
    [
      [2, { name: 'a\r\nb' }],
      [4, { name: 'c\nd' }],
      [6, { name: 'e\rf' }],
      [7, { name: 'g\r' }],
      [8, { name: '"h"\r\n' }],
      [10, saw],
    ],
  ],
  [
    'a carriage return without quotes',
    'name\nSaw\rAxe\nSaw\n',
    [
      [2, stray],
      [3, saw],
    ],
  ],
  ['a carriage return at the end of the file', 'name\nSaw\r', [[2, stray]]],
  [
    'a carriage return behind a quote',
    'name\n"Saw"\rx\nAxe',
    [
      [2, stray],
      [3, axe],
    ],
  ],
  [
    'carriage returns before the line end',
    'name\nSaw\r\r\nAxe\r\n',
    [
      [2, stray],
      [3, axe],
    ],
  ],
]

describe('line ends', () => {
  for (const [what, file, rows] of files)
    it(what, async () => {
      assert.deepEqual(await rowsOf(file), rows)
      assert.deepEqual(await rowsOf(file, 1), rows, 'byte by byte')
    })

  it('of texts are in quotes when they are written, and come back', async () => {
    const names = ['a\r\nb', 'c\rd', 'e\r', '\n', '"f"\r', ' g ', '']
    const file = csvRows(resource, ['name'], [{ name: 'name' }, ...names.map((name) => ({ name }))])
    const rows = (await rowsOf(file)) as [number, { name: string }][]
    assert.deepEqual(
      rows.map(([, { name }]) => name),
      names,
    )
  })
})

const beyond = 'must be from -2147483648 to 2147483647'
const refused: readonly (readonly [name: string, cell: string, why: string])[] = [
  ['price', '5000000000000', 'must be at most 1000000000000'],
  ['price', '-5000000000000', 'must be at least -1000000000000'],
  ['price', '1e300', 'must be at most 1000000000000'],
  ['price', '1e400', 'must be a number'],
  ['price', '1.0000000000000000000001', 'must have at most two decimals'],
  ['price', '1e-300', 'must have at most two decimals'],
  ['pieces', '2147483648', beyond],
  ['pieces', '1e300', beyond],
  ['pieces', '9007199254740993', beyond],
  ['pieces', '1.0000000000000000000001', 'must be an integer'],
]

it('a number beyond what its field may have is refused, and not stored as another', async (t: TestContext) => {
  const bindery = makeBindery(t, {}, new URL('./tools.ts', import.meta.url).pathname)
  const file = bindery.path('tools.csv')
  const lines = refused.map(([name, cell]) => (name === 'price' ? `Saw,${cell},` : `Saw,,${cell}`))
  writeFileSync(file, `name,price,pieces\n${lines.join('\r\n')}\r\nAxe,1e3,1e2\r\n`)
  const { stderr } = await bindery.run(['import', 'tools', file])
  const said = refused.map(([name, , why], i) => `line ${i + 2}: ${name} ${why}`)
  assert.deepEqual(stderr.split('\n').slice(0, said.length), said)
  const stored = await bindery.values('export', 'tools')
  assert.deepEqual(
    stored.map(({ name, price, pieces }) => [name, price, pieces]),
    [['Axe', 1000, 100]],
  )
})

it('a line may refer by id to a later one, and in a circle', async (t: TestContext) => {
  const bindery = makeBindery(t, {}, new URL('./tools.ts', import.meta.url).pathname)
  const rows = [
    '1,Axe,3',
    '2,Saw,1',
    '3,Awl,2',
    '4,Pin,5',
    '5,Nut,4',
    '6,Hex,6',
    '7,Lost,99',
    '8,Late,7',
    '9,Top,5',
    '9,Top 2,2',
  ]
  const input = `id,name,partOfId\n${rows.join('\n')}\n`
  const { code, stderr } = await bindery.run(['import', 'tools', '--format', 'csv'], { input })
  assert.equal(code, 1)
  assert.match(stderr, /^line 8: partOfId refers to no tool that exists$/m)
  assert.match(stderr, /2 of 10 lines were rejected/)
  const stored = await bindery.values('export', 'tools')
  assert.deepEqual(
    stored.map(({ id, name, partOfId }) => `${id} ${name} ${partOfId}`),
    ['1 Axe 3', '2 Saw 1', '3 Awl 2', '4 Pin 5', '5 Nut 4', '6 Hex 6', '9 Top 2 2'],
  )
})
