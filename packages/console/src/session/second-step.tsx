/** The second step of a log-in: a code, a recovery code, or a passkey. */
import type { NextStep } from 'bindery-server/client'
import { t } from '../words/words.ts'
import { LogInField, type StepProps, SubmitRow } from './log-in-field.tsx'
import { proveByCode, proveByPasskey } from './log-in-steps.ts'
import { hasPasskeys } from './log-in-ways.ts'

type SecondStepProps = StepProps & {
  readonly next: NextStep
  enter(proof: () => Promise<void>): Promise<void>
}

export function SecondStep({ next, enter, act, isSending }: SecondStepProps) {
  const hasCodes = next.factors.includes('totp')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const code = String(new FormData(event.currentTarget).get('code'))
        act(() => enter(() => proveByCode(next, code)))
      }}
    >
      <p>{t('secondStep')}</p>
      <LogInField
        label={t(hasCodes ? 'codeOfApp' : 'recoveryCode')}
        name="code"
        autoComplete="one-time-code"
        maxLength={100}
        isFirst
      />
      <SubmitRow label={t('goOn')} isSending={isSending}>
        {hasPasskeys && next.factors.includes('passkey') && (
          <button type="button" disabled={isSending} onClick={() => act(() => enter(() => proveByPasskey(next)))}>
            {t('usePasskey')}
          </button>
        )}
      </SubmitRow>
    </form>
  )
}
