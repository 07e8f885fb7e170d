/**
 * Finds every mistake in the declarations at start, with file and field, and reports all at once.
 * It finds those that the compiler cannot see, and all others for users of plain JavaScript.
 * Members and their forms come first (`define.ts`, `members.ts`); other checks skip a value of a
 * wrong form.
 */

import { StartError } from '../errors.ts'
import { checkEngineTables } from './accounts/check-engine-tables.ts'
import { checkIdentity } from './accounts/check-identity.ts'
import { checkAccess, checkActions, checkGraphql } from './checks/check-access.ts'
import { checkDeprecation } from './checks/check-deprecation.ts'
import { checkDisplay } from './checks/check-display.ts'
import { checkEarlier } from './checks/check-earlier.ts'
import { checkEffects } from './checks/check-effects.ts'
import { checkExamples } from './checks/check-examples.ts'
import { checkFields } from './checks/check-fields.ts'
import { checkFunctions } from './checks/check-functions.ts'
import { checkHistory } from './checks/check-history.ts'
import { checkKeys, checkList } from './checks/check-lists.ts'
import { checkMatches } from './checks/check-matches.ts'
import { checkNumbers } from './checks/check-numbers.ts'
import { checkRecordChecks } from './checks/check-record-checks.ts'
import { checkChildren, checkCircles, checkLinks, checkVirtualFields } from './checks/check-relations.ts'
import { checkReservedWords, checkServedPaths } from './checks/check-reserved-words.ts'
import { checkGraphqlNames, checkPaths, checkTables } from './checks/check-shared-names.ts'
import { makeCheckTwins } from './checks/check-twins.ts'
import { checkViews } from './checks/check-views.ts'
import { type DeclarationCheck, nameMistake, type ReportProblem } from './checks/declaration-check.ts'
import { checkComputed } from './code/check-computed.ts'
import { type DeclaredResource, declarationProblems, engineMark, findFormMistakes } from './define.ts'
import { checkConsole } from './display/check-console.ts'
import { type DeclaredConsole, findConsoleFormMistakes, isConsole } from './display/define-console.ts'
import { checkChanges } from './effects/check-changes.ts'
import { checkOutputs } from './endpoints/check-output.ts'
import { checkFiles } from './fields/files/check-files.ts'
import { checkFollows } from './fields/following/check-follows.ts'
import { checkPlaces } from './fields/places/check-places.ts'
import { checkActionJobs } from './jobs/check-action-job.ts'
import { checkUpsert } from './keys/check-upsert.ts'
import { checkSingle } from './made/check-single.ts'
import { checkTrash } from './made/check-trash.ts'
import { trashOf } from './made/trash-table.ts'
import { isTable, type MemberProblem, printValue } from './members.ts'
import { isPart } from './parts/application-part.ts'
import { checkParts, findPartMistakes, partPlace } from './parts/check-parts.ts'
import { checkCounted } from './relations/check-counted.ts'
import { checkNested } from './relations/check-nested.ts'
import { checkTree } from './relations/check-tree.ts'
import { splitDeclarations } from './tenancy/apply-tenancies.ts'
import { checkScope } from './tenancy/check-scope.ts'
import { checkTenancy, checkTenant } from './tenancy/check-tenancies.ts'
import { type Declared, type DeclaredTenancy, findTenancyFormMistakes, isTenancy } from './tenancy/define-tenancy.ts'
import { checkDeclaredEndpoints } from './webhooks/check-declared-endpoints.ts'

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
  checkLinks,
  checkList,
  checkAccess,
  checkEffects,
  checkHistory,
  checkChanges,
  checkChildren,
  checkTree,
  checkNested,
  checkKeys,
  checkUpsert,
  checkNumbers,
  checkPlaces,
  checkFollows,
  checkFiles,
  checkCounted,
  checkActions,
  checkOutputs,
  checkActionJobs,
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
  checkComputed,
  checkRecordChecks,
  checkDeprecation,
  checkDisplay,
  checkTenant,
  checkScope,
  checkSingle,
  checkTrash,
  checkViews,
  checkDeclaredEndpoints,
]

/** `fields.title: min` → `field "title": min` */
function placeOf({ path, problem }: MemberProblem): string {
  const place = path.replace(/^fields\.([^.:]+)/, 'field "$1"')
  return place === '' ? problem : `${place}: ${problem}`
}

