/** The page of the log-in: one step at a time, each with the refusal of the server. */
import { useState } from 'react'
import { Notices, notifyError } from '../shell/notices.tsx'
import { t } from '../words/words.ts'
import { EnrolStep, RecoveryCodes } from './enrol-step.tsx'
import { providerStep, resume } from './entry-code.ts'
import { type Credentials, FirstStep } from './first-step.tsx'
import { confirmLink, isLate, type Step, sentenceOf, stepAfter, stepOf } from './log-in-steps.ts'
import { MailStep } from './mail-step.tsx'
import { SecondStep } from './second-step.tsx'

type LogInProps = {
  /** Why it asks again, where a session has ended. */
  readonly reason: string | undefined
  /** Of the person whose session has ended. */
  readonly email: string | undefined
  /** The account gets the address and the password that are typed. */
  readonly isNew: boolean
  /** Shows the console once this has logged in. */
  onEnter(proof: Promise<unknown>): Promise<void>
  logIn(credentials: Credentials): Promise<void>
}

const first: Step = { is: 'first' }
let toLink = providerStep?.next === 'link' ? providerStep : undefined

/** The console opens even where the account does not agree. */
async function linkBy(password: string | undefined): Promise<void> {
  const step = toLink
  toLink = undefined
  if (step) await confirmLink(step, password).catch(notifyError)
}

export function LogInPage({ reason, email, isNew, onEnter, logIn }: LogInProps) {
  const [step, setStep] = useState<Step>(() => stepOf(providerStep) ?? first)
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const [password, setPassword] = useState<string>()

  async function perform(work: () => Promise<void>): Promise<void> {
    setSending(true)
    setProblem('')
    try {
      await work()
    } catch (error) {
      const next = stepAfter(error) ?? (isLate(error) ? first : undefined)
      if (next) setStep(next)
      if (!stepAfter(error)) setProblem(sentenceOf(error))
    } finally {
      setSending(false)
    }
  }
  const act = (work: () => Promise<void>) => void perform(work)
  const enter = (proof: () => Promise<void>) => onEnter(proof().then(() => linkBy(password)))
  function send(credentials: Credentials): Promise<void> {
    if (toLink) setPassword(credentials.password)
    return onEnter(logIn(credentials).then(() => linkBy(credentials.password)))
  }
  const same = { act, isSending }
  return (
    <main className="log-in">
      <h1>{t('logIn')}</h1>
      {reason && <p>{reason}</p>}
      {step.is === 'first' && toLink && <p>{t('mustLink')}</p>}
      {step.is === 'first' && (
        <FirstStep
          {...same}
          email={email}
          isNew={isNew}
          enter={enter}
          send={send}
          askForMail={(letter) => setStep({ is: 'mail', letter })}
        />
      )}
      {step.is === 'factor' && <SecondStep {...same} next={step.next} enter={enter} />}
      {step.is === 'enrol' && (
        <EnrolStep {...same} next={step.next} enrolled={(codes) => setStep({ is: 'codes', codes })} />
      )}
      {step.is === 'mail' && <MailStep {...same} letter={step.letter} email={email} />}
      {step.is === 'codes' && <RecoveryCodes {...same} codes={step.codes} onKept={() => enter(resume)} />}
      <p role="alert" className="problem">
        {problem}
      </p>
      {step.is !== 'first' && step.is !== 'codes' && (
        <button
          type="button"
          onClick={() => {
            setProblem('')
            setStep(first)
          }}
        >
          {t('startAgain')}
        </button>
      )}
      <Notices />
    </main>
  )
}
