/** The input of a field: its label, the input of its kind, a hint, and the error of the server. */
import type { FieldDescription } from 'bindery-server/client'
import { type ReactNode, useId } from 'react'
import type { ControlProps } from './control.ts'
import { kindOf } from './field-kinds.ts'

type FieldInputProps = {
  readonly field: FieldDescription
  readonly value: unknown
  readonly values: ControlProps['values']
  readonly error: string | undefined
  readonly isRequired: boolean
  readonly isTitle?: boolean
  /** The application's own control of the field. */
  readonly own?: ReactNode
  onChange(next: unknown): void
}

export function FieldInput(props: FieldInputProps) {
  const { field, value, values, error, isRequired, isTitle = false, own, onChange } = props
  const id = useId()
  // A title has one line, however long it may be.
  const { Input, labelsItself, hint: limit } = kindOf(isTitle ? { ...field, sortable: true } : field)
  const hint = [field.description, limit?.(field, value)].filter(Boolean).join(' ')
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field" data-field={field.name}>
      {own !== undefined && <span className="label">{field.label}</span>}
      {own === undefined && !labelsItself && (
        <label htmlFor={id}>
          {field.label}
          {isRequired && <span aria-hidden="true"> *</span>}
        </label>
      )}
      {own ?? (
        <Input
          field={field}
          id={id}
          value={value}
          values={values}
          onChange={onChange}
          describedBy={described || undefined}
          isInvalid={error !== undefined}
          isRequired={isRequired}
        />
      )}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="problem">
          {error}
        </p>
      )}
    </div>
  )
}
