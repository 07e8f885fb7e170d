/** The filters of a list in the console, and the requests that it copies. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CsvTable, parseCsv, toCsv } from '../../../console/src/list/csv.ts'
import type { FieldDescription, FieldTypeName, ResourceDescription } from '../../src/client/resource-description.ts'
import { loadConsoleParts } from './console-parts.ts'

type Query = Readonly<Record<string, string>>
type Condition = { readonly key: string; readonly name: string; readonly operator: string; readonly value: string }
type Asked = { readonly resource: ResourceDescription; readonly query: Query; readonly fields: readonly string[] }
type Fields = readonly FieldDescription[]
type Parts = {
  typedFrom(field: FieldDescription, value: unknown): string
  valueFrom(field: FieldDescription, typed: string): unknown
  conditionsOf(query: Query): readonly Condition[]
  meaningOf(resource: ResourceDescription, condition: Condition): Meant | undefined
  treeOf(resource: ResourceDescription, query: Query): object | undefined
  asClient(asked: Asked): string
  asGraphql(asked: Asked): string
  recordsIn(
    table: CsvTable,
    fields: Fields,
  ): { readonly records: unknown; readonly unknown: unknown; readonly errors: unknown }
  samplesOf(fields: Fields, count: number): unknown
}
type Meant = { readonly field: FieldDescription; readonly operator: string }

const { typedFrom, valueFrom, conditionsOf, meaningOf, treeOf, asClient, asGraphql, recordsIn, samplesOf } =
  await loadConsoleParts<Parts>([
    'fields/typed-value.ts',
    'list/conditions.ts',
    'list/copy-as.ts',
    'list/new-records.ts',
  ])

const field = (name: string, type: FieldTypeName, schema: object): FieldDescription => ({
  name,
  label: name,
  type,
  schema: { ...schema },
  required: [],
  settable: ['update'],
  nullable: false,
  sortable: true,
  operators: ['eq', 'gte', 'in', 'null'],
  searched: false,
  unique: false,
  partlyShown: false,
  virtual: false,
  secret: false,
  deprecated: false,
})
const price = field('price', 'money', { type: 'number' })
const kind = field('kind', 'choice', { type: 'string', enum: ['OLD', 'NEW'] })
const resource = {
  name: 'thing',
  slug: 'old-things',
  path: '/old-things',
  idField: 'id',
  fields: [price, kind],
  list: {
    style: 'page',
    defaultSort: [],
    search: true,
    bulk: true,
    filters: [{ name: 'minPrice', field: 'price', by: 'gte' }],
  },
} as unknown as ResourceDescription

describe('the filters of a list', () => {
  it('are read from the address, without its other parameters', () => {
    const found = conditionsOf({ q: 'a', sort: '-price', 'price[gte]': '5', kind: 'OLD' })
    assert.deepEqual(
      found.map(({ name, operator }) => [name, operator]),
      [
        ['price', 'gte'],
        ['kind', 'eq'],
      ],
    )
  })

  it('mean a comparison with a field where they are named', () => {
    const [named] = conditionsOf({ minPrice: '5' })
    const meant = meaningOf(resource, named as never)
    assert.deepEqual([meant?.field.name, meant?.operator], ['price', 'gte'])
  })

  it('become one tree with values of their types', () => {
    const query = { minPrice: '5', 'kind[in]': 'OLD,NEW', 'kind[null]': 'false', filter: '{"not":{"price":{"eq":7}}}' }
    assert.deepEqual(treeOf(resource, query), {
      and: [
        { price: { gte: 5 } },
        { kind: { in: ['OLD', 'NEW'] } },
        { kind: { null: false } },
        { not: { price: { eq: 7 } } },
      ],
    })
    assert.equal(treeOf(resource, { q: 'a' }), undefined)
  })

  it('are copied for the client and for GraphQL', () => {
    const asked = { resource, query: { q: 'lamp', sort: '-price', minPrice: '5' }, fields: ['price'] }
    assert.match(asClient(asked), /client\.get\('\/api\/v1\/old-things', \{[\s\S]*sort: \[[\s\S]*gte: 5/)
    assert.equal(
      asGraphql(asked),
      'query ($filter: ThingFilter) { oldThings(q: "lamp", sort: "-price", filter: $filter) { data { id price } } }\n\n' +
        '{"filter":{"price":{"gte":5}}}',
    )
  })
})

describe('a value that is typed', () => {
  it('comes back as the value of its type', () => {
    const at = field('at', 'timestamp', { type: 'string' })
    const on = field('on', 'boolean', { type: 'boolean' })
    for (const [one, value] of [
      [price, 12.5],
      [kind, 'OLD'],
      [at, '2026-11-21T11:59:00.180Z'],
      [on, false],
    ] as const)
      assert.equal(valueFrom(one, typedFrom(one, value)), value)
    assert.equal(valueFrom({ ...price, nullable: true }, ''), null)
    // The server says what is wrong with these: none becomes another value on the way.
    for (const typed of ['cheap', '0x10', 'Infinity', '1,5']) assert.equal(valueFrom(price, typed), typed)
    for (const typed of ['31.01.2026', '01/02/2026', '2', '2026-02-30T10:00']) assert.equal(valueFrom(at, typed), typed)
    assert.equal(valueFrom(on, 'yes'), 'yes')
    assert.equal(valueFrom(on, 'TRUE'), true)
  })
})

describe('a CSV file', () => {
  it('keeps quoted cells, the numbers of lines, and the separator of a spreadsheet', () => {
    const { lines } = parseCsv('\uFEFFname;price\r\n"a;""b""\nc";5\r\n\r\nd;6')
    assert.deepEqual(lines, [
      { line: 1, cells: ['name', 'price'] },
      { line: 2, cells: ['a;"b"\nc', '5'] },
      { line: 5, cells: ['d', '6'] },
    ])
    assert.equal(toCsv(['a', 'b'], [{ a: 'x,"y"', b: null }]), 'a,b\r\n"x,""y""",\r\n')
  })

  it('has no formulas for spreadsheets, and loses no text', () => {
    const texts = ['=1+1', "'=1", '+cmd|A0', '-a', '@x', '\t=1', '+49 (30) 1-2', '-5', "'a", 'a=1']
    const rows = [...texts.map((a) => ({ a })), { a: -12.5 }]
    const table = toCsv(['a'], rows)
    assert.deepEqual(table.split('\r\n').slice(1, -1), [
      "'=1+1",
      "''=1",
      "'+cmd|A0",
      "'-a",
      "'@x",
      '"\'\t=1"',
      '+49 (30) 1-2',
      '-5',
      "'a",
      'a=1',
      '-12.5',
    ])
    const read = parseCsv(table).lines.slice(1)
    assert.deepEqual(
      read.map(({ cells }) => cells[0]),
      [...texts, '-12.5'],
    )
  })

  it('becomes records with values of their types', () => {
    const fields = [price, kind].map((one) => ({ ...one, settable: ['create'] as const }))
    const { records, unknown } = recordsIn(parseCsv('kind,price,colour\nOLD,12.5,red\nNEW,,'), fields)
    assert.deepEqual(records, [
      { line: 2, values: { kind: 'OLD', price: 12.5 } },
      { line: 3, values: { kind: 'NEW' } },
    ])
    assert.deepEqual(unknown, ['colour'])
  })

  it('loses no cell: what has no place, and a quote without an end, is an error of its line', () => {
    const fields = [price, kind].map((one) => ({ ...one, settable: ['create'] as const }))
    const read = (text: string) => recordsIn(parseCsv(text), fields)
    const { records, unknown, errors } = read('kind,price,price\nOLD,1,2,3\nNEW,1\n"OLD,2\nNEW,3\n')
    assert.deepEqual(records, [{ line: 3, values: { kind: 'NEW', price: 1 } }])
    assert.deepEqual(unknown, ['price'])
    assert.deepEqual(errors, [
      { line: 2, error: 'has 4 cells, and the first line names 3' },
      { line: 4, error: 'a quotation mark opens here, and none closes it' },
    ])
  })

  it('has decimal commas where semicolons separate', () => {
    const fields = [price, kind].map((one) => ({ ...one, settable: ['create'] as const }))
    const { records } = recordsIn(parseCsv('kind;price\nOLD;12,50\nOLD;1,234'), fields)
    assert.deepEqual(records, [
      { line: 2, values: { kind: 'OLD', price: 12.5 } },
      { line: 3, values: { kind: 'OLD', price: '1,234' } },
    ])
  })

  it('is not needed for samples', () => {
    const fields = [price, kind].map((one) => ({ ...one, settable: ['create'] as const }))
    assert.deepEqual(samplesOf(fields, 2), [
      { line: 1, values: { price: 1, kind: 'OLD' } },
      { line: 2, values: { price: 2, kind: 'NEW' } },
    ])
  })
})
