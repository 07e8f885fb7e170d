/**
 * The first factor of an account whose role needs one. The log-in ends when the factor is shown to
 * work, and gives recovery codes.
 */
import type { NextStep } from 'bindery-server/client'
import { useState } from 'react'
import { loaded } from '../shell/loaded.tsx'
import { copyText } from '../shell/notices.tsx'
import { t } from '../words/words.ts'
import { LogInField, type StepProps, SubmitRow } from './log-in-field.tsx'
import { beginToEnrol, type Enrolling, endEnrolment, enrolPasskey } from './log-in-steps.ts'
import { hasPasskeys } from './log-in-ways.ts'

const QrImage = loaded(() => import('../qr/qr-image.tsx').then((part) => part.QrImage))

type EnrolStepProps = StepProps & { readonly next: NextStep; enrolled(codes: readonly string[]): void }

export function EnrolStep({ next, enrolled, act, isSending }: EnrolStepProps) {
  const [begun, setBegun] = useState<Enrolling>()
  if (begun) return <AppCode begun={begun} enrolled={enrolled} act={act} isSending={isSending} />
  return (
    <>
      <p>{t('mustEnrol')}</p>
      <p className="log-in-acts">
        <button
          type="button"
          className="main"
          disabled={isSending}
          onClick={() => act(async () => setBegun(await beginToEnrol(next, 'totp')))}
        >
          {t('enrolApp')}
        </button>
        {hasPasskeys && next.factors.includes('passkey') && (
          <button
            type="button"
            disabled={isSending}
            onClick={() => act(async () => enrolled(await enrolPasskey(next)))}
          >
            {t('enrolPasskey')}
          </button>
        )}
      </p>
    </>
  )
}

type AppCodeProps = StepProps & { readonly begun: Enrolling; enrolled(codes: readonly string[]): void }

/** The key for the app, and the first code of it. */
export function AppCode({ begun, enrolled, act, isSending }: AppCodeProps) {
  const { secret = '', address } = begun
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const code = String(new FormData(event.currentTarget).get('code'))
        act(async () => enrolled(await endEnrolment(begun, { code })))
      }}
    >
      <p>{t('addKey')}</p>
      {address !== undefined && (
        <div className="qr">
          <QrImage text={address} label={t('qrCode')} />
        </div>
      )}
      <p>
        <code className="log-in-key">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <p className="log-in-acts">
        <button type="button" onClick={() => copyText(secret)}>
          {t('copy')}
        </button>
        <a href={address}>{t('openApp')}</a>
      </p>
      <LogInField label={t('codeAlone')} name="code" autoComplete="one-time-code" maxLength={20} isFirst />
      <SubmitRow label={t('goOn')} isSending={isSending} />
    </form>
  )
}

type RecoveryCodesProps = StepProps & { readonly codes: readonly string[]; onKept(): Promise<void> }

export function RecoveryCodes({ codes, onKept, act, isSending }: RecoveryCodesProps) {
  return (
    <>
      <p>{t('keepCodes')}</p>
      <ul className="log-in-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="log-in-acts">
        <button type="button" className="main" disabled={isSending} onClick={() => act(onKept)}>
          {t('codesKept')}
        </button>
        <button type="button" onClick={() => copyText(codes.join('\n'))}>
          {t('copy')}
        </button>
      </p>
    </>
  )
}
