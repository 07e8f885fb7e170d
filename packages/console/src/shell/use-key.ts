/** A key of the whole page, as long as the part that asks for it is shown. */
import { useEffect } from 'react'

export function useKey(isKey: (event: KeyboardEvent) => boolean, run: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isKey(event)) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

/** Ctrl, or Command on a Mac, with this letter. */
export function isShortcut(letter: string): (event: KeyboardEvent) => boolean {
  return ({ key, ctrlKey, metaKey }) => key === letter && (ctrlKey || metaKey)
}
