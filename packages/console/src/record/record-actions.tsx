/**
 * Actions and transitions as buttons. One that is not possible now is not offered; on request the
 * page says why.
 */
import type { ActionDescription, ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { keepRecord } from '../api/records.ts'
import { forgetRows, type Row } from '../api/rows.ts'
import { FieldInput } from '../fields/field-input.tsx'
import { newProblem, problemsIn } from '../fields/unsent.ts'
import { notify } from '../shell/notices.tsx'
import { Sheet, SubmitOrCancel } from '../shell/sheet.tsx'
import { t } from '../words/words.ts'
import { ErrorSummary } from './form-fields.tsx'
import { pathAt, type RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'
import { errorsIn, type FormErrors } from './use-record-form.ts'

type ActionProps = { readonly place: RecordPlace; readonly action: ActionDescription }

/** Runs it, and shows the record as it is then. The record may be gone. */
async function run({ place, action }: ActionProps, input: Row): Promise<void> {
  const { resource } = place
  const body = action.input.length > 0 ? { body: input } : {}
  await client.send('POST', `/api/v1${pathAt(place)}/${action.path}`, body)
  notify({ text: t('doneAction', { label: action.label }) })
  forgetRows(resource)
  await queries.invalidateQueries({ queryKey: [resource.slug, 'can'] })
  if (place.isSingle) return queries.invalidateQueries({ queryKey: [resource.slug, 'record'] })
  const found = await client.send('GET', `/api/v1${pathAt(place)}`).catch(() => undefined)
  if (found) keepRecord(resource, found.body as Row)
}

function ActionSheet({ place, action, onClose }: ActionProps & { onClose(): void }) {
  const [values, setValues] = useState<Row>({})
  const [errors, setErrors] = useState<FormErrors>()
  const { input, label, summary } = action
  return (
    <Sheet label={label} onClose={onClose}>
      {summary && <p>{summary}</p>}
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          const problems = problemsIn(input, values, newProblem)
          setErrors(problems)
          if (!problems) run({ place, action }, values).then(onClose, (error) => setErrors(errorsIn(error)))
        }}
      >
        {errors && <ErrorSummary errors={errors} fields={input} />}
        {input.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name]}
            values={values}
            error={errors?.fields[field.name]}
            isRequired={field.required.includes('create')}
            onChange={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
          />
        ))}
        <SubmitOrCancel label={label} onClose={onClose} />
      </form>
    </Sheet>
  )
}

type Offered = { readonly action: ActionDescription; readonly refusal: string | undefined }

function labelOf({ fields }: ResourceDescription, name: string): string {
  return fields.find((field) => field.name === name)?.label ?? name
}

function offersOf(resource: ResourceDescription, record: Row, can: Can | undefined): readonly Offered[] {
  return resource.actions.map((action) => {
    const { transition, name } = action
    const state = transition && String(record[transition.field])
    if (transition && state !== undefined && transition.field in record && !transition.from.includes(state)) {
      const from = transition.from.join(', ')
      return { action, refusal: t('wrongState', { field: labelOf(resource, transition.field), from, state }) }
    }
    return { action, refusal: can?.[name] === false ? t('refusedHere') : undefined }
  })
}

type RecordActionsProps = { readonly place: RecordPlace; readonly record: Row; readonly can: Can | undefined }

export function RecordActions({ place, record, can }: RecordActionsProps) {
  const [open, setOpen] = useState<ActionDescription>()
  const [isWhy, setWhy] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const offers = offersOf(place.resource, record, can)
  const refused = offers.filter(({ refusal }) => refusal !== undefined)

  async function start(action: ActionDescription): Promise<void> {
    if (action.input.length > 0) return setOpen(action)
    setRunning(true)
    await run({ place, action }, {}).catch((error) => notify({ text: errorsIn(error).message, isError: true }))
    setRunning(false)
  }
  return (
    <>
      {offers
        .filter(({ refusal }) => refusal === undefined)
        .map(({ action }) => (
          <button
            key={action.name}
            type="button"
            title={action.summary}
            disabled={isRunning}
            onClick={() => void start(action)}
          >
            {action.label}
          </button>
        ))}
      {refused.length > 0 && (
        <button type="button" className="plain" aria-expanded={isWhy} onClick={() => setWhy(!isWhy)}>
          {t('whyNot', { labels: refused.map(({ action }) => action.label).join(', ') })}
        </button>
      )}
      {isWhy && (
        <ul className="why">
          {refused.map(({ action, refusal }) => (
            <li key={action.name}>
              {action.label}: {refusal}
            </li>
          ))}
        </ul>
      )}
      {open && <ActionSheet place={place} action={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}
