/** Text that programs read: letters of one width, and no spelling. */
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { longTextKind } from './long-text-kind.tsx'
import { textOf } from './text-kind.tsx'

function CodeInput(props: ControlProps) {
  const { field, value, onChange } = props
  return (
    <textarea
      {...attributesOf(props)}
      className="code"
      rows={4}
      spellCheck={false}
      autoCapitalize="off"
      value={String(value ?? '')}
      onChange={(event) => onChange(textOf(field, event.target.value))}
    />
  )
}

export const codeKind: FieldKind<string> = {
  ...longTextKind,
  Input: CodeInput,
  whole: (value) => <pre className="code">{value}</pre>,
}
