/** Asks for a mail: with a link that logs in, or one to choose a new password. */
import { useState } from 'react'
import { client } from '../api/client.ts'
import { t } from '../words/words.ts'
import { LogInField, type StepProps, SubmitRow } from './log-in-field.tsx'
import { leaveForMail } from './log-in-ways.ts'

type MailStepProps = StepProps & { readonly letter: 'reset' | 'link'; readonly email: string | undefined }

async function ask(letter: MailStepProps['letter'], email: string): Promise<void> {
  if (letter === 'reset') return client.forgot(email)
  await client.askForLink(email)
  leaveForMail()
}

export function MailStep({ letter, email, act, isSending }: MailStepProps) {
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) return <p role="status">{t('mailSent', { email: sentTo })}</p>
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const to = String(new FormData(event.currentTarget).get('email'))
        act(async () => {
          await ask(letter, to)
          setSentTo(to)
        })
      }}
    >
      <p>{t(letter === 'reset' ? 'forgottenHow' : 'mailLinkHow')}</p>
      <LogInField label={t('email')} name="email" type="email" autoComplete="username" defaultValue={email} isFirst />
      <SubmitRow label={t('sendMail')} isSending={isSending} />
    </form>
  )
}
