/** A line of text. */
import type { FieldDescription } from 'bindery-server/client'
import { useState } from 'react'
import { t } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind, KindField } from '../field-kind.ts'

/** A text may be empty where its field has no null. */
export function textOf({ nullable }: KindField, typed: string): string | null {
  return typed === '' && nullable ? null : typed
}

/** A stored text of several lines keeps them: an input of one line would join them. */
export function hasLines(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n')
}

export function TextInput(props: ControlProps) {
  const { field, value, onChange } = props
  const [isLong] = useState(() => hasLines(value))
  if (isLong)
    return (
      <textarea
        {...attributesOf(props)}
        value={String(value ?? '')}
        onChange={(event) => onChange(textOf(field, event.target.value))}
      />
    )
  return (
    <input
      {...attributesOf(props)}
      autoComplete="off"
      value={String(value ?? '')}
      onChange={(event) => onChange(textOf(field, event.target.value))}
    />
  )
}

/** The length, once most of it is used. */
function lengthHint({ schema: { maxLength } }: KindField, value: unknown): string | undefined {
  const length = typeof value === 'string' ? [...value].length : 0
  return length > Number(maxLength) * 0.8 ? t('lengthOf', { length, max: Number(maxLength) }) : undefined
}

function sampleText({ label, schema }: FieldDescription, i: number): string {
  return `${label} ${i + 1}`.slice(0, Number(schema.maxLength ?? 100))
}

/** The server makes it where there is none. */
function SlugInput(props: ControlProps) {
  return <TextInput {...props} onChange={(next) => props.onChange(next === '' ? null : next)} />
}

export const textKind: FieldKind<string> = {
  Input: TextInput,
  line: { input: 'text', takesEmpty: true },
  hint: lengthHint,
  sample: sampleText,
}

export const slugKind: FieldKind<string> = {
  ...textKind,
  Input: SlugInput,
  hint: (field, value) => (value === undefined ? t('madeIfEmpty') : lengthHint(field, value)),
}

/** All have one length. */
export const uuidKind: FieldKind<string> = { ...textKind, hint: () => undefined }
