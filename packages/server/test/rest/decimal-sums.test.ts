/**
 * Sums of random decimals, on the database of this run, against JavaScript's bigints: not one digit
 * may differ. They come by JSON, CSV and GraphQL. 10,000 sums in `npm run test:long`.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { csvLines, csvRows } from '../../src/cli/lines/csv.ts'
import { anyone, decimal, defineResource, equals, id, integer } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { averageWhole } from '../../src/resource/fields/numbers/parse-whole.ts'
import { resources, type TestService } from '../helpers/application.ts'
import { makeRandom } from '../scale/random-requests.ts'

const entries = defineResource({
  name: 'entry',
  plural: 'entries',
  path: '/entries',
  fields: {
    id: id(),
    lot: integer({ required: true }),
    plain: decimal({ precision: 18, scale: 0 }),
    cents: decimal({ precision: 18, scale: 2, required: true }),
    fine: decimal({ precision: 18, scale: 18 }),
    shown: decimal({ precision: 12, scale: 3, json: 'number' }),
  },
  list: { style: 'page', sortable: ['lot'], filters: { lot: equals('lot') } },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, import: anyone, export: anyone },
})
const places = { plain: [18, 0], cents: [18, 2], fine: [18, 18], shown: [12, 3] } as const
type Name = keyof typeof places
const names = Object.keys(places) as Name[]

const rowsInLot = 4
const lots = process.env.TEST_LONG === '1' ? 2500 : 60
const lotsAtOnce = 100

let own: TestService
before(async () => {
  own = await startOf([...resources, entries])
})
after(() => own.stop())

const random = makeRandom(42)
/** Every length of digits is as frequent: few, many, and the most. */
function someDigits(name: Name): bigint {
  const [precision] = places[name]
  const length = random() < 0.3 ? precision : 1 + Math.floor(random() * precision)
  const digits = Array.from({ length }, () => (random() < 0.2 ? 9 : Math.floor(random() * 10))).join('')
  return random() < 0.4 ? -BigInt(digits) : BigInt(digits)
}

/** Written by hand, apart from the code under test. */
function printed(value: bigint, scale: number): string {
  const [sign, size] = value < 0n ? ['-', -value] : ['', value]
  const unit = 10n ** BigInt(scale)
  const decimals = scale === 0 ? '' : `.${String(size % unit).padStart(scale, '0')}`
  return `${sign}${size / unit}${decimals}`
}
const jsonOf = (name: Name, value: bigint) => {
  const text = printed(value, places[name][1])
  return name === 'shown' ? Number(text) : text
}

type Row = Partial<Record<Name, bigint>>
type Wanted = { readonly sum: object; readonly average: object }

function wantedOf(rows: readonly Row[]): Wanted {
  const each = (show: (values: readonly bigint[], name: Name) => unknown) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        show(
          rows.flatMap((row) => row[name] ?? []),
          name,
        ),
      ]),
    )
  const total = (values: readonly bigint[]) => values.reduce((sum, one) => sum + one, 0n)
  return {
    sum: each((values, name) => jsonOf(name, total(values))),
    average: each((values, name) =>
      values.length === 0 ? null : jsonOf(name, averageWhole(total(values), values.length)),
    ),
  }
}

const entry = makeCatalog([entries as never]).get('entry')
const columns = { resource: entry, fieldOf: (name: string) => entry.fields[name] }
const shownNames = ['lot', ...names]

/** CSV → the lines of an import, as `bindery import` reads them. */
async function readCsv(csv: string): Promise<string> {
  const chunks = (async function* () {
    yield Buffer.from(`${shownNames.join()}\n${csv}`)
  })()
  const lines = await Array.fromAsync(csvLines(columns, chunks))
  return lines.map((line) => JSON.stringify(line.parse())).join('\n')
}

async function take(csv: string): Promise<void> {
  const sent = await own.ask('POST', '/api/v1/entries/import', {
    raw: await readCsv(csv),
    type: 'application/x-ndjson',
  })
  assert.equal(sent.status, 200, sent.text)
}

test('sums and averages of random decimals by CSV, REST and GraphQL', async () => {
  for (let from = 0; from < lots; from += lotsAtOnce) {
    const wanted = new Map<number, Wanted>()
    const csv: string[] = []
    for (let lot = from; lot < Math.min(from + lotsAtOnce, lots); lot += 1) {
      const rows = Array.from({ length: rowsInLot }, (): Row => {
        const filled = names.filter((name) => name === 'cents' || random() < 0.9)
        return Object.fromEntries(filled.map((name) => [name, someDigits(name)]))
      })
      wanted.set(lot, wantedOf(rows))
      const cells = (row: Row) => names.map((name) => (row[name] === undefined ? '' : jsonOf(name, row[name])))
      for (const row of rows) csv.push(`${[lot, ...cells(row)].join()}\n`)
    }
    await take(csv.join(''))
    const range = `lot[gte]=${from}&lot[lt]=${from + lotsAtOnce}`
    const summary = await own.ask('GET', `/api/v1/entries/summary?group=lot&sum=${names}&average=${names}&${range}`)
    const found: { lot: number }[] = summary.body.data
    assert.equal(found.length, wanted.size)
    for (const group of found) assert.deepEqual(group, { lot: group.lot, count: rowsInLot, ...wanted.get(group.lot) })
    const selection = `{ ${names.join(' ')} }`
    const filter = `{ lot: { gte: ${from}, lt: ${from + lotsAtOnce} } }`
    const query = `{ entriesSummary(groupBy: [lot], limit: ${lotsAtOnce}, filter: ${filter}) { lot count sum ${selection} average ${selection} } }`
    const graphql = await own.ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(graphql.body.data?.entriesSummary, found, JSON.stringify(graphql.body.errors))
    const back: string[] = []
    for (let page = 1; page * 100 <= csv.length + 99; page += 1) {
      const { body } = await own.ask('GET', `/api/v1/entries?${range}&limit=100&page=${page}`)
      back.push(...(csvRows(own.service.engine.catalog.get('entry'), shownNames, body.data).match(/.*\n/g) ?? []))
    }
    assert.deepEqual(back.toSorted(), csv.toSorted())
  }
})
