/** The first step of a log-in: a password, a passkey, a provider, or a mail. */
import { t } from '../words/words.ts'
import { LogInField, type StepProps, SubmitRow } from './log-in-field.tsx'
import { proveByPasskey } from './log-in-steps.ts'
import { hasPasskeys, leaveForProvider, providerAddress, ways } from './log-in-ways.ts'

export type Credentials = { readonly email: string; readonly password: string }

type FirstStepProps = StepProps & {
  /** Of the person whose session has ended. */
  readonly email: string | undefined
  /** Only a password can be chosen for a new account. */
  readonly isNew: boolean
  enter(proof: () => Promise<void>): Promise<void>
  send(credentials: Credentials): Promise<void>
  askForMail(letter: 'reset' | 'link'): void
}

export function FirstStep({ email, isNew, enter, send, askForMail, act, isSending }: FirstStepProps) {
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const values = new FormData(event.currentTarget)
          const credentials = { email: String(values.get('email')), password: String(values.get('password')) }
          act(() => send(credentials))
        }}
      >
        <LogInField
          label={t('email')}
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={email}
          isFirst={!email}
        />
        <LogInField
          label={t('password')}
          name="password"
          type="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          isFirst={Boolean(email)}
        />
        <SubmitRow label={t('logIn')} isSending={isSending}>
          {!isNew && hasPasskeys && (
            <button type="button" disabled={isSending} onClick={() => act(() => enter(() => proveByPasskey()))}>
              {t('usePasskey')}
            </button>
          )}
        </SubmitRow>
      </form>
      {!isNew && <OtherWays askForMail={askForMail} />}
    </>
  )
}

function OtherWays({ askForMail }: Pick<FirstStepProps, 'askForMail'>) {
  return (
    <>
      {ways.providers.length > 0 && (
        <ul className="log-in-ways">
          {ways.providers.map((provider) => (
            <li key={provider}>
              <a className="button" href={providerAddress(provider)} onClick={leaveForProvider}>
                {t('logInBy', { provider })}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p className="log-in-acts">
        {ways.link && (
          <button type="button" className="plain" onClick={() => askForMail('link')}>
            {t('mailLink')}
          </button>
        )}
        {ways.reset && (
          <button type="button" className="plain" onClick={() => askForMail('reset')}>
            {t('forgotten')}
          </button>
        )}
      </p>
    </>
  )
}
