/** Numbered pages: parses `page` and `limit` as leniently as section 4.5 of the interface says. */
import { listLimits } from './list-limits.ts'

/**
 * Sign, digits and decimals, cut to an integer; anything else is NaN. `parseLoose('2.9')` → 2,
 * `parseLoose('2x')` → NaN
 */
function parseLoose(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+(\.\d+)?$/.test(text)) return Number.NaN
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(Number(text))))
}

/** At least 1. */
export function parsePage(text: string | undefined): number {
  const page = parseLoose(text)
  return Number.isNaN(page) ? 1 : Math.max(page, 1)
}

/** At least 1, at most `pageSizeMax`; `pageSize` when there is none. */
export function parseLimit(text: string | undefined): number {
  const limit = parseLoose(text)
  return limit >= 1 ? Math.min(limit, listLimits.pageSizeMax) : listLimits.pageSize
}
