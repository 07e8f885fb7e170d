/** The search of a list: each pause of typing changes the address. */
import { useEffect, useRef, useState } from 'react'
import { changeListQuery } from '../address/list-query.ts'
import { t } from '../words/words.ts'

/** One letter after another is one search. */
const typingMs = 80

function useTyped(value: string, send: (next: string) => void) {
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

/** `/` leads here, unless the reader is typing. */
export function ListSearch({ plural, q }: { readonly plural: string; readonly q: string }) {
  const search = useRef<HTMLInputElement>(null)
  const [typed, type] = useTyped(q, (next) => changeListQuery({ q: next }))
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || /INPUT|TEXTAREA|SELECT/.test((event.target as HTMLElement).tagName)) return
      event.preventDefault()
      search.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
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
