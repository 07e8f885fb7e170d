/** The address bar as state. */
import { type MouseEvent, useMemo, useSyncExternalStore } from 'react'
import { consoleRoot } from './place.ts'

const changes = new EventTarget()
addEventListener('popstate', () => changes.dispatchEvent(new Event('go')))

function listen(call: () => void): () => void {
  changes.addEventListener('go', call)
  return () => changes.removeEventListener('go', call)
}

/** The parts of the address below the console: `['things', 'id']`. */
export type Address = { readonly parts: readonly string[]; readonly query: URLSearchParams }

export function useAddress(): Address {
  const href = useSyncExternalStore(listen, () => location.href)
  return useMemo(() => {
    const { pathname, searchParams } = new URL(href)
    const parts = pathname.slice(consoleRoot.length).split('/').filter(Boolean).map(decodeURIComponent)
    return { parts, query: searchParams }
  }, [href])
}

/** `hrefOf(['things', id])` → `/console/things/…` */
export function hrefOf(parts: readonly string[], query = ''): string {
  return `${[consoleRoot, ...parts.map(encodeURIComponent)].join('/')}${query}`
}

/** `replace`: the present address is no place to go back to. */
export function go(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  changes.dispatchEvent(new Event('go'))
}

/** A link that does not load the page again; with a key held it opens another tab as links do. */
export function followIn(href: string): (event: MouseEvent) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(href)
  }
}
