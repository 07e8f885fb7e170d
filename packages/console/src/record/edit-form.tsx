/** The form of a stored record. A save names the version that the form was begun with. */
import type { FieldDescription } from 'bindery-server/client'
import { useState } from 'react'
import { isSameValue, type Row } from '../api/rows.ts'
import { needsProof, OwnProof } from '../fields/own-proof.tsx'
import { changeProblem, problemsIn } from '../fields/unsent.ts'
import { type Conflict, ConflictSheet, readConflict } from '../merge/conflict.tsx'
import { saveChanges } from '../merge/save-record.ts'
import { isConflict } from '../shell/save-edit.ts'
import { t } from '../words/words.ts'
import { ChildLines } from './child-lines.tsx'
import { FormFields, SaveBar, SaveForm } from './form-fields.tsx'
import { bodyOf, type InBody } from './line-edits.ts'
import { errorsWithLines, withLineProblems } from './line-errors.ts'
import type { RecordPlace } from './record-place.ts'
import { readLines } from './use-in-body.ts'
import { useRecordForm } from './use-record-form.ts'

type EditFormProps = {
  readonly place: RecordPlace
  readonly record: Row
  readonly fields: readonly FieldDescription[]
  /** The records below it that are saved with it. */
  readonly nested: readonly InBody[]
}

/** Whether the stored record is another one than that which the person changes. */
function isOutdated({ resource: { fields } }: RecordPlace, base: Row, record: Row): boolean {
  return fields.some(({ name, virtual }) => !virtual && name in record && !isSameValue(base[name], record[name]))
}

export function EditForm({ place, record, fields, nested }: EditFormProps) {
  const { resource } = place
  const form = useRecordForm(place, record)
  const [isSaving, setSaving] = useState(false)
  const [password, setPassword] = useState('')
  const asksProof = needsProof(place, record, form.changes)
  const proof = asksProof && password !== '' ? { currentPassword: password } : undefined
  const [conflict, setConflict] = useState<Conflict>()
  const isBehind = Object.keys(form.changes).length > 0 && isOutdated(place, form.base, record)

  async function trySave(): Promise<void> {
    const edit = { base: form.base, changes: bodyOf(place, nested, form.changes), proof }
    try {
      const saved = await saveChanges(resource, edit)
      await readLines(nested)
      form.saved(form.changes, saved)
      setPassword('')
    } catch (error) {
      if (!isConflict(error)) throw error
      setConflict(await readConflict(resource, edit))
    }
  }

  async function save(): Promise<void> {
    const changed = fields.filter(({ name }) => name in form.changes)
    const problems = withLineProblems(nested, form.changes, problemsIn(changed, form.changes, changeProblem))
    form.fail(problems)
    if (isSaving || conflict || Object.keys(form.changes).length === 0 || problems) return
    if (Object.keys(bodyOf(place, nested, form.changes)).length === 0) return form.clear()
    setSaving(true)
    await trySave().catch((error) => form.fail(errorsWithLines(nested, form.changes, error)))
    setSaving(false)
  }
  return (
    <>
      <SaveForm label={resource.label} save={save}>
        <div role="status">
          {isBehind && !isSaving && (
            <p className="changed-elsewhere">
              {t('changedElsewhere')}{' '}
              <button type="button" onClick={form.clear}>
                {t('loadIt')}
              </button>
            </p>
          )}
        </div>
        <FormFields place={place} form={form} fields={fields} record={form.base} />
        {nested.map((one) => (
          <ChildLines key={one.child.name} inBody={one} form={form} isSaving={isSaving} parts={place.parts} />
        ))}
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
