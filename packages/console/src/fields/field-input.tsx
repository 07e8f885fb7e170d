/** The input of a field: its label, its control by its type, a hint, and the error of the server. */
import type { FieldDescription } from 'bindery-server/client'
import { type ComponentType, type ReactNode, useId } from 'react'
import { t } from '../words/words.ts'
import { BooleanInput, ChoiceInput } from './choice-input.tsx'
import type { ControlProps } from './control.ts'
import { JsonInput } from './json-input.tsx'
import { NumberInput } from './number-input.tsx'
import { ReferenceInput } from './reference-input.tsx'
import { SecretInput } from './secret-input.tsx'
import { LongTextInput, TextInput } from './text-input.tsx'
import { TextListInput } from './text-list-input.tsx'
import { TimeInput } from './time-input.tsx'

/** A type without a control of its own is written as JSON. */
const controls: Readonly<Record<string, ComponentType<ControlProps>>> = {
  text: TextInput,
  id: TextInput,
  integer: NumberInput,
  money: NumberInput,
  decimal: NumberInput,
  boolean: BooleanInput,
  choice: ChoiceInput,
  role: ChoiceInput,
  timestamp: TimeInput,
  textList: TextListInput,
  password: SecretInput,
}
const ofSchema: Readonly<Record<string, ComponentType<ControlProps>>> = {
  string: TextInput,
  integer: NumberInput,
  number: NumberInput,
  boolean: BooleanInput,
}
const longWidgets: readonly string[] = ['markdown', 'longText', 'code']
const lineMax = 255

/** A text that people do not sort by, and that may be long, is written in several lines. */
function isLong({ type, schema, sortable, widget }: FieldDescription): boolean {
  if (widget !== undefined) return longWidgets.includes(widget)
  return type === 'text' && !sortable && !schema.format && Number(schema.maxLength) > lineMax
}

function controlOf(field: FieldDescription, isTitle: boolean): ComponentType<ControlProps> {
  if (field.reference) return ReferenceInput
  if (field.schema.enum) return ChoiceInput
  if (isLong(field) && !isTitle) return LongTextInput
  return controls[field.type] ?? ofSchema[String(field.schema.type)] ?? JsonInput
}

const integerMax = 2 ** 31 - 1

/** The limits that a person can run into: `1 to 5`, `at most 80 characters`. */
function limitsOf({ schema, type, reference }: FieldDescription, value: unknown): string | undefined {
  if (reference) return undefined
  const { minimum, maximum, maxLength } = schema as Readonly<Record<string, number | undefined>>
  const min = minimum !== undefined && minimum > -integerMax - 1 ? minimum : undefined
  const max = maximum !== undefined && maximum < integerMax ? maximum : undefined
  if (min !== undefined && max !== undefined) return t('fromTo', { min, max })
  if (min !== undefined) return t('atLeast', { min })
  if (max !== undefined) return t('atMost', { max })
  const written = typeof value === 'string' ? value.length : 0
  if (type === 'text' && maxLength !== undefined && written > maxLength * 0.8)
    return t('lengthOf', { length: written, max: maxLength })
  return type === 'textList' ? t('oneALine') : undefined
}

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
  const Control = controlOf(field, isTitle)
  const hint = [field.description, limitsOf(field, value)].filter(Boolean).join(' ')
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field" data-field={field.name}>
      {own !== undefined && <span className="label">{field.label}</span>}
      {own === undefined && Control !== ReferenceInput && (
        <label htmlFor={id}>
          {field.label}
          {isRequired && <span aria-hidden="true"> *</span>}
        </label>
      )}
      {own ?? (
        <Control
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
