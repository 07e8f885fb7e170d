/**
 * Parses the filter and the limit of bulk writes, which change every record that a filter matches.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import type { FilterContext } from '../../operation/filter-tree.ts'
import { bulkLimits } from '../../operation/list-limits.ts'
import { parseList } from '../../operation/list-query.ts'
import type { BulkTarget } from '../../operation/operation.ts'
import { type Parameters, parameterError, unknownParameter } from '../../operation/parameters.ts'
import { listParameters } from '../../resource/list-style.ts'

const { limit: limitName, page, cursor, sort, fields, expand } = listParameters
/** Parameters that select a part of a list or its form. */
const ofPages: readonly string[] = [page, cursor, sort, fields, expand].map(({ name }) => name)

function parseCount(text: string | undefined): number {
  const limit = text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > bulkLimits.recordsMax)
    throw parameterError(
      limitName.name,
      `limit must say how many records it may be at most, 1 to ${bulkLimits.recordsMax}`,
    )
  return limit
}

/** A write also has a body, so an error in the value of a filter says that it is in a parameter. */
function inParameters<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const mistakes = error.mistakes.map((mistake) => ({ ...mistake, isParameter: true as const }))
    throw new ApiError(error.code, error.message, { cause: error.cause, mistakes })
  }
}

/** Ignoring a precondition would cause the write that it should prevent. Throws `bad-request`. */
export function checkNamesNoVersion({ headers }: HttpRequest, advice?: string): void {
  if (headers['if-match'] === undefined && headers['if-none-match'] === undefined) return
  const sentence = 'If-Match and If-None-Match name versions of one record, and this may be many'
  throw new ApiError('bad-request', advice === undefined ? sentence : `${sentence}; ${advice}`)
}

/** Throws `bad-request` without a limit or a filter. */
export function parseMany(request: HttpRequest, listed: FilterContext, parameters: Parameters): BulkTarget {
  checkNamesNoVersion(request)
  const limit = parseCount(parameters.get(limitName.name))
  for (const name of ofPages) if (parameters.has(name)) throw unknownParameter(name)
  const filters = new Map([...parameters].filter(([name]) => name !== limitName.name))
  const q = filters.get(listParameters.q.name)
  if (q?.trim() === '') throw parameterError(listParameters.q.name, 'q must not be empty here; leave it out')
  const { where } = inParameters(() => parseList({ ...listed, needsPart: true }, filters)).query
  if (where.kind === 'true')
    throw new ApiError('bad-request', 'Name a filter: this is for some of the records, not for all')
  return { where, limit }
}
