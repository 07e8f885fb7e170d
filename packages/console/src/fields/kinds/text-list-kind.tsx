/** A list of texts, one a line. */
import { useState } from 'react'
import { t } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { jsonKind } from './json-kind.tsx'

function linesOf(text: string, separator = '\n'): readonly string[] {
  return text
    .split(separator)
    .map((line) => line.trim())
    .filter(Boolean)
}

function TextListInput(props: ControlProps) {
  const { value, onChange } = props
  const list = Array.isArray(value) ? (value as readonly string[]) : []
  const [typed, setTyped] = useState('')
  const isTyped = linesOf(typed).join('\n') === list.join('\n')
  return (
    <textarea
      {...attributesOf(props)}
      rows={2}
      value={isTyped ? typed : list.join('\n')}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(linesOf(event.target.value))
      }}
    />
  )
}

export const textListKind: FieldKind<readonly string[]> = {
  Input: TextListInput,
  cell: (value) => value.join(', '),
  hint: () => t('oneALine'),
  readCell: (text) => (text.startsWith('[') ? jsonKind.readCell?.(text) : linesOf(text, ',')),
}
