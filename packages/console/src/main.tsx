/** The start: a session of before is resumed while the shell loads; else the page asks for a log-in. */
import { QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { client, onSessionEnd } from './api/client.ts'
import { applyAccent, loadFacts } from './api/console-facts.ts'
import { queries } from './api/queries.ts'
import { enterByCode, logInCode, takeOverCode } from './session/entry-code.ts'
import { LogInPage } from './session/log-in-page.tsx'
import { RefusedPage } from './session/refused-page.tsx'
import { language, t } from './words/words.ts'

// A first visit asks for no session that cannot exist: its 401 is an error in the browser's console.
const hadSession = 'bindery.console.session'
type ShellPart = ComponentType<{ readonly person: string; onLogOut(): void }>
const loadShell = (): Promise<ShellPart> => import('./shell/shell.tsx').then(({ Shell }) => Shell)

type State =
  | { readonly is: 'starting' }
  | { readonly is: 'out'; readonly reason?: string }
  | { readonly is: 'refused'; readonly person: string }
  | { readonly is: 'in'; readonly Shell: ShellPart; readonly person: string }

async function askAdmitted(): Promise<boolean> {
  try {
    await loadFacts()
    return true
  } catch (error) {
    if ((error as { readonly status?: number }).status === 403) return false
    throw error
  }
}

async function enter(entering: Promise<unknown>): Promise<State> {
  const [Shell, isAdmitted] = await Promise.all([loadShell(), entering.then(askAdmitted)])
  localStorage.setItem(hadSession, '1')
  const person = (await client.session())?.email ?? ''
  return isAdmitted ? { is: 'in', Shell, person } : { is: 'refused', person }
}

async function start(): Promise<State> {
  if (takeOverCode) return { is: 'out', reason: t('takeOver') }
  if (logInCode) return enter(enterByCode(logInCode)).catch((error: Error) => ({ is: 'out', reason: error.message }))
  if (localStorage.getItem(hadSession) === null) return { is: 'out' }
  const resumed = client.resume().then((isIn) => {
    if (!isIn) throw new Error('There is no session')
  })
  return enter(resumed).catch(() => ({ is: 'out' }))
}

let unusedCode = takeOverCode

/** The first account has the values that are typed, where the address had a code for that. */
async function logInBy(credentials: { readonly email: string; readonly password: string }): Promise<void> {
  if (unusedCode === undefined) await client.logIn(credentials)
  else await enterByCode(unusedCode, credentials)
  unusedCode = undefined
}

const started = start()

function App() {
  const [state, setState] = useState<State>({ is: 'starting' })
  useEffect(() => void started.then(setState), [])
  useEffect(() => onSessionEnd(() => setState({ is: 'out', reason: t('sessionEnded') })), [])
  if (state.is === 'starting') return null
  if (state.is === 'out')
    return (
      <LogInPage reason={state.reason} onLogIn={async (credentials) => setState(await enter(logInBy(credentials)))} />
    )
  const logOut = () => {
    localStorage.removeItem(hadSession)
    queries.clear()
    void client.logOut().catch(() => undefined)
    setState({ is: 'out' })
  }
  if (state.is === 'refused') return <RefusedPage person={state.person} onLogOut={logOut} />
  return <state.Shell person={state.person} onLogOut={logOut} />
}

applyAccent()
document.documentElement.lang = language
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
