/** A line of text, and text of several lines that grows as it is written. */
import { attributesOf, type ControlProps, emptyOf } from './control.ts'

const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url' }

/** A text may be empty where its field has no null. */
function textOf(field: ControlProps['field'], typed: string): string | null {
  return typed === '' && emptyOf(field) === null ? null : typed
}

export function TextInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <input
      {...attributesOf(props)}
      type={types[String(field.schema.format)] ?? 'text'}
      autoComplete="off"
      value={String(value ?? '')}
      onChange={(event) => onChange(textOf(field, event.target.value))}
    />
  )
}

export function LongTextInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <textarea
      {...attributesOf(props)}
      rows={2}
      value={String(value ?? '')}
      onChange={(event) => onChange(textOf(field, event.target.value))}
    />
  )
}
