/** The form of a new record. */
import { useState } from 'react'
import { go, hrefOf, tenantHere } from '../address/router.ts'
import { createRecord } from '../api/records.ts'
import type { Row } from '../api/rows.ts'
import { newProblem, problemsIn, sendable } from '../fields/unsent.ts'
import { notify } from '../shell/notices.tsx'
import { tellOnce } from '../shell/shown-once.tsx'
import { inSentence, t } from '../words/words.ts'
import { ChildLines } from './child-lines.tsx'
import { keepDraft, readDraft } from './draft.ts'
import { FormFields, SaveBar, SaveForm } from './form-fields.tsx'
import { bodyOf, type InBody } from './line-edits.ts'
import { errorsWithLines, withLineProblems } from './line-errors.ts'
import type { RecordPlace } from './record-place.ts'
import { typedSince, useRecordForm } from './use-record-form.ts'

/** Its own address, or one below the record that it was made in. */
function partsOf({ resource, parts, isSingle, isOwn }: RecordPlace, made: Row): readonly string[] {
  if (isSingle) return parts
  const id = String(made[resource.idField])
  return isOwn ? [resource.slug, id] : [...parts.slice(0, -1), id]
}

/** What was typed while the record was made are changes of it. */
function keepLater(
  place: RecordPlace,
  { sent, made, parts }: Readonly<Record<'sent' | 'made', Row>> & { readonly parts: readonly string[] },
): void {
  const { fields } = place.resource
  const later = typedSince(sent, readDraft(place) ?? { changes: {} })
  const settable = fields.filter(({ name, settable }) => name in later && settable.includes('update'))
  const changes = Object.fromEntries(settable.map(({ name }) => [name, later[name]]))
  keepDraft({ ...place, id: parts.at(-1) as string, parts }, { changes, base: made })
}

type CreateFormProps = {
  readonly place: RecordPlace
  readonly values: Row
  /** The records below the new one that are made with it. */
  readonly nested: readonly InBody[]
}

export function CreateForm({ place, values, nested }: CreateFormProps) {
  const { resource, given } = place
  const form = useRecordForm(place, values)
  const [isSaving, setSaving] = useState(false)
  // The tenant of the address gives the field that names it.
  const named = [...given, ...(tenantHere() === undefined ? [] : [resource.tenantField])]
  const fields = resource.fields.filter(({ settable, name }) => settable.includes('create') && !named.includes(name))

  async function save(): Promise<void> {
    const sent = { ...values, ...form.changes }
    const problems = withLineProblems(nested, sent, problemsIn(fields, sent, newProblem))
    form.fail(problems)
    if (isSaving || problems) return
    setSaving(true)
    try {
      const made = await createRecord(resource, sendable(fields, bodyOf(place, nested, sent)))
      const parts = partsOf(place, made)
      keepLater(place, { sent, made, parts })
      form.clear()
      tellOnce(resource, made)
      notify({ text: t('made', { label: resource.label }) })
      go(hrefOf(parts), { replace: true })
    } catch (error) {
      form.fail(errorsWithLines(nested, sent, error))
    } finally {
      setSaving(false)
    }
  }
  return (
    <SaveForm label={t('create', { label: inSentence(resource.label) })} save={save}>
      <FormFields place={place} form={form} fields={fields} record={undefined} />
      {nested.map((one) => (
        <ChildLines key={one.child.name} inBody={one} form={form} isSaving={isSaving} parts={undefined} />
      ))}
      <SaveBar isSaving={isSaving} form={form} label={t('createIt')} />
    </SaveForm>
  )
}
