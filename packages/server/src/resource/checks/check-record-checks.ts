/**
 * Finds mistakes in the checks of a declaration: their names, the fields that they read and name,
 * and functions that give no verdict.
 */
import { type CheckFunction, type DeclaredCheck, ruleOfCheck } from '../code/record-check.ts'
import { printValue } from '../members.ts'
import { checkRule } from '../rule.ts'
import { checkRead, sampleContext, trialOf } from './check-functions.ts'
import { type DeclarationCheck, listedField, nameMistake } from './declaration-check.ts'

/** The field may be told to every caller who may write the record. */
function checkPlace(context: DeclarationCheck, at: string, { at: name }: DeclaredCheck): void {
  if (name === undefined) return
  const field = listedField(context, `${at}: at`, name)
  if (field?.read) context.report(`${at}: at`, `some callers may not read "${name}": name another field, or none`)
}

function checkFunction(context: DeclarationCheck, at: string, { require, clock }: DeclaredCheck): void {
  const { given, asked } = sampleContext()
  const trial = trialOf((record) => (require as CheckFunction)(record as never, given), context)
  const report = (problem: string) => context.report(`${at}: require`, problem)
  if (trial.clock) report(`reads the clock by ${trial.clock}; use now: (record, { now }) => …, with clock: true`)
  else if (asked() && !clock) report('asks for now: say clock: true beside it')
  checkRead(context, `${at}: require`, trial.read)
  for (const name of trial.read)
    if (context.declared.fields[name]?.virtual) report(`reads "${name}", which is not stored`)
  const { returned } = trial
  if (returned?.value instanceof Promise) report('returns a promise: it reads the record alone, and waits for nothing')
  else if (returned && typeof returned.value !== 'boolean')
    report(`must return true or false, and returns ${printValue(returned.value)} for a sample record`)
}

/** The rule was made of the condition, so its sentences begin with a word that nothing here has. */
function checkCondition(context: DeclarationCheck, at: string, check: DeclaredCheck): void {
  const rule = ruleOfCheck(check)
  const report = (problem: string) =>
    context.report(`${at}: require`, rule === check.require ? problem : problem.replace(/^where: /, ''))
  checkRule(rule, { ...context, about: 'record', report })
  if (check.clock) context.report(`${at}: clock`, 'is for a function: a condition compares with now()')
}

export function checkRecordChecks(context: DeclarationCheck): void {
  for (const [name, check] of Object.entries(context.declared.checks ?? {})) {
    const at = `checks.${name}`
    const misnamed = nameMistake(name)
    if (misnamed) context.report(at, misnamed)
    checkPlace(context, at, check)
    if (typeof check.require === 'function') checkFunction(context, at, check)
    else checkCondition(context, at, check)
  }
}
