/** The undo of many deletions, in the message about them. */
import type { ResourceDescription } from 'bindery-server/client'
import { restoreMany } from '../api/trash.ts'
import { type Notice, notify, notifyError } from '../shell/notices.tsx'
import { locale, serverSentence, t } from '../words/words.ts'

const numbers = new Intl.NumberFormat(locale)

/** Each reason once, with the number of its records: `name is already taken (2)`. */
function reasonsIn(sentences: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const one of sentences) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts].map(([sentence, count]) => (count > 1 ? `${sentence} (${count})` : sentence)).join(' · ')
}

async function undo(resource: ResourceDescription, ids: readonly string[]): Promise<void> {
  notify({ text: t('working') })
  try {
    const refused = [...(await restoreMany(resource, ids)).values()].map((one) => serverSentence(one))
    const back = t('broughtBackMany', { count: numbers.format(ids.length - refused.length) })
    if (refused.length === 0) return notify({ text: back })
    const others = t('notBroughtBack', { count: numbers.format(refused.length), why: reasonsIn(refused) })
    notify({ text: `${back} ${others}`, isError: true })
  } catch (error) {
    notifyError(error)
  }
}

export function undoOf(resource: ResourceDescription, ids: readonly string[] | undefined): Pick<Notice, 'act'> {
  if (!ids || ids.length === 0) return {}
  return { act: { label: t('undo'), run: () => void undo(resource, ids) } }
}
