/** The search of a list: each pause of typing changes the address. */
import { useEffect, useRef, useState } from 'react'
import { changeListQuery } from '../address/list-query.ts'
import { useKey } from '../shell/use-key.ts'
import { t } from '../words/words.ts'

/** One letter after another is one search. */
const typingMs = 80

/** What is typed, and a function that sends it after a pause. */
export function useTyped(value: string, send: (next: string) => void) {
  const [typed, setTyped] = useState(value)
  const waits = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setTyped(value), [value])
  return [
    typed,
    (next: string) => {
      setTyped(next)
      clearTimeout(waits.current)
      waits.current = setTimeout(() => send(next), typingMs)
    },
  ] as const
}

function isSlash({ key, target }: KeyboardEvent): boolean {
  return key === '/' && !/INPUT|TEXTAREA|SELECT/.test((target as HTMLElement).tagName)
}

/** `/` leads here, unless the reader is typing. */
export function ListSearch({ plural, q }: { readonly plural: string; readonly q: string }) {
  const search = useRef<HTMLInputElement>(null)
  const [typed, type] = useTyped(q, (next) => changeListQuery({ q: next }))
  useKey(isSlash, () => search.current?.focus())
  return (
    <input
      ref={search}
      type="search"
      aria-label={t('searchIn', { plural })}
      placeholder={`${t('search')}  /`}
      value={typed}
      onChange={(event) => type(event.target.value)}
    />
  )
}
