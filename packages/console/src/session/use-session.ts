/**
 * The session of the page: it begins, ends, and goes on. The page of a person whose session has
 * ended is kept and hidden. The same person finds it as it was, and another person gets a new one.
 */
import { type ComponentType, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { allowReads, bindTo, client, endReads, onSessionEnd, type SessionEnd } from '../api/client.ts'
import { loadFacts } from '../api/console-facts.ts'
import { queries } from '../api/queries.ts'
import { forgetMount, hadSession } from '../api/session-mount.ts'
import { showView } from '../api/viewing.ts'
import { sayError } from '../shell/form-errors.ts'
import { dismiss, notify } from '../shell/notices.tsx'
import { forgetTold } from '../shell/shown-once.tsx'
import { t } from '../words/words.ts'
import { enterByCode, logInCode, resume, takeOverCode } from './entry-code.ts'
import type { Credentials } from './first-step.tsx'
import { proveByPassword } from './log-in-steps.ts'

export type Part = ComponentType<{ readonly person: string; onLogOut(): void }>
export type Entered = {
  /** The shell, or the page for people whom the console does not admit. */
  readonly Page: Part
  readonly userId: string
  readonly email: string
}
export type SessionState =
  | { readonly is: 'starting' }
  | { readonly is: 'in'; readonly entered: Entered }
  | { readonly is: 'out'; readonly reason?: string; readonly before?: Entered | undefined }

/** Loads the page of a person, admitted or not. */
export type LoadPage = (isAdmitted: boolean) => Promise<Part>

async function askAdmitted(): Promise<boolean> {
  try {
    await loadFacts()
    return true
  } catch (error) {
    if ((error as { readonly status?: number }).status === 403) return false
    throw error
  }
}

async function enterBy(proof: Promise<unknown>, load: LoadPage): Promise<Entered> {
  const [, isAdmitted] = await Promise.all([load(true), proof.then(askAdmitted)])
  const session = await client.session()
  return { Page: await load(isAdmitted), userId: session?.userId ?? '', email: session?.email ?? '' }
}

/** Drops the data of the person before. Drafts are kept, each for its own person. */
function forgetPerson(): void {
  showView(undefined)
  dismiss()
  forgetTold()
  queries.clear()
}

/** The first session: of the address, or of the cookie. */
async function begin(load: LoadPage): Promise<SessionState> {
  if (takeOverCode) return { is: 'out', reason: t('takeOver') }
  if (!logInCode && !hadSession) return { is: 'out' }
  try {
    const entered = await enterBy(logInCode ? enterByCode(logInCode) : resume(), load)
    bindTo(entered.userId)
    return { is: 'in', entered }
  } catch (error) {
    return logInCode ? { is: 'out', reason: sayError(error) } : { is: 'out' }
  }
}

let unusedCode = takeOverCode

/** The first account has the values that are typed, where the address had a code for that. */
async function logIn(credentials: Credentials): Promise<void> {
  if (unusedCode === undefined) return proveByPassword(credentials)
  await enterByCode(unusedCode, credentials)
  unusedCode = undefined
}

const reasons = { ended: 'sessionEnded', 'other-person': 'otherPerson' } as const

function ended(state: SessionState, how: SessionEnd): SessionState {
  bindTo(undefined)
  showView(undefined)
  return state.is === 'in' ? { is: 'out', reason: t(reasons[how]), before: state.entered } : state
}

let started: Promise<SessionState> | undefined

export function useSession(load: LoadPage) {
  const [state, setState] = useState<SessionState>({ is: 'starting' })
  useEffect(() => {
    started ??= begin(load)
    void started.then(setState)
  }, [load])
  useEffect(() => onSessionEnd((how) => setState((now) => ended(now, how))), [])

  return {
    state,
    isNew: unusedCode !== undefined,
    logIn,
    async enter(proof: Promise<unknown>): Promise<void> {
      allowReads()
      const entered = await enterBy(proof, load)
      const isSame = state.is === 'out' && state.before?.userId === entered.userId
      if (isSame) await queries.invalidateQueries()
      else forgetPerson()
      bindTo(entered.userId)
      setState({ is: 'in', entered })
    },
    logOut(): void {
      bindTo(undefined)
      forgetMount()
      endReads()
      // The page is gone before its data: it would ask for them anew.
      flushSync(() => setState({ is: 'out' }))
      forgetPerson()
      client.logOut().catch(() => notify({ text: t('logOutLost'), isError: true }))
    },
  }
}
