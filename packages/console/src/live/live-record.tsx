/** A record that follows its changes: it is read again, and a form with changes keeps what it has. */
import { useCallback, useMemo, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { readRecordAgain } from '../api/records.ts'
import type { RecordPlace } from '../record/record-place.ts'
import { t } from '../words/words.ts'
import type { News } from './follow.ts'
import { LiveLine } from './live-line.tsx'
import { useFollow } from './use-follow.ts'

/** Where the list takes no filter by ids, all its changes are told. */
function selecting({ resource: { fields, idField }, id }: RecordPlace): ListQuery {
  const isFilter = fields.find(({ name }) => name === idField)?.operators.includes('in')
  return isFilter ? { [`${idField}[in]`]: id } : {}
}

export function LiveRecord({ place }: { readonly place: RecordPlace }) {
  const { resource, id } = place
  const [said, setSaid] = useState('')
  const selects = useMemo(() => selecting(place), [place])
  const onNews = useCallback(
    async (news: readonly News[]) => {
      const own = news.filter((one) => one.type === 'any' || one.id === id)
      if (own.length === 0) return
      if (own.at(-1)?.type === 'gone') return setSaid(t('recordGone'))
      if (await readRecordAgain(resource, id)) setSaid(t('recordChanged'))
    },
    [resource, id],
  )
  const state = useFollow({ resource, selects, onNews })
  return <LiveLine state={state} said={said} />
}
