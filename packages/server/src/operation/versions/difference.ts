/**
 * Parses the parameters of a difference between two versions of a record: `from=3&to=5`. `to` is
 * the newest version unless it is given. Either may be the older one.
 */
import type { DifferenceOperation } from '../operation.ts'
import { checkParameters, type Parameters, parameterError } from '../parameters.ts'

export const differenceParameters = ['from', 'to'] as const

const versionPattern = /^[1-9]\d{0,14}$/

function versionIn(parameters: Parameters, name: (typeof differenceParameters)[number]): number | undefined {
  const text = parameters.get(name)
  if (text === undefined) return undefined
  if (!versionPattern.test(text)) throw parameterError(name, `${name} must be the number of a version, historyVersion`)
  return Number(text)
}

/** Throws `bad-request` for an unknown parameter, and for what is no version. */
export function parseDifference(parameters: Parameters): Pick<DifferenceOperation, 'from' | 'to'> {
  checkParameters(parameters, differenceParameters)
  const from = versionIn(parameters, 'from')
  if (from === undefined)
    throw parameterError('from', 'from is required: the number of a version, historyVersion of the history')
  return { from, to: versionIn(parameters, 'to') }
}
