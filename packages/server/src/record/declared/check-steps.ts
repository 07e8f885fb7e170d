/**
 * Runs the checks of declarations as steps of the writes of their resources. They see the final
 * values, after the rule for the result, references and fields. So a caller who may not write the
 * record learns nothing from them.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import { collectProblems } from '../../operation/problem-collector.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { CheckFunction, ResolvedCheck } from '../../resource/code/record-check.ts'
import type { DerivedContext } from '../../resource/fields/field.ts'
import { printValue } from '../../resource/members.ts'
import type { Rule } from '../../resource/rule.ts'
import { fieldsOf, makeMatcher, relatedIn } from '../../storage/derived/match.ts'
import type { Values } from '../../storage/storage.ts'
import { rowHolds } from '../row-holds.ts'
import type { SettlingEvent, WriteStep } from '../stages.ts'
import { type CheckScope, failing } from './failing-records.ts'
import { shown } from './shown-values.ts'

/** A check as it runs. `fields`: those that it reads; absent where only a run of it tells. */
type RunningCheck = {
  readonly refuses: (event: SettlingEvent) => boolean | Promise<boolean>
  readonly fields?: ReadonlySet<string>
}

function differs(names: Iterable<string>, before: Values, row: Values): boolean {
  return [...names].some((name) => !isDeepStrictEqual(before[name], row[name]))
}

type FunctionCheck = { readonly at: string; readonly judge: CheckFunction; readonly clock: boolean }

/** Throws an `Error` that names the check where it gives no verdict. */
function verdictOf({ at, judge, clock }: FunctionCheck, { tx }: SettlingEvent, record: Values): boolean {
  const { settings, now } = tx.defaults
  const must = `${at}: require must return true or false`
  let verdict: unknown
  try {
    verdict = judge(record, (clock ? { ...settings, now } : settings) as DerivedContext)
  } catch (cause) {
    throw new Error(`${must} for every record, and threw ${cause}`, { cause })
  }
  if (typeof verdict !== 'boolean') throw new Error(`${must}, and returned ${printValue(verdict)}`)
  return verdict
}

/** The record, which notes the fields that are read of it. */
function noting(record: Values, read: Set<string>): Values {
  const note = (name: string | symbol) => void (typeof name === 'string' && read.add(name))
  return new Proxy(record, {
    get(target, name) {
      note(name)
      return Reflect.get(target, name)
    },
    has(target, name) {
      note(name)
      return Reflect.has(target, name)
    },
    ownKeys(target) {
      Object.keys(target).forEach(note)
      return Reflect.ownKeys(target)
    },
  })
}

/**
 * It refuses a change only where a field that it reads differs. From the same values a pure
 * function has given the same verdict before.
 */
function functionCheck(check: FunctionCheck): RunningCheck {
  return {
    refuses(event) {
      const { before, row } = event
      const record = shown(row)
      if (verdictOf(check, event, record)) return false
      if (before === undefined) return true
      const read = new Set<string>()
      verdictOf(check, event, noting(record, read))
      return differs(read, before, row)
    },
  }
}

/**
 * A condition reads the same fields at each write: it is asked where one of them differs. One about
 * the records below is asked at every change, because no field of this record tells of them.
 */
function ruleCheck(scope: CheckScope, resource: Resource, rule: Rule): RunningCheck {
  const matching = makeMatcher()
  const failingAt = failing(scope, resource, rule)
  const shape = failingAt('2026-01-31T12:00:00.000Z')
  const fields = fieldsOf(resource, shape)
  const isAboutBelow = relatedIn(shape).some(({ at }) => at !== undefined)
  return {
    ...(!isAboutBelow && { fields }),
    refuses({ tx, before, row }) {
      if (before !== undefined && !isAboutBelow && !differs(fields, before, row)) return false
      const where = failingAt(tx.defaults.now)
      return rowHolds({ catalog: scope.catalog, matching, reader: tx }, { resource, where, row })
    },
  }
}

function runningCheck(scope: CheckScope, resource: Resource, check: ResolvedCheck): RunningCheck {
  if (check.rule) return ruleCheck(scope, resource, check.rule)
  const at = `${resource.writtenIn}: ${resource.name}: checks.${check.name}`
  return functionCheck({ at, judge: check.judge, clock: check.clock })
}

function refusalOf({ message, at }: ResolvedCheck): ApiError {
  return new ApiError('bad-request', message, { mistakes: at === undefined ? [] : [{ field: at, detail: message }] })
}

/** The step of these checks: all that refuse a record are told together. */
export function checkStep(scope: CheckScope, resource: Resource, checks: readonly ResolvedCheck[]): WriteStep {
  const running = checks.map((check) => ({ check, ...runningCheck(scope, resource, check) }))
  const read = running.map(({ fields }) => fields)
  return {
    name: `checks of ${resource.name}`,
    resources: [resource],
    ...(read.every((one) => one !== undefined) && { fields: read.flatMap((one) => [...one]) }),
    async settled(event) {
      const mistakes = collectProblems()
      for (const { check, refuses } of running) if (await refuses(event)) mistakes.add(refusalOf(check))
      mistakes.end()
    },
  }
}

export function checkSteps(scope: CheckScope): WriteStep[] {
  return [...scope.catalog.resources.values()]
    .filter(({ checks }) => checks.length > 0)
    .map((resource) => checkStep(scope, resource, resource.checks))
}
