/**
 * Erases a record with every copy of its values, for those who run the service. It shows what would
 * go, and asks for the title of the record and for the person's password.
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { go, hrefOf } from '../address/router.ts'
import { client } from '../api/client.ts'
import { useErases } from '../api/declarations.ts'
import { queries } from '../api/queries.ts'
import { forgetRows, type Row } from '../api/rows.ts'
import { titleIn } from '../api/titles.ts'
import { OwnProof } from '../fields/own-proof.tsx'
import { sentenceOf } from '../session/log-in-steps.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { inSentence, t } from '../words/words.ts'
import { dropDraft } from './draft.ts'
import type { RecordPlace } from './record-place.ts'

type RecordProps = { readonly place: RecordPlace; readonly record: Row }
type Counts = Readonly<Record<string, number>>
type Erased = { readonly records: Counts; readonly emptied: Counts; readonly left: Counts } & Readonly<
  Record<'log' | 'answers' | 'effects' | 'events', number>
>

const path = '/api/v1/_erasures'
const targetOf = ({ resource }: RecordPlace, record: Row) => ({
  resource: resource.slug,
  id: String(record[resource.idField]),
})

/** The copies in the order in which they are listed. */
const copies = ['log', 'answers', 'effects', 'events'] as const

function Counted({ counted }: { readonly counted: Erased }) {
  const lines: readonly (readonly [string, number])[] = [
    ...Object.entries(counted.records),
    ...copies.flatMap((name) => (counted[name] > 0 ? [[t(`erased_${name}`), counted[name]] as const] : [])),
  ]
  const inWords = (counts: Counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  const [emptied, left] = [inWords(counted.emptied), inWords(counted.left)]
  return (
    <>
      <table className="differences">
        <caption>{t('wouldErase')}</caption>
        <tbody>
          {lines.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {emptied !== '' && (
        <p>
          {t('eraseEmpties')} {emptied}
        </p>
      )}
      {left !== '' && (
        <p>
          {t('eraseLeaves')} {left}
        </p>
      )}
    </>
  )
}

function EraseSheet({ place, record, onClose }: RecordProps & { onClose(): void }) {
  const { resource, above } = place
  const [typed, setTyped] = useState('')
  const [proof, setProof] = useState('')
  const [problem, setProblem] = useState('')
  const once = useOneRun()
  const title = titleIn(resource, record)
  const { data, error } = useQuery({
    queryKey: [resource.slug, 'erasure', place.id],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const options = { body: targetOf(place, record), headers: { prefer: 'dry-run' }, signal }
      return (await client.send('POST', path, options)).body as Erased
    },
  })
  async function erase(): Promise<void> {
    try {
      const confirmed = proof === '' ? {} : { currentPassword: proof }
      await client.send('POST', path, { body: { ...targetOf(place, record), ...confirmed } })
      dropDraft(place)
      forgetRows(resource)
      queries.removeQueries({ queryKey: [resource.slug, 'record'] })
      notify({ text: t('erased', { label: resource.label }) })
      go(hrefOf(above), { replace: true })
    } catch (failed) {
      setProblem(sentenceOf(failed))
    }
  }
  return (
    <Sheet label={t('sureErase', { label: inSentence(resource.label) })} isAlert onClose={onClose}>
      <p>{t('eraseHelp')}</p>
      {error && <p role="alert">{sayError(error)}</p>}
      {!data && !error && <p className="quiet">{t('loading')}</p>}
      {data && (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault()
            if (typed === title) once(erase)
          }}
        >
          <Counted counted={data} />
          <label className="field">
            {t('typeToErase', { title })}
            <input
              type="text"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          <OwnProof typed={proof} onType={setProof} />
          <p role="alert" className="problem">
            {problem}
          </p>
          <div className="tools">
            <button type="button" onClick={onClose}>
              {t('cancel')}
            </button>
            <button type="submit" className="danger" disabled={typed !== title}>
              {t('erase')}
            </button>
          </div>
        </form>
      )}
      {error && (
        <div className="tools">
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      )}
    </Sheet>
  )
}

/** Nothing where the application or the caller's role has no erasures. */
export function EraseButton({ place, record }: RecordProps) {
  const [isErasing, setErasing] = useState(false)
  if (!useErases() || place.isSingle) return null
  return (
    <>
      <button type="button" className="danger" onClick={() => setErasing(true)}>
        {t('eraseOne')}
      </button>
      {isErasing && <EraseSheet place={place} record={record} onClose={() => setErasing(false)} />}
    </>
  )
}
