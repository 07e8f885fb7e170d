/** Actions and transitions as buttons. One that is not possible now is not offered. */
import type { ActionDescription, ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { type Refusal, refusalsOf } from '../api/explanation.ts'
import { queries } from '../api/queries.ts'
import { keepRecord } from '../api/records.ts'
import { wholeRecord } from '../api/requested-fields.ts'
import { forgetRows, type Row } from '../api/rows.ts'
import { FieldInput } from '../fields/field-input.tsx'
import { newProblem, problemsIn } from '../fields/unsent.ts'
import { errorsIn, type FormErrors } from '../shell/form-errors.ts'
import { notify } from '../shell/notices.tsx'
import { Sheet, SubmitOrCancel } from '../shell/sheet.tsx'
import { tellOnce } from '../shell/shown-once.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { t } from '../words/words.ts'
import { ErrorSummary } from './form-fields.tsx'
import { type AddedJob, JobSheet } from './job-sheet.tsx'
import { pathAt, type RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'
import { revertAction } from './versions.tsx'

type ActionProps = { readonly place: RecordPlace; readonly action: ActionDescription }

/** Runs it, and shows the record as it is then. Returns the job of one that is done later. */
async function run({ place, action }: ActionProps, input: Row): Promise<AddedJob | undefined> {
  const { resource } = place
  const body = action.input.length > 0 ? { body: input } : {}
  const answer = await client.send('POST', `/api/v1${pathAt(place)}/${action.path}`, body)
  if (action.job) return answer.body as AddedJob
  tellOnce(resource, answer.body)
  notify({ text: t('doneAction', { label: action.label }) })
  await readAgain(place)
  return undefined
}

/** The record as it is now. It may be gone. */
async function readAgain(place: RecordPlace): Promise<void> {
  const { resource } = place
  forgetRows(resource)
  await queries.invalidateQueries({ queryKey: [resource.slug, 'can'] })
  if (place.isSingle) return queries.invalidateQueries({ queryKey: [resource.slug, 'record'] })
  const query = wholeRecord(resource)
  const found = await client.send('GET', `/api/v1${pathAt(place)}`, { query }).catch(() => undefined)
  if (found) keepRecord(resource, found.body as Row)
}

type ActionSheetProps = ActionProps & { onDone(job?: AddedJob): void; onClose(): void }

function ActionSheet({ place, action, onDone, onClose }: ActionSheetProps) {
  const [values, setValues] = useState<Row>({})
  const [errors, setErrors] = useState<FormErrors>()
  const once = useOneRun()
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
          if (!problems) once(() => run({ place, action }, values).then(onDone, (error) => setErrors(errorsIn(error))))
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

type RecordActionsProps = { readonly place: RecordPlace; readonly record: Row; readonly can: Can | null | undefined }

function labelOf({ fields }: ResourceDescription, name: string): string {
  return fields.find((field) => field.name === name)?.label ?? name
}

/** Why the state of the record does not let it happen; undefined where it does. */
function wrongStateOf(resource: ResourceDescription, { transition }: ActionDescription, record: Row) {
  if (!transition || !(transition.field in record)) return undefined
  const state = String(record[transition.field])
  if (transition.from.includes(state)) return undefined
  return t('wrongState', { field: labelOf(resource, transition.field), from: transition.from.join(', '), state })
}

/** What is not offered for this record: by its state, by the rules for it, or by those for all. */
export function refusalsAt({ place, record, can }: RecordActionsProps): readonly Refusal[] {
  const { resource, id, isSingle } = place
  const path = pathAt(place)
  const mayAsk = resource.declaredIn !== undefined
  const acts = resource.actions.flatMap((action): Refusal[] => {
    const reason = wrongStateOf(resource, action, record)
    if (reason === undefined && can?.[action.name] !== false) return []
    const common = { label: action.label, method: 'POST', path: `${path}/${action.path}` } as const
    return [{ ...common, ...(reason !== undefined && { reason }), mayAsk: mayAsk && reason === undefined }]
  })
  const own = (['update', 'delete'] as const)
    .filter((name) => !isSingle && resource.operations.includes(name) && can?.[name] === false)
    .map((name): Refusal => {
      const isDelete = name === 'delete'
      return { label: t(isDelete ? 'delete' : 'edit'), method: isDelete ? 'DELETE' : 'PATCH', path, mayAsk }
    })
  return [...own, ...acts, ...(isSingle ? [] : refusalsOf(resource, { path: resource.path ?? '', id }))]
}

/** It stands beside each version. */
function isRevert({ resource }: RecordPlace, { name }: ActionDescription): boolean {
  return name === revertAction && resource.children.some((child) => child.name === 'history')
}

export function RecordActions({ place, record, can }: RecordActionsProps) {
  const [open, setOpen] = useState<ActionDescription>()
  const [isRunning, setRunning] = useState(false)
  const [later, setLater] = useState<{ readonly action: ActionDescription; readonly job: AddedJob }>()
  const { resource } = place
  const offered = resource.actions.filter(
    (action) =>
      !isRevert(place, action) && can?.[action.name] !== false && wrongStateOf(resource, action, record) === undefined,
  )

  async function start(action: ActionDescription): Promise<void> {
    if (action.input.length > 0) return setOpen(action)
    setRunning(true)
    await run({ place, action }, {}).then(
      (job) => end(action, job),
      (error) => notify({ text: errorsIn(error).message, isError: true }),
    )
    setRunning(false)
  }
  function end(action: ActionDescription, job?: AddedJob): void {
    setOpen(undefined)
    setLater(job && { action, job })
  }
  return (
    <>
      {offered.map((action) => (
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
      {open && (
        <ActionSheet place={place} action={open} onDone={(job) => end(open, job)} onClose={() => setOpen(undefined)} />
      )}
      {later && (
        <JobSheet
          action={later.action}
          added={later.job}
          onEnd={() => void readAgain(place)}
          onClose={() => setLater(undefined)}
        />
      )}
    </>
  )
}
