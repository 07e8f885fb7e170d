/** A record that follows its changes: it is read again, and a form with changes keeps what it has. */
import { useCallback, useState } from 'react'
import { readRecordAgain } from '../api/records.ts'
import type { Row } from '../api/rows.ts'
import type { RecordPlace } from '../record/record-place.ts'
import { t } from '../words/words.ts'
import type { News } from './follow.ts'
import { LiveLine } from './live-line.tsx'
import { useFollow } from './use-follow.ts'

export function LiveRecord({ place, record }: { readonly place: RecordPlace; readonly record: Row }) {
  const { resource, id, selects } = place
  const ownId = String(record[resource.idField])
  const [said, setSaid] = useState('')
  const onNews = useCallback(
    async (news: readonly News[]) => {
      const own = news.filter((one) => one.type === 'any' || one.id === ownId)
      if (own.length === 0) return
      if (own.at(-1)?.type === 'gone') return setSaid(t('recordGone'))
      if (await readRecordAgain(resource, id)) setSaid(t('recordChanged'))
    },
    [resource, id, ownId],
  )
  const state = useFollow({ slug: resource.slug, selects, onNews })
  return <LiveLine state={state} said={said} />
}