function consolePlace({ writtenIn }: DeclaredConsole): string {
  return `${writtenIn}: defineConsole`
}

function tenancyPlace({ writtenIn, tenancyOf }: DeclaredTenancy): string {
  return `${writtenIn}: defineTenancy(${printValue(tenancyOf)})`
}

/** Whether an element of the list was made by `defineResource` or the like. */
function isDeclared(value: unknown): value is Declared {
  return isTable(value) && typeof value.writtenIn === 'string'
}

/** The declarations that `accounts` makes are several, and stand in the list by themselves. */
function spread(value: unknown): string {
  return Array.isArray(value) && value.some(isDeclared) ? '; write ... before it' : ''
}

/** The mistakes in the form of an element, and its place in messages. */
function formOf(one: Declared): { readonly place: string; readonly found: readonly MemberProblem[] } {
  if (isTenancy(one)) return { place: tenancyPlace(one), found: findTenancyFormMistakes(one) }
  if (isConsole(one)) return { place: consolePlace(one), found: findConsoleFormMistakes(one) }
  if (isPart(one)) return { place: partPlace(one), found: findPartMistakes(one) }
  const name = typeof one.name === 'string' ? one.name : 'a resource without a name'
  return { place: `${one.writtenIn}: ${name}`, found: findFormMistakes(one) }
}

/** The elements of a right form. Reports the mistakes in the form of the others. */
function soundOf(list: readonly Declared[], mistakes: string[]): readonly Declared[] {
  return list.filter((one) => {
    if (declarationProblems in one) mistakes.push(...(one[declarationProblems] ?? []))
    const { place, found } = formOf(one)
    for (const mistake of found) mistakes.push(`${place}: ${placeOf(mistake)}`)
    return found.every(({ isFormRight }) => isFormRight)
  })
}

/** One line for each mistake: `resources/books.ts: book: field "title": …`. */
export function findMistakes(list: readonly Declared[]): string[] {
  if (!Array.isArray(list)) return [`the resources: must be a list, and are ${printValue(list)}`]
  const mistakes: string[] = []
  list.forEach((one, at) => {
    if (!isDeclared(one))
      mistakes.push(
        `the list of resources: number ${at + 1} is ${printValue(one)}, and not made by defineResource${spread(one)}`,
      )
  })
  const sound = soundOf(list.filter(isDeclared), mistakes)
  const isWhole = sound.length === list.length
  const { resources, tenancies, consoles, parts } = splitDeclarations(sound)
  const byName = new Map(resources.map((declared) => [declared.name, declared]))
  const checkTwins = makeCheckTwins()
  const contextOf = (declared: DeclaredResource): DeclarationCheck => {
    const report: ReportProblem = (where, problem) =>
      mistakes.push(`${declared.writtenIn}: ${declared.name}: ${where}: ${problem}`)
    return { declared, byName, tenancies, parts, report }
  }
  // The engine's own come first, so that a mistake stands at the application's resource.
  const { true: tables = [], false: own = [] } = Object.groupBy(resources, (one) =>
    one[engineMark] ? 'true' : 'false',
  )
  for (const declared of [...tables, ...own]) checkTwins(contextOf(declared))
  for (const declared of resources) {
    if (trashOf(declared)) continue // it is as right as its resource
    const context = contextOf(declared)
    // Where another declaration has a wrong form, references to it would look wrong too.
    if (isWhole) for (const check of checks) check(context)
  }
  for (const tenancy of isWhole ? tenancies : []) {
    const report = (problem: string) => mistakes.push(`${tenancyPlace(tenancy)}: ${problem}`)
    checkTenancy(tenancy, { tenancies, byName, report })
  }
  if (isWhole) checkParts({ parts, byName, tenancies, report: (mistake) => mistakes.push(mistake) })
  const [first, second] = consoles
  if (first && second) mistakes.push(`${consolePlace(second)}: there is one in ${first.writtenIn} already`)
  if (first && isWhole)
    checkConsole(first, {
      byName,
      tenancies,
      report: (problem) => mistakes.push(`${consolePlace(first)}: ${problem}`),
    })
  return mistakes
}

/** Throws a `StartError` with all mistakes, if there are any. */
export function throwMistakes(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return
  throw new StartError(`The declarations have mistakes:\n${mistakes.map((m) => `  ${m}`).join('\n')}`)
}
