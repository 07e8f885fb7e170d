/** The inputs of a form under their headings, and above them what the server refused, with links. */
import type { FieldDescription } from 'bindery-server/client'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Row } from '../api/rows.ts'
import { ownInput } from '../extend/own-value.tsx'
import { groupFields } from '../fields/field-groups.ts'
import { FieldInput } from '../fields/field-input.tsx'
import type { FormErrors } from '../shell/form-errors.ts'
import { isShortcut, useKey } from '../shell/use-key.ts'
import { t } from '../words/words.ts'
import type { RecordPlace } from './record-place.ts'
import type { RecordForm } from './use-record-form.ts'

function focusField(name: string): void {
  const field = document.querySelector(`[data-field="${CSS.escape(name)}"]`)
  field?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
}

type SummaryProps = { readonly errors: FormErrors; readonly fields: readonly FieldDescription[] }

/** It takes the focus, so that people who cannot see the page hear it. */
export function ErrorSummary({ errors, fields }: SummaryProps) {
  const summary = useRef<HTMLDivElement>(null)
  const isFirst = useRef<FormErrors>(undefined)
  useEffect(() => {
    if (isFirst.current !== errors && errors.message !== isFirst.current?.message) summary.current?.focus()
    isFirst.current = errors
  }, [errors])
  const named = Object.entries(errors.fields).filter(([, sentence]) => sentence !== '')
  return (
    <div ref={summary} role="alert" tabIndex={-1} className="error-summary">
      <p>{errors.message}</p>
      <ul>
        {named.map(([name, sentence]) => {
          // Names with a dot are those of lines.
          const isHere = name.includes('.') || fields.some((field) => field.name === name)
          return (
            <li key={name}>
              {isHere ? (
                <button type="button" className="plain" onClick={() => focusField(name)}>
                  {sentence}
                </button>
              ) : (
                sentence
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

type FormFieldsProps = {
  readonly place: RecordPlace
  readonly form: RecordForm
  readonly fields: readonly FieldDescription[]
  /** Undefined in a new record. */
  readonly record: Row | undefined
}

export function FormFields({ place: { resource }, form, fields, record }: FormFieldsProps) {
  const kind = record ? 'replace' : 'create'
  return (
    <>
      {form.errors && form.errors.message !== '' && <ErrorSummary errors={form.errors} fields={fields} />}
      {groupFields(resource, fields).map(({ heading, fields: grouped }) => (
        <section key={heading ?? ''}>
          {heading && <h2>{heading}</h2>}
          {grouped.map((field) => {
            const { name } = field
            const change = (value: unknown) => form.set(name, value)
            return (
              <FieldInput
                key={name}
                field={field}
                value={form.values[name]}
                values={form.values}
                error={form.errors?.fields[name] || undefined}
                isRequired={field.required.includes(kind)}
                isTitle={name === resource.title}
                own={ownInput({ resource, field, record, value: form.values[name], change })}
                onChange={change}
              />
            )
          })}
        </section>
      ))}
    </>
  )
}

type SaveFormProps = { readonly label: string; readonly children: ReactNode; save(): Promise<void> }

/** A form of a record: Enter, its button and Ctrl-S save it. */
export function SaveForm({ label, children, save }: SaveFormProps) {
  useKey(isShortcut('s'), () => void save())
  return (
    <form
      className="form"
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {children}
    </form>
  )
}

type SaveBarProps = { readonly isSaving: boolean; readonly form: RecordForm; readonly label: string }

export function SaveBar({ isSaving, form, label }: SaveBarProps) {
  const count = Object.keys(form.changes).length
  return (
    <div className="save-bar">
      <button type="submit" className="main" disabled={isSaving}>
        {label} <kbd>Ctrl S</kbd>
      </button>
      {count > 0 && (
        <button type="button" onClick={form.clear}>
          {t('discard')}
        </button>
      )}
      <span className="quiet" role="status">
        {count > 0 ? t(form.isRestored ? 'restored' : 'kept') : ''}
      </span>
    </div>
  )
}
