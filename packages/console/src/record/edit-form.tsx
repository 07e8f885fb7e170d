/** The form of a stored record. A save names the version that the form was begun with. */
import type { FieldDescription } from 'bindery-server/client'
import { useState } from 'react'
import type { Row } from '../api/rows.ts'
import { needsProof, OwnProof } from '../fields/own-proof.tsx'
import { changeProblem, problemsIn } from '../fields/unsent.ts'
import { type Conflict, ConflictSheet, readConflict } from '../merge/conflict.tsx'
import { saveChanges } from '../merge/save-record.ts'
import { errorsIn } from '../shell/form-errors.ts'
import { isConflict } from '../shell/save-edit.ts'
import { t } from '../words/words.ts'
import { FormFields, SaveBar, SaveForm } from './form-fields.tsx'
import type { RecordPlace } from './record-place.ts'
import { useRecordForm } from './use-record-form.ts'

type EditFormProps = {
  readonly place: RecordPlace
  readonly record: Row
  readonly fields: readonly FieldDescription[]
}

export function EditForm({ place, record, fields }: EditFormProps) {
  const { resource } = place
  const form = useRecordForm(place, record)
  const [isSaving, setSaving] = useState(false)
  const [password, setPassword] = useState('')
  const asksProof = needsProof(place, record, form.changes)
  const proof = asksProof && password !== '' ? { currentPassword: password } : undefined
  const [conflict, setConflict] = useState<Conflict>()

  async function trySave(): Promise<void> {
    const { base, changes } = form
    try {
      form.saved(changes, await saveChanges(resource, { base, changes, proof }))
      setPassword('')
    } catch (error) {
      if (!isConflict(error)) throw error
      setConflict(await readConflict(resource, { base, changes, proof }))
    }
  }

  async function save(): Promise<void> {
    const changed = fields.filter(({ name }) => name in form.changes)
    const problems = problemsIn(changed, form.changes, changeProblem)
    form.fail(problems)
    if (isSaving || conflict || changed.length === 0 || problems) return
    setSaving(true)
    await trySave().catch((error) => form.fail(errorsIn(error)))
    setSaving(false)
  }
  return (
    <>
      <SaveForm label={resource.label} save={save}>
        <FormFields place={place} form={form} fields={fields} record={form.base} />
        {asksProof && <OwnProof typed={password} onType={setPassword} />}
        <SaveBar isSaving={isSaving} form={form} label={t('save')} />
      </SaveForm>
      {conflict && (
        <ConflictSheet
          resource={resource}
          conflict={conflict}
          onClose={() => setConflict(undefined)}
          onSaved={() => {
            form.clear()
            setPassword('')
            setConflict(undefined)
          }}
        />
      )}
    </>
  )
}
