/** A line of text, and text of several lines that grows as it is written. */
import { attributesOf, type ControlProps } from './control.ts'

const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url', url: 'url', phone: 'tel', color: 'color' }

/** A text may be empty where its field has no null. */
function textOf(field: ControlProps['field'], typed: string): string | null {
  return typed === '' && field.nullable ? null : typed
}

export function TextInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <input
      {...attributesOf(props)}
      type={types[field.widget ?? String(field.schema.format)] ?? 'text'}
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
