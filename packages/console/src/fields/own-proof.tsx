/** The password that confirms a change of the person's own log-in: the server asks for it there. */
import type { ResourceDescription } from 'bindery-server/client'
import type { Row } from '../api/rows.ts'
import { t } from '../words/words.ts'

type Asked = { readonly resource: ResourceDescription; readonly person: string }

/** Whether the changes are of the name or the password by which the person logs in. */
export function needsProof({ resource, person }: Asked, record: Row, changes: Row): boolean {
  const { users, fields, idField } = resource
  if (!users || String(record[idField]) !== person) return false
  return fields.some(({ name, type }) => (name === users.name || type === 'password') && name in changes)
}

type OwnProofProps = { readonly typed: string; onType(next: string): void }

export function OwnProof({ typed, onType }: OwnProofProps) {
  return (
    <label className="field">
      {t('passwordNow')}
      <input
        type="password"
        autoComplete="current-password"
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
      />
    </label>
  )
}
