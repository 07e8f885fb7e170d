/**
 * Parses the body of a batch into its operations. A later operation names the record of an earlier
 * one by `{a}` as a whole path segment, or by `{"$id": "a"}` as a whole value. Neither is
 * ambiguous: no field takes an object, and no id contains braces.
 */
import { ApiError } from '../../errors.ts'
import { checkObject, unknownField } from '../../operation/body.ts'
import { batchLimits } from '../../operation/list-limits.ts'

export type BatchOperation = {
  readonly id: string | undefined
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/**
 * The ids of the records that the operations before wrote or read, by the ids of those operations.
 */
export type EarlierIds = ReadonlyMap<string, string | number>

const members: ReadonlySet<string> = new Set(['id', 'method', 'path', 'headers', 'body'])
const ownHeaders: ReadonlySet<string> = new Set(['if-match', 'if-none-match'])
const idPattern = /^[\w-]{1,64}$/
const reference = /^\{([\w-]{1,64})\}$/

/** `bad('operations[0].id', 'must …')`: `at` is the place in the body. */
function bad(at: string, problem: string): ApiError {
  const path = at.split(/\W+/).filter((step) => step !== '')
  const detail = `${at} ${problem}`
  const mistake = { field: path.at(-1) as string, within: path.slice(0, -1), detail }
  return new ApiError('bad-request', detail, { mistakes: [mistake] })
}

function headersOf(at: string, value: unknown): Record<string, string> {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bad(`${at}.headers`, 'must be an object')
  const entries = Object.entries(value).map(([name, text]) => {
    if (!ownHeaders.has(name.toLowerCase()))
      throw bad(`${at}.headers`, `takes If-Match and If-None-Match, not ${name.slice(0, 100)}`)
    if (typeof text !== 'string') throw bad(`${at}.headers`, `${name} must be a string`)
    return [name.toLowerCase(), text] as const
  })
  return Object.fromEntries(entries)
}

function operationOf(value: unknown, at: string, known: Set<string>): BatchOperation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(at, 'must be an object')
  const { id, method, path, headers, body } = value as Record<string, unknown>
  const other = Object.keys(value).find((name) => !members.has(name))
  if (other !== undefined) throw bad(at, `has no member ${other.slice(0, 100)}; there are ${[...members].join(', ')}`)
  if (id !== undefined && (typeof id !== 'string' || !idPattern.test(id)))
    throw bad(`${at}.id`, 'must be 1 to 64 letters, digits, - or _')
  if (id !== undefined && known.has(id)) throw bad(`${at}.id`, 'is the id of an operation before it')
  if (id !== undefined) known.add(id)
  if (typeof method !== 'string') throw bad(`${at}.method`, 'must be GET, POST, PUT, PATCH or DELETE')
  if (typeof path !== 'string' || !path.startsWith('/')) throw bad(`${at}.path`, 'must be a path such as /things/{id}')
  return { id, method, path, headers: headersOf(at, headers), body }
}

/** Throws `bad-request` that names the place. */
export function parseBatch(value: unknown): BatchOperation[] {
  const { operations, ...others } = checkObject(value === undefined ? {} : value)
  const [other] = Object.keys(others)
  if (other !== undefined) throw unknownField(other)
  const { operationsMax } = batchLimits
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > operationsMax)
    throw bad('operations', `must be a list of 1 to ${operationsMax} operations`)
  const known = new Set<string>()
  return operations.map((one, i) => operationOf(one, `operations[${i}]`, known))
}

function idOf(name: string, earlier: EarlierIds): string | number {
  const id = earlier.get(name)
  if (id === undefined)
    throw new ApiError('bad-request', `no operation before this one has a record and the id ${name}`)
  return id
}

/** `/things/{a}` → `/things/0192…` */
export function resolvePath(path: string, earlier: EarlierIds): string {
  const segments = path.split('/').map((segment) => {
    const name = reference.exec(segment)?.[1]
    return name === undefined ? segment : encodeURIComponent(String(idOf(name, earlier)))
  })
  return segments.join('/')
}

/** References may only be direct members of the body. */
export function resolveBody(body: unknown, earlier: EarlierIds): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const entries = Object.entries(body).map(([name, value]) => {
    const isReference = typeof value === 'object' && value !== null && Object.keys(value).join() === '$id'
    const said = isReference ? (value as { $id: unknown }).$id : undefined
    return [name, typeof said === 'string' ? idOf(said, earlier) : value] as const
  })
  return Object.fromEntries(entries)
}
