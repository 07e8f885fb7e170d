/** The menu of resources, made of the declarations. */
import type { ResourceSummary } from 'bindery-server/client'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { followIn, hrefOf } from '../address/router.ts'
import { modulesOf } from '../api/console-facts.ts'
import { useOperatePages } from '../operate/use-operate-pages.ts'
import { t } from '../words/words.ts'

type LinkProps = { readonly parts: readonly string[]; readonly label: ReactNode; readonly isHere: boolean }

export function PlaceLink({ parts, label, isHere }: LinkProps) {
  const href = hrefOf(parts)
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined} onClick={followIn(href)}>
      {label}
    </a>
  )
}

/** The resources with a page of their own: a list, or the only record. */
export function listed(resources: readonly ResourceSummary[]): readonly ResourceSummary[] {
  return resources.filter(
    ({ path, operations, single }) => path !== undefined && operations.includes(single ? 'get' : 'list'),
  )
}

const menuId = 'menu'

/** Where the page is narrow the menu is folded away; style sheets hide the button elsewhere. */
export function MenuButton({ isOpen, onPress }: { readonly isOpen: boolean; onPress(): void }) {
  return (
    <button type="button" className="menu-button" aria-expanded={isOpen} aria-controls={menuId} onClick={onPress}>
      {t('menu')}
    </button>
  )
}

type MenuPlace = { readonly parts: readonly string[]; readonly label: string; readonly isHere: boolean }
type Section = { readonly heading: string; readonly places: readonly MenuPlace[] }

/** The resources under their headings, the application's pages, and those of operators. */
function useSections(resources: readonly ResourceSummary[], here: readonly string[]): readonly Section[] {
  const pages = useOperatePages()
  const placeOf = ({ slug, plural }: ResourceSummary) => ({ parts: [slug], label: plural, isHere: here[0] === slug })
  const shown = listed(resources).filter(({ unlisted }) => !unlisted)
  const own = shown.filter(({ engine }) => !engine)
  const named = [...new Set(own.flatMap(({ menu }) => menu?.label ?? []))]
  const ofOperators = pages.map(({ name }) => ({
    parts: ['_operate', name],
    label: t(name),
    isHere: here[0] === '_operate' && here[1] === name,
  }))
  const ownPages = modulesOf('pages/').map(({ name, label }) => {
    const page = name.slice('pages/'.length)
    return { parts: ['_own', page], label, isHere: here[0] === '_own' && here[1] === page }
  })
  return [
    { heading: t('resources'), places: own.filter(({ menu }) => !menu).map(placeOf) },
    ...named.map((heading) => ({
      heading,
      places: own.filter(({ menu }) => menu?.label === heading).map(placeOf),
    })),
    { heading: t('ownPages'), places: ownPages },
    { heading: t('operate'), places: [...ofOperators, ...shown.filter(({ engine }) => engine).map(placeOf)] },
  ].filter(({ places }) => places.length > 0)
}

/** A menu of more places than these has a filter above it. */
const filteredFrom = 20

/** A heading that matches keeps all of its places. */
function matching(sections: readonly Section[], typed: string): readonly Section[] {
  const sought = typed.trim().toLocaleLowerCase()
  const isFound = (text: string) => text.toLocaleLowerCase().includes(sought)
  const found = sections.map(({ heading, places }) => ({
    heading,
    places: isFound(heading) ? places : places.filter(({ label }) => isFound(label)),
  }))
  return sought === '' ? sections : found.filter(({ places }) => places.length > 0)
}

/** Arrows move through the filter and the links; Enter in the filter opens the first link. */
function moveInMenu(event: KeyboardEvent, menu: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const stops = [...(menu?.querySelectorAll<HTMLElement>('input, a') ?? [])]
  const at = stops.indexOf(event.target as HTMLElement)
  const isFilter = event.target instanceof HTMLInputElement
  if (step !== undefined) stops[at + step]?.focus()
  else if (event.key === 'Enter' && isFilter) stops[at + 1]?.click()
  else return
  event.preventDefault()
}

type MenuProps = {
  readonly resources: readonly ResourceSummary[]
  readonly here: readonly string[]
  /** Unfolded, where the page is narrow. */
  readonly isOpen: boolean
  onClose(): void
}

export function Menu({ resources, here, isOpen, onClose }: MenuProps) {
  const place = here.join('/')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page folds it
  useEffect(onClose, [place])
  const [typed, setTyped] = useState('')
  const list = useRef<HTMLElement>(null)
  const sections = useSections(resources, here)
  const shown = matching(sections, typed)
  const isLong = sections.reduce((sum, { places }) => sum + places.length, 0) > filteredFrom
  return (
    <nav
      ref={list}
      id={menuId}
      className={isOpen ? 'menu open' : 'menu'}
      aria-label={t('menu')}
      onKeyDown={(event) => moveInMenu(event, list.current)}
    >
      {isLong && (
        <input
          type="search"
          aria-label={t('filterMenu')}
          placeholder={t('filterMenu')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {shown.length === 0 && isLong && <p className="quiet">{t('none')}</p>}
      {shown.map(({ heading, places }) => (
        <Fragment key={heading}>
          <h2>{heading}</h2>
          <ul>
            {places.map((place) => (
              <li key={place.parts.join('/')}>
                <PlaceLink {...place} />
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  )
}
