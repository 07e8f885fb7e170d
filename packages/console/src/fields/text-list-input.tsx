/** A list of texts, one a line. */
import { useState } from 'react'
import { attributesOf, type ControlProps } from './control.ts'

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

export function TextListInput(props: ControlProps) {
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
