/** A value that is sent and never shown, such as a password. Empty keeps the one that is stored. */
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'

function SecretInput(props: ControlProps) {
  const { value, onChange } = props
  return (
    <input
      {...attributesOf(props)}
      type="password"
      autoComplete="new-password"
      value={String(value ?? '')}
      onChange={(event) => onChange(event.target.value || undefined)}
    />
  )
}

export const secretKind: FieldKind<string> = { Input: SecretInput, line: { input: 'text' } }
