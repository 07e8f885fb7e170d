/**
 * The person's own password: a change needs the present one. The server ends the person's other
 * sessions, and this one goes on.
 */
import { useQuery } from '@tanstack/react-query'
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { useRef, useState } from 'react'
import { client, personId } from '../api/client.ts'
import { resourceQuery, resourcesQuery } from '../api/declarations.ts'
import { queries } from '../api/queries.ts'
import type { Row } from '../api/rows.ts'
import { isViewing } from '../api/viewing.ts'
import { errorsIn } from '../shell/form-errors.ts'
import { notify } from '../shell/notices.tsx'
import { t } from '../words/words.ts'
import { LogInField, SubmitRow } from './log-in-field.tsx'
import { sentenceOf } from './log-in-steps.ts'

type Own = { readonly users: ResourceDescription; readonly field: FieldDescription; readonly name: string }

const own = () => ({ path: { id: personId() } })
const pathOf = ({ path }: ResourceDescription) => `/api/v1${path}/{id}`

/** Null where the person has no password to change, or may not change it. */
async function readOwn(): Promise<Own | null> {
  if (isViewing()) return null
  const { resources } = await queries.fetchQuery(resourcesQuery)
  const told = resources.find(({ users, path, operations }) => users && path && operations.includes('update'))
  if (!told) return null
  const users = await queries.fetchQuery(resourceQuery(told.slug))
  const field = users.fields.find(({ type, settable }) => type === 'password' && settable.includes('update'))
  if (!field) return null
  const { body } = await client.send('GET', pathOf(users), { ...own(), query: { expand: 'can' } })
  const row = body as Row & { readonly _can?: { readonly update?: boolean } }
  return row._can?.update === false ? null : { users, field, name: String(row[told.users?.name ?? users.title]) }
}

type Typed = { readonly present: string; readonly next: string }

async function change({ users, field }: Own, { present, next }: Typed): Promise<void> {
  const { etag } = await client.send('GET', pathOf(users), own())
  const body = { [field.name]: next, currentPassword: present }
  await client.send('PATCH', pathOf(users), { ...own(), body, ifMatch: etag })
}

export function OwnPassword() {
  const { data } = useQuery({ queryKey: ['_account', 'password'], queryFn: readOwn })
  return data ? <PasswordForm {...data} /> : null
}

function PasswordForm(found: Own) {
  const form = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const length = found.field.schema.minLength as number | undefined

  async function send(values: FormData): Promise<void> {
    const [present, next, again] = ['present', 'next', 'again'].map((name) => String(values.get(name)))
    if (next !== again) return setProblem(t('passwordsDiffer'))
    setSending(true)
    setProblem('')
    try {
      await change(found, { present: present as string, next: next as string })
      form.current?.reset()
      notify({ text: t('passwordChanged') })
    } catch (error) {
      setProblem(errorsIn(error).fields[found.field.name] ?? sentenceOf(error))
    }
    setSending(false)
  }
  return (
    <>
      <h2>{t('password')}</h2>
      <form
        ref={form}
        className="account-form"
        onSubmit={(event) => {
          event.preventDefault()
          void send(new FormData(event.currentTarget))
        }}
      >
        {/* Password managers take the account from it. */}
        <input type="text" autoComplete="username" value={found.name} readOnly hidden />
        <LogInField label={t('passwordPresent')} name="present" type="password" autoComplete="current-password" />
        {(['next', 'again'] as const).map((name) => (
          <LogInField
            key={name}
            label={t(name === 'next' ? 'passwordNew' : 'passwordAgain')}
            name={name}
            type="password"
            autoComplete="new-password"
            minLength={length}
          />
        ))}
        <p role="alert" className="problem">
          {problem}
        </p>
        <SubmitRow label={t('changePassword')} isSending={isSending} />
      </form>
    </>
  )
}
