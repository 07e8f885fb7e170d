/**
 * Tells which of several conditions each record of a page satisfies. Fields whose rule depends on
 * the record ask it, and what a caller may do with each. The row itself decides most conditions.
 * One statement decides the others for the whole page, from the same version of each record.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, type Condition, type Scalar } from '../../resource/condition.ts'
import { makeMatcher } from '../../storage/derived/match.ts'
import type { Reader, Row } from '../../storage/storage.ts'

/** Records of one statement. It takes some milliseconds. */
const testedMax = 500

export type JudgeContext = { readonly catalog: Catalog; readonly reader: Reader }

export type RowsToJudge = {
  readonly resource: Resource
  /** As they were read. Virtual fields may have been added. */
  readonly rows: readonly Row[]
  /** By name. */
  readonly conditions: ReadonlyMap<string, Condition>
}

type NamedCondition = readonly [name: string, where: Condition]
type OpenRow = { readonly row: Row; readonly held: Set<string>; readonly undecided: ReadonlySet<string> }

/** The distinct values of a field that name other records. */
function valuesOf(rows: readonly OpenRow[], field: string): readonly Scalar[] {
  const values = rows.map(({ row }) => row[field] as Scalar | null | undefined)
  return [...new Set(values.filter((one): one is Scalar => one !== null && one !== undefined))]
}

/**
 * The same condition for these rows alone. An index then finds the few related records that matter,
 * where the database would first collect all of them.
 */
function boundTo(catalog: Catalog, rows: readonly OpenRow[], where: Condition): Condition {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { ...where, of: where.of.map((one) => boundTo(catalog, rows, one)) }
    case 'not':
      return { ...where, of: boundTo(catalog, rows, where.of) }
    case 'related': {
      const field = where.at ?? catalog.get(where.resource).idField
      const among: Condition = { kind: 'in', field, values: valuesOf(rows, where.field) }
      return { ...where, where: all(among, where.where) }
    }
    case 'true':
    case 'false':
    case 'compare':
    case 'compareFields':
    case 'comparePrevious':
    case 'in':
    case 'null':
    case 'has':
    case 'contains':
    case 'startsWith':
    case 'member':
    case 'search':
    case 'within':
      return where
  }
}

/**
 * Adds the names that hold to each row. A record that has changed since it was read satisfies
 * nothing here: its values were shown under another version.
 */
async function testRows(
  { catalog, reader }: JudgeContext,
  resource: Resource,
  { rows, asked }: { readonly rows: readonly OpenRow[]; readonly asked: readonly NamedCondition[] },
): Promise<void> {
  const ids = rows.map(({ row }) => row[resource.idField] as Scalar)
  const tests = asked.map(([, where]) => boundTo(catalog, rows, where))
  const tested = new Map((await reader.testEach(resource, { ids, tests })).map((one) => [one.id, one]))
  for (const { row, held, undecided } of rows) {
    const found = tested.get(row[resource.idField] as Scalar)
    if (found?.version !== row.version) continue
    asked.forEach(([name], i) => {
      if (undecided.has(name) && found.passes[i]) held.add(name)
    })
  }
}

/** For each row, in their order, the names of the conditions that it satisfies. */
export async function judgeRows(
  judging: JudgeContext,
  { resource, rows, conditions }: RowsToJudge,
): Promise<readonly ReadonlySet<string>[]> {
  const { compile } = makeMatcher()
  const matches = [...conditions].map(([name, where]) => ({ name, match: compile(resource, where) }))
  const open: OpenRow[] = []
  const judged = rows.map((row) => {
    const held = new Set<string>()
    const undecided = new Set<string>()
    for (const { name, match } of matches) {
      const holds = match(row)
      if (holds === undefined) undecided.add(name)
      else if (holds) held.add(name)
    }
    if (undecided.size > 0) open.push({ row, held, undecided })
    return held
  })
  const asked = [...conditions].filter(([name]) => open.some(({ undecided }) => undecided.has(name)))
  for (let at = 0; at < open.length; at += testedMax)
    await testRows(judging, resource, { rows: open.slice(at, at + testedMax), asked })
  return judged
}
