/** A list of texts or other scalars, one a line. */
import { useState } from 'react'
import { t } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind, KindField } from '../field-kind.ts'
import { jsonKind } from './json-kind.tsx'

function linesOf(text: string, separator = '\n'): readonly string[] {
  return text
    .split(separator)
    .map((line) => line.trim())
    .filter(Boolean)
}

type Item = string | number | boolean

/** A line as an item. One that is none is sent as it is, and the server refuses it. */
function itemOf(schema: KindField['schema'], line: string): Item {
  const { type } = (schema.items ?? {}) as { readonly type?: unknown }
  if (type === 'boolean' && (line === 'true' || line === 'false')) return line === 'true'
  const isNumber = (type === 'integer' || type === 'number') && Number.isFinite(Number(line))
  return isNumber ? Number(line) : line
}

function TextListInput(props: ControlProps) {
  const { field, value, onChange } = props
  const list = Array.isArray(value) ? (value as readonly Item[]) : []
  const [typed, setTyped] = useState('')
  const isTyped = linesOf(typed).join('\n') === list.join('\n')
  return (
    <textarea
      {...attributesOf(props)}
      rows={2}
      value={isTyped ? typed : list.join('\n')}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(linesOf(event.target.value).map((line) => itemOf(field.schema, line)))
      }}
    />
  )
}

export const textListKind: FieldKind<readonly Item[]> = {
  Input: TextListInput,
  cell: (value) => value.join(', '),
  hint: () => t('oneALine'),
  readCell: (text) => (text.startsWith('[') ? jsonKind.readCell?.(text) : linesOf(text, ',')),
}
