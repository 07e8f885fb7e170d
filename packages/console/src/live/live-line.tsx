/** A quiet line that says whether the page is live, and what changed, for screen readers too. */
import { t } from '../words/words.ts'
import type { LiveState } from './follow.ts'

export function LiveLine({ state, said }: { readonly state: LiveState | undefined; readonly said: string }) {
  return (
    <span className="live" data-state={state}>
      {state === 'live' && <span>{t('live')}</span>}
      <span role="status">{state === 'again' ? t('liveAgain') : said}</span>
    </span>
  )
}
