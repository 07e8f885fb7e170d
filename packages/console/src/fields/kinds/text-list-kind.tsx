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

function choicesOf({ schema }: KindField): readonly string[] {
  const { enum: choices = [] } = (schema.items ?? {}) as { readonly enum?: readonly unknown[] }
  return choices.map(String)
}

/** Choices are ticked, unless the list has one of them twice. */
function ListInput(props: ControlProps) {
  const { field, value, onChange, id } = props
  const choices = choicesOf(field)
  const list = Array.isArray(value) ? (value as readonly Item[]).map(String) : []
  const isSet = new Set(list).size === list.length && list.every((one) => choices.includes(one))
  const label = <label htmlFor={id}>{field.label}</label>
  if (choices.length === 0 || !isSet)
    return (
      <>
        {label}
        <TextListInput {...props} />
      </>
    )
  const { describedBy, isInvalid } = props
  return (
    <fieldset className="ticks" aria-describedby={describedBy} data-invalid={isInvalid || undefined}>
      <legend>{field.label}</legend>
      {choices.map((one) => (
        <label key={one}>
          <input
            type="checkbox"
            checked={list.includes(one)}
            onChange={({ target }) => onChange(target.checked ? [...list, one] : list.filter((other) => other !== one))}
          />
          {one}
        </label>
      ))}
    </fieldset>
  )
}

const example: Readonly<Record<string, string>> = { date: '2026-01-31', 'date-time': '2026-01-31T12:00:00Z' }

function hintOf(field: KindField): string | undefined {
  if (choicesOf(field).length > 0) return undefined
  const { format = '' } = (field.schema.items ?? {}) as { readonly format?: string }
  return example[format] ? t('oneALineSuch', { example: example[format] }) : t('oneALine')
}

export const listKind: FieldKind<readonly Item[]> = {
  ...textListKind,
  Input: ListInput,
  labelsItself: true,
  hint: hintOf,
}
