/** The start: a session of before is resumed while the shell loads; else the page asks for a log-in. */
import { QueryClientProvider } from '@tanstack/react-query'
import { Activity, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyAccent } from './api/console-facts.ts'
import { followRestarts } from './api/follow-restarts.ts'
import { queries } from './api/queries.ts'
import { LogInPage } from './session/log-in-page.tsx'
import { RefusedPage } from './session/refused-page.tsx'
import { type LoadPage, useSession } from './session/use-session.ts'
import { Boundary } from './shell/boundary.tsx'
import { language } from './words/words.ts'

const loadPage: LoadPage = async (isAdmitted) => {
  const { Shell } = await import('./shell/shell.tsx')
  return isAdmitted ? Shell : RefusedPage
}

function App() {
  const { state, isNew, logIn, enter, logOut } = useSession(loadPage)
  if (state.is === 'starting') return null
  const isOut = state.is === 'out'
  const shown = isOut ? state.before : state.entered
  return (
    <>
      {isOut && (
        <LogInPage reason={state.reason} email={state.before?.email} isNew={isNew} logIn={logIn} onEnter={enter} />
      )}
      {shown && (
        <Activity key={shown.userId} mode={isOut ? 'hidden' : 'visible'}>
          <shown.Page person={shown.email} onLogOut={logOut} />
        </Activity>
      )}
    </>
  )
}

applyAccent()
followRestarts()
document.documentElement.lang = language
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Boundary>
        <App />
      </Boundary>
    </QueryClientProvider>
  </StrictMode>,
)
