/** The state of a form: the changes, the record that they began from, and the refusal. */
import { useState } from 'react'
import { isSameValue, type Row } from '../api/rows.ts'
import type { FormErrors } from '../shell/form-errors.ts'
import { type Draft, dropDraft, keepDraft, readDraft } from './draft.ts'
import type { RecordPlace } from './record-place.ts'

export type RecordForm = {
  /** The record with the changes. */
  readonly values: Row
  readonly changes: Row
  /** The record that the changes are about. */
  readonly base: Row
  readonly errors: FormErrors | undefined
  /** It came from a draft of before. */
  readonly isRestored: boolean
  /** `cell`: the part of the value that was changed, whose error goes. */
  set(name: string, value: unknown, cell?: string): void
  fail(errors: FormErrors | undefined): void
  /** Drops what has been typed. */
  clear(): void
  /** Drops what a save has sent. Changes that were typed meanwhile are about the saved record. */
  saved(sent: Row, record: Row): void
}

/** The changes that were typed after a save was sent. */
export function typedSince(sent: Row, { changes }: Draft): Row {
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => !isSameValue(value, sent[name])))
}

/** `shown`: the record as it is known now, or the values that a new one begins with. */
export function useRecordForm(place: RecordPlace, shown: Row): RecordForm {
  const [draft, setDraft] = useState<Draft>(() => readDraft(place) ?? { changes: {} })
  const [isRestored, setRestored] = useState(Object.keys(draft.changes).length > 0)
  const [errors, setErrors] = useState<FormErrors>()
  const { changes } = draft
  const base = draft.base ?? shown
  return {
    values: { ...base, ...changes },
    changes,
    base,
    errors,
    isRestored,
    set(name, value, cell = name) {
      setDraft((now) => {
        const from = now.base ?? shown
        const { [name]: _, ...others } = now.changes
        const next = isSameValue(value, from[name]) ? others : { ...others, [name]: value }
        const kept: Draft = { changes: next, base: Object.keys(next).length > 0 ? from : undefined }
        keepDraft(place, kept)
        return kept
      })
      if (errors?.fields[cell]) setErrors({ ...errors, fields: { ...errors.fields, [cell]: '' } })
    },
    fail: setErrors,
    clear() {
      dropDraft(place)
      setDraft({ changes: {} })
      setRestored(false)
      setErrors(undefined)
    },
    saved(sent, record) {
      setDraft((now) => {
        const later = typedSince(sent, now)
        const kept: Draft = { changes: later, base: Object.keys(later).length > 0 ? record : undefined }
        keepDraft(place, kept)
        return kept
      })
      setRestored(false)
      setErrors(undefined)
    },
  }
}
