/**
 * "Why?": a page says what it does not offer, and its button or the palette opens the reasons.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { Refusal } from '../api/explanation.ts'
import { t } from '../words/words.ts'
import { loaded } from './loaded.tsx'

const WhyDialog = loaded(() => import('./why-dialog.tsx').then((part) => part.WhyDialog))

type Why = { readonly refusals: readonly Refusal[]; readonly isOpen: boolean }

const changes = new EventTarget()
let why: Why = { refusals: [], isOpen: false }

function show(next: Why): void {
  why = next
  changes.dispatchEvent(new Event('change'))
}

function onChange(call: () => void): () => void {
  changes.addEventListener('change', call)
  return () => changes.removeEventListener('change', call)
}

export function useWhy(): Why {
  return useSyncExternalStore(onChange, () => why)
}

export function openWhy(): void {
  show({ ...why, isOpen: true })
}

/** The button of the page that is shown; the palette has a command for the same. */
export function WhyButton({ refusals }: { readonly refusals: readonly Refusal[] }) {
  const key = JSON.stringify(refusals)
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal refusals are the same ones
  useEffect(() => show({ ...why, refusals }), [key])
  // New reasons of the same page leave its dialog open; another page closes it.
  useEffect(() => () => show({ refusals: [], isOpen: false }), [])
  if (refusals.length === 0) return null
  return (
    <button
      type="button"
      className="plain"
      title={t('whyNot', { labels: refusals.map(({ label }) => label).join(', ') })}
      onClick={openWhy}
    >
      {t('why')}
    </button>
  )
}

export function OpenWhy() {
  const { refusals, isOpen } = useWhy()
  return isOpen ? <WhyDialog refusals={refusals} onClose={() => show({ ...why, isOpen: false })} /> : null
}
