/**
 * Finds every mistake in the declarations at start, with file and field, and reports all at once.
 * It finds those that the compiler cannot see, and all others for users of plain JavaScript.
 * Members and their forms come first (`define.ts`, `members.ts`); other checks skip a value of a
 * wrong form.
 */

import { checkEngineTables } from './accounts/check-engine-tables.ts'
import { checkIdentity } from './accounts/check-identity.ts'
import { checkAccess, checkActions, checkGraphql } from './checks/check-access.ts'
import { checkDeprecation } from './checks/check-deprecation.ts'
import { checkEarlier } from './checks/check-earlier.ts'
import { checkEffects } from './checks/check-effects.ts'
import { checkExamples } from './checks/check-examples.ts'
import { checkFields } from './checks/check-fields.ts'
import { checkFunctions } from './checks/check-functions.ts'
import { checkKeys, checkList } from './checks/check-lists.ts'
import { checkMatches } from './checks/check-matches.ts'
import { checkRecordChecks } from './checks/check-record-checks.ts'
import { checkChildren, checkCircles, checkVirtualFields } from './checks/check-relations.ts'
import { checkReservedWords, checkServedPaths } from './checks/check-reserved-words.ts'
import { checkGraphqlNames, checkPaths, checkTables } from './checks/check-shared-names.ts'
import { makeCheckTwins } from './checks/check-twins.ts'
import { type DeclarationCheck, nameMistake, type ReportProblem } from './checks/declaration-check.ts'
import { type DeclaredResource, declarationProblems, findFormMistakes } from './define.ts'
import { isTable, type MemberProblem, printValue } from './members.ts'

const pathPattern = /^\/[a-z0-9]+(-[a-z0-9]+)*$/

function checkNames({ declared, report }: DeclarationCheck): void {
  for (const part of ['name', 'plural'] as const) {
    const name = declared[part]
    const problem = name === undefined ? undefined : nameMistake(name)
    if (problem) report(part, problem)
  }
  if (declared.path !== undefined && !pathPattern.test(declared.path)) {
    report('path', `"${declared.path}" must be / and lower-case words with hyphens, without a slash at the end`)
  }
  if (declared.atRoot && declared.path === undefined) report('atRoot', 'needs a path')
}

const checks = [
  checkNames,
  checkReservedWords,
  checkFields,
  checkEarlier,
  checkVirtualFields,
  checkMatches,
  checkList,
  checkAccess,
  checkEffects,
  checkChildren,
  checkKeys,
  checkActions,
  checkGraphql,
  checkGraphqlNames,
  checkPaths,
  checkServedPaths,
  checkTables,
  checkIdentity,
  checkEngineTables,
  checkCircles,
  checkExamples,
  checkFunctions,
  checkRecordChecks,
  checkDeprecation,
]

/** `fields.title: min` → `field "title": min` */
function placeOf({ path, problem }: MemberProblem): string {
  const place = path.replace(/^fields\.([^.:]+)/, 'field "$1"')
  return place === '' ? problem : `${place}: ${problem}`
}

/** Whether an element of the list was made by `defineResource`. */
function isDeclared(value: unknown): value is DeclaredResource {
  return isTable(value) && typeof value.writtenIn === 'string'
}

/** The declarations that `accounts` makes are several, and stand in the list by themselves. */
function spread(value: unknown): string {
  return Array.isArray(value) && value.some(isDeclared) ? '; write ... before it' : ''
}

/** One line for each mistake: `resources/books.ts: book: field "title": …`. */
export function findMistakes(list: readonly DeclaredResource[]): string[] {
  if (!Array.isArray(list)) return [`the resources: must be a list, and are ${printValue(list)}`]
  const mistakes: string[] = []
  list.forEach((one, at) => {
    if (!isDeclared(one))
      mistakes.push(
        `the list of resources: number ${at + 1} is ${printValue(one)}, and not made by defineResource${spread(one)}`,
      )
  })
  const sound: DeclaredResource[] = []
  for (const declared of list.filter(isDeclared)) {
    mistakes.push(...(declared[declarationProblems] ?? []))
    const found = findFormMistakes(declared)
    const name = typeof declared.name === 'string' ? declared.name : 'a resource without a name'
    for (const mistake of found) mistakes.push(`${declared.writtenIn}: ${name}: ${placeOf(mistake)}`)
    if (found.every(({ isFormRight }) => isFormRight)) sound.push(declared)
  }
  const byName = new Map(sound.map((declared) => [declared.name, declared]))
  const isWhole = sound.length === list.length
  const checkTwins = makeCheckTwins()
  for (const declared of sound) {
    const report: ReportProblem = (where, problem) =>
      mistakes.push(`${declared.writtenIn}: ${declared.name}: ${where}: ${problem}`)
    const context = { declared, byName, report }
    checkTwins(context)
    // Where another declaration has a wrong form, references to it would look wrong too.
    if (isWhole) for (const check of checks) check(context)
  }
  return mistakes
}
