/**
 * Two people changed one record: the fields that differ, mine and theirs, and a choice for each.
 * The merge is saved with their version; another write in between opens it anew.
 */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { wholeRecord } from '../api/requested-fields.ts'
import { isSameValue, pathIdOf, type Row } from '../api/rows.ts'
import { showWhole } from '../fields/show-value.tsx'
import { errorsIn } from '../shell/form-errors.ts'
import { isConflict } from '../shell/save-edit.ts'
import { Sheet, SubmitOrCancel } from '../shell/sheet.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { t } from '../words/words.ts'
import { type Save, saveChanges } from './save-record.ts'

export type Conflict = Save & {
  /** The record as it is stored now. */
  readonly theirs: Row
}

/** Reads the record as it is now. Throws the client's error, 404 where it is gone. */
export async function readConflict(resource: ResourceDescription, save: Save): Promise<Conflict> {
  const path = { id: pathIdOf(resource, save.base) }
  const { body } = await client.send('GET', `/api/v1${resource.path}/{id}`, { path, query: wholeRecord(resource) })
  return { ...save, theirs: body as Row }
}

type Side = 'mine' | 'theirs'
type Difference = { readonly field: FieldDescription; readonly mine: unknown; readonly theirs: unknown }

/** Fields that were shown, that this caller sets, and whose values differ. */
function differencesOf({ fields }: ResourceDescription, { base, changes, theirs }: Conflict): readonly Difference[] {
  const shown = { ...base, ...changes }
  return fields
    .filter(({ settable, secret, name }) => settable.includes('update') && !secret && name in shown)
    .map((field) => ({ field, mine: shown[field.name], theirs: theirs[field.name] }))
    .filter(({ mine, theirs: other }) => !isSameValue(mine, other))
}

/** Where only one of both changed a field, that change is chosen. Else the person must choose. */
function firstChoice({ base, changes, theirs }: Conflict, name: string): Side | undefined {
  if (!(name in changes)) return 'theirs'
  return isSameValue(base[name], theirs[name]) ? 'mine' : undefined
}

type ChoiceProps = { readonly difference: Difference; readonly side: Side | undefined; onChoose(side: Side): void }

function Choice({ difference, side, onChoose }: ChoiceProps) {
  const { field } = difference
  return (
    <fieldset className="conflict-field">
      <legend>{field.label}</legend>
      {(['mine', 'theirs'] as const).map((one) => (
        <label key={one}>
          <input type="radio" name={field.name} required checked={side === one} onChange={() => onChoose(one)} />
          <span>
            <strong>{t(one)}</strong>
            <span className="conflict-value">{showWhole(field, difference[one])}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type ConflictSheetProps = {
  readonly resource: ResourceDescription
  readonly conflict: Conflict
  onSaved(saved: Row): void
  onClose(): void
}

export function ConflictSheet({ resource, conflict: first, onSaved, onClose }: ConflictSheetProps) {
  const [conflict, setConflict] = useState(first)
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({})
  const [problem, setProblem] = useState('')
  const once = useOneRun()
  const differences = differencesOf(resource, conflict)
  const sideOf = (name: string) => chosen[name] ?? firstChoice(conflict, name)

  async function save(): Promise<void> {
    const mine = differences.filter(({ field }) => sideOf(field.name) === 'mine')
    const secrets = resource.fields.filter(({ secret }) => secret)
    // Records below it are mine: what others changed in them is not compared.
    const below = resource.children.filter(({ inBody }) => inBody)
    const kept = [...secrets, ...below].filter(({ name }) => name in conflict.changes)
    const changes = Object.fromEntries([
      ...mine.map(({ field, mine: value }) => [field.name, value]),
      ...kept.map(({ name }) => [name, conflict.changes[name]]),
    ])
    try {
      const merge = { base: conflict.theirs, changes, proof: conflict.proof }
      onSaved(Object.keys(changes).length > 0 ? await saveChanges(resource, merge) : conflict.theirs)
    } catch (error) {
      setProblem(isConflict(error) ? t('changedAgain') : errorsIn(error).message)
      if (isConflict(error)) setConflict(await readConflict(resource, conflict))
    }
  }
  return (
    <Sheet label={t('conflict')} onClose={onClose}>
      <p>{t('conflictHow')}</p>
      <form
        className="conflict"
        onSubmit={(event) => {
          event.preventDefault()
          once(() => save().catch((error) => setProblem(errorsIn(error).message)))
        }}
      >
        {differences.map((difference) => (
          <Choice
            key={difference.field.name}
            difference={difference}
            side={sideOf(difference.field.name)}
            onChoose={(side) => setChosen((now) => ({ ...now, [difference.field.name]: side }))}
          />
        ))}
        <p role="alert" className="problem">
          {problem}
        </p>
        <SubmitOrCancel label={t('saveMerge')} onClose={onClose} />
      </form>
    </Sheet>
  )
}
