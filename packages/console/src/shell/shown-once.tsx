/** Values that the server tells once, such as a new key. They stay until the person has kept them. */
import type { ResourceDescription } from 'bindery-server/client'
import { useSyncExternalStore } from 'react'
import type { Row } from '../api/rows.ts'
import { t } from '../words/words.ts'
import { copyText } from './notices.tsx'
import { Sheet } from './sheet.tsx'

type Told = { readonly label: string; readonly values: readonly (readonly [string, string])[] }

const changes = new EventTarget()
let shown: Told | undefined

function show(next: Told | undefined): void {
  shown = next
  changes.dispatchEvent(new Event('change'))
}

/** Nothing of it is shown to the next person. */
export function forgetTold(): void {
  show(undefined)
}

/** Texts of a record that are none of its fields. An action may answer with something else. */
function valuesBeyond({ fields, idField }: ResourceDescription, answer: unknown): Told['values'] {
  const isRecord = typeof answer === 'object' && answer !== null && idField in answer
  const always = fields.filter((one) => !one.secret && !one.partlyShown && !one.virtual)
  if (!isRecord || !always.every(({ name }) => name in answer)) return []
  const known = new Set(fields.map(({ name }) => name))
  return Object.entries(answer as Row).filter(
    (entry): entry is [string, string] => !known.has(entry[0]) && typeof entry[1] === 'string',
  )
}

export function tellValues(label: string, values: Told['values']): void {
  if (values.length > 0) show({ label, values })
}

/** `answer`: to a request that made or changed a record. */
export function tellOnce(resource: ResourceDescription, answer: unknown): void {
  tellValues(resource.label, valuesBeyond(resource, answer))
}

function listen(call: () => void): () => void {
  changes.addEventListener('change', call)
  return () => changes.removeEventListener('change', call)
}

export function ShownOnce() {
  const told = useSyncExternalStore(listen, () => shown)
  if (!told) return null
  return (
    <Sheet label={told.label} isAlert onClose={forgetTold}>
      <p>{t('shownOnce')}</p>
      {told.values.map(([name, value]) => (
        <p key={name} className="shown-once">
          <span className="quiet">{name}</span> <code>{value}</code>
          <button type="button" onClick={() => copyText(value)}>
            {t('copy')}
          </button>
        </p>
      ))}
      <button type="button" className="main" onClick={forgetTold}>
        {t('keptIt')}
      </button>
    </Sheet>
  )
}
