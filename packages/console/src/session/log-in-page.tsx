/** Asks for a log-in. */
import { useState } from 'react'
import { t } from '../words/words.ts'

type LogInProps = {
  /** Why it asks again, where a session has ended. */
  readonly reason: string | undefined
  onLogIn(credentials: { readonly email: string; readonly password: string }): Promise<void>
}

export function LogInPage({ reason, onLogIn }: LogInProps) {
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  async function send(form: HTMLFormElement): Promise<void> {
    const values = new FormData(form)
    setSending(true)
    try {
      await onLogIn({ email: String(values.get('email')), password: String(values.get('password')) })
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setSending(false)
    }
  }
  return (
    <main className="log-in">
      <h1>{t('logIn')}</h1>
      {reason && <p>{reason}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send(event.currentTarget)
        }}
      >
        <label className="field">
          {t('email')}
          <input name="email" type="email" autoComplete="username" required />
        </label>
        <label className="field">
          {t('password')}
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        <p role="alert" className="problem">
          {problem}
        </p>
        <button type="submit" className="main" disabled={isSending}>
          {t('logIn')}
        </button>
      </form>
    </main>
  )
}
