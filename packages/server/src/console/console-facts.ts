/**
 * The facts of `defineConsole`: the look of the console, its modules with their addresses, and
 * whether a caller is admitted.
 */
import { readFileSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import type { ConsoleDescription } from '../client/console-description.ts'
import { noResourceTarget } from '../endpoint/route-access.ts'
import { ApiError } from '../errors.ts'
import { makePageFiles, type PageFile, type PageFiles, scriptType } from '../http/pages/page-files.ts'
import { forbidden, judge, type RefusalContext, secondsOf } from '../policy/judge.ts'
import type { Condition } from '../resource/condition.ts'
import { lightened } from '../resource/display/color.ts'
import { labelTexts } from '../resource/display/declared-display.ts'
import { type DeclaredConsole, moduleOf } from '../resource/display/define-console.ts'
import { findOwnFile, imageTypeOf } from '../resource/display/own-files.ts'
import type { Principal } from '../resource/principal.ts'
import { user } from '../resource/rules/any-user.ts'
import { labelOf } from '../resource/words/names.ts'

export type ConsoleLook = Pick<ConsoleDescription, 'name' | 'logo' | 'accent'>
export type ConsoleFacts = {
  readonly look: ConsoleLook
  readonly modules: ConsoleDescription['modules']
  readonly files: Pick<PageFiles, 'answer'>
}

/** The files were checked at start. Throws where one has gone since. */
function ownFile({ folder }: DeclaredConsole, path: string): string {
  const found = findOwnFile(folder, path)
  if ('file' in found) return found.file
  throw new ApiError('not-found', 'Not found', { cause: found.problem })
}

function lookOf({ consoleDeclaration: { name = 'Bindery', accent } }: DeclaredConsole): ConsoleLook {
  const colors = typeof accent === 'string' ? { light: accent, dark: lightened(accent) } : accent
  return { name, ...(colors && { accent: colors }) }
}

/** `pages/stock-report` → `pages-stock-report.js` */
function fileNameOf(name: string): string {
  return `${name.replace('/', '-')}.js`
}

/** `pages/stock-report` → Stock report; `cells/product.price` → Price */
function labelOfModule(name: string): string {
  const last = name.split(/[/.]/).at(-1) ?? ''
  return labelOf(last.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

function filesOf(declared: DeclaredConsole): Readonly<Record<string, PageFile>> {
  const { logo, modules = {} } = declared.consoleDeclaration
  const read = (path: string) => () => ({ bytes: readFileSync(ownFile(declared, path)), isBrotli: false })
  const files = Object.entries(modules).map(
    ([name, one]) => [fileNameOf(name), { type: scriptType, read: read(moduleOf(one).file) }] as const,
  )
  if (logo === undefined) return Object.fromEntries(files)
  const type = imageTypeOf(readFileSync(ownFile(declared, logo))) ?? 'application/octet-stream'
  return { ...Object.fromEntries(files), logo: { type, read: read(logo) } }
}

/** `path`: of the console on this server. */
export function makeConsoleFacts(declared: DeclaredConsole, path: string): ConsoleFacts {
  const served = makePageFiles(`${path}/own`, filesOf(declared))
  const addresses = new Map(
    served.addresses().map((address) => [address.slice(address.lastIndexOf('/') + 1).replace(/\?.*$/, ''), address]),
  )
  const addressOf = (file: string) => addresses.get(file) as string
  const { logo, modules = {} } = declared.consoleDeclaration
  return {
    look: { ...lookOf(declared), ...(logo !== undefined && { logo: addressOf('logo') }) },
    modules: Object.entries(modules).map(([name, one]) => ({
      name,
      ...labelTexts(moduleOf(one).label ?? labelOfModule(name)),
      address: addressOf(fileNameOf(name)),
    })),
    files: {
      answer(name) {
        const found = served.answer(name)
        // A drawing that is opened by itself is a document: it runs no script then.
        const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return found && name === 'logo'
          ? { ...found, headers: { ...found.headers, 'content-security-policy': policy } }
          : found
      },
    },
  }
}

/** Whether a record may satisfy the condition, as a membership of no tenant cannot. */
function isPossible(condition: Condition): boolean {
  if (condition.kind === 'false') return false
  if (condition.kind === 'in') return condition.values.length > 0
  if (condition.kind === 'and') return condition.of.every(isPossible)
  if (condition.kind === 'or') return condition.of.some(isPossible)
  return true
}

const now = secondsOf(systemClock)

/** Throws `unauthenticated` and `forbidden`. */
export function checkAdmitted(context: RefusalContext, principal: Principal): void {
  const { catalog } = context
  const rule = catalog.console?.consoleDeclaration.access ?? user
  const tenants = [...catalog.tenancies.keys()].map((name) => catalog.get(name))
  const verdicts = (tenants.length > 0 ? tenants : [noResourceTarget]).map((resource) =>
    judge({ ...context, now }, rule, { resource, principal }),
  )
  if (verdicts.some((one) => one.kind === 'allow' || (one.kind === 'filter' && isPossible(one.where)))) return
  if (principal.kind === 'anonymous') throw new ApiError('unauthenticated', 'Token required')
  throw forbidden('The console is not for this account')
}
