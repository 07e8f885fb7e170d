/**
 * Runs the application's hooks of accounts: before an account is made, as a step of every write
 * that makes one, and before a session begins.
 */
import { countedAddress } from '../../base/counted-address.ts'
import { ApiError, isFault } from '../../errors.ts'
import { actingAs } from '../../record/author.ts'
import { runHook } from '../../record/declared/hook-steps.ts'
import { shown } from '../../record/declared/shown-values.ts'
import { faultOfCode, type Guard } from '../../record/guard/guarded-code.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { CreatingEvent, WriteStep } from '../../record/stages.ts'
import type { LogInWay } from '../../resource/accounts/account-code.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { AccountCode } from '../../resource/accounts/kept-account-code.ts'
import type { MarkedTable, Resource } from '../../resource/catalog.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { type AccountWay, signUpWayOf } from './noted-way.ts'

type Login = MarkedTable<LoginMark>
type HookName = 'beforeSignUp' | 'beforeLogIn'

export function hasAccountHooks(login: Login | undefined): boolean {
  const { beforeSignUp, beforeLogIn } = login?.mark.code?.hooks ?? {}
  return (beforeSignUp ?? beforeLogIn) !== undefined
}

/** Without secrets: no hook needs a hash. Not all values are there in what was sent. */
function shownOpen({ fields }: Resource, values: Values): Values {
  return shown(Object.fromEntries(Object.entries(values).filter(([name]) => !fields[name]?.type.secret)))
}

function clientIn({ author: { address, userAgent } }: RecordTransaction) {
  return { addressGroup: address === undefined ? null : countedAddress(address), userAgent: userAgent ?? null }
}

type AccountHookCall = {
  readonly guard: Guard
  readonly tx: RecordTransaction
  readonly login: Login
  readonly hook: HookName
  readonly given: object
}

const placeOf = ({ writtenIn }: AccountCode, hook: HookName) => `${writtenIn}: accounts: hooks.${hook}`

function run({ guard, tx, login, hook, given }: AccountHookCall): Promise<Values | undefined> {
  const code = login.mark.code as AccountCode
  const { limitMs, [hook]: own } = code.hooks
  const all = { ...given, client: clientIn(tx) }
  const place = placeOf(code, hook)
  return runHook({ guard, tx, resource: login.resource, place, limitMs, code: own as () => unknown, given: all })
}

/** The service writes in its own name for people who have no account yet. */
const stranger = { userId: null, role: null, credential: 'anonymous' } as const
const isOfStranger = (way: string) => way === 'oidc' || way === 'invitation'

/** Nothing where the application has no such hook. */
export function beforeSignUps(login: Login, guard: Guard): WriteStep[] {
  const { resource, mark } = login
  if (!mark.code?.hooks.beforeSignUp) return []
  return [
    {
      name: 'hook of sign-ups',
      resources: [resource],
      beforeCreate({ tx, sent, values }: CreatingEvent) {
        const record = { sent: shownOpen(resource, sent), record: shownOpen(resource, values) }
        const found = signUpWayOf(tx)
        const caller = actingAs(isOfStranger(found.way) ? { ...tx.author, ...stranger } : tx.author)
        const given = { ...record, ...found, caller }
        return run({ guard, tx, login, hook: 'beforeSignUp', given })
      },
    },
  ]
}

/** The application refuses a log-in whose proofs were good, so it is no failed guess. */
export class LogInRefusedError extends ApiError {}

/** Forgets failed guesses once all proofs were good, also where the application refuses then. */
export async function whenProven<T>(logIn: Promise<T>, forget: () => Promise<void>): Promise<T> {
  const begun = await logIn.catch(async (error) => {
    if (error instanceof LogInRefusedError) await forget()
    throw error
  })
  await forget()
  return begun
}

export type LogInFacts = AccountWay<LogInWay> & { readonly row: Row; readonly hasFactor: boolean }
/** Throws `LogInRefusedError`. */
export type BeforeLogIn = (tx: RecordTransaction, logIn: LogInFacts) => Promise<void>

/** Undefined where the application has no such hook. */
export function makeBeforeLogIn(login: Login, guard: Guard): BeforeLogIn | undefined {
  const { code } = login.mark
  if (!code?.hooks.beforeLogIn) return undefined
  return async (tx, { row, ...facts }) => {
    try {
      const given = { ...facts, user: shownOpen(login.resource, row), caller: undefined }
      await run({ guard, tx, login, hook: 'beforeLogIn', given })
    } catch (error) {
      if (!(error instanceof ApiError) || isFault(error)) throw error
      const { code: word, message, mistakes } = error
      if (word === 'conflict' || word === 'bad-request') throw new LogInRefusedError(word, message, { mistakes })
      // Any other answer to a log-in would be one about the caller's proof.
      throw faultOfCode(placeOf(code, 'beforeLogIn'), error)
    }
  }
}
